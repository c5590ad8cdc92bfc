package settings

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Further settings, of kinds that the site's own table hardly has.
var (
	sample       = sampleTable()
	sampleSwitch Switch
	sampleSecret Secret
)

// sampleTable adds to the site's table and takes the additions out again.
func sampleTable() []*definition {
	site := table
	defer func() { table = site }()
	table = nil
	sampleSwitch = boolean("sample_switch", true, "A switch.")
	sampleSecret = secret("sample_secret", 40, "A secret.")
	return append(slices.Clone(site), table...)
}

func setup(t *testing.T) (*Service, *pgtest.Database) {
	t.Helper()
	d := pgtest.New(t)
	return newService(d.DB, sample), d
}

func admin() core.Viewer {
	return core.Viewer{ID: pg.NewID(), Username: "ada", Role: core.Staff, Moderator: true, Admin: true}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	for name, pair := range map[string][2]any{
		"site_name":                      {s.Text(SiteName), "Homeplace"},
		"contact_email":                  {s.Text(ContactEmail), ""},
		"writes_per_hour":                {s.Number(WritesPerHour), 30},
		"anonymous_submissions_per_hour": {s.Number(AnonymousSubmissionsPerHour), 10},
		"votes_per_hour":                 {s.Number(VotesPerHour), 60},
		"sign_in_attempts":               {s.Number(SignInAttempts), 10},
		"sign_in_window":                 {s.Span(SignInWindow), 15 * time.Minute},
		"ask_per_minute":                 {s.Number(AskPerMinute), 12},
		"llm_base_url":                   {s.Text(LLMBaseURL), ""},
		"llm_api_key":                    {s.Secret(LLMAPIKey), ""},
		"llm_model":                      {s.Text(LLMModel), ""},
		"llm_timeout":                    {s.Span(LLMTimeout), 8 * time.Second},
		"sample_switch":                  {s.Switch(sampleSwitch), true},
		"sample_secret":                  {s.Secret(sampleSecret), ""},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestTableReadsWell(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range table {
		if seen[d.key] {
			t.Errorf("%s stands twice in the table", d.key)
		}
		seen[d.key] = true
		if !strings.HasSuffix(d.meaning, ".") || strings.ToLower(d.key) != d.key {
			t.Errorf("%s: a key is lower case, its meaning one sentence: %q", d.key, d.meaning)
		}
	}
}

func TestSetAndReset(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	ctx, v := t.Context(), admin()
	for key, value := range map[string]string{"writes_per_hour": " 40 ", "site_name": "Our Town", "sign_in_window": "90s",
		"sample_switch": "off", "sample_secret": "hunter2hunter2", "map_tile_url": ""} {
		if err := s.Set(ctx, v, key, value); err != nil {
			t.Fatalf("Set(%s, %q): %v", key, value, err)
		}
	}
	if s.Number(WritesPerHour) != 40 || s.Text(SiteName) != "Our Town" || s.Span(SignInWindow) != 90*time.Second ||
		s.Switch(sampleSwitch) || s.Secret(sampleSecret) != "hunter2hunter2" || s.Text(MapTileURL) != "" {
		t.Error("a changed setting still has its earlier value when Set returns")
	}
	want := Row{Key: "writes_per_hour", Kind: KindNumber, Value: "40", Default: "30", Meaning: WritesPerHour.meaning,
		Takes: "a whole number from 1 to 100000", Changed: true, State: "40"}
	if got, err := s.Get(ctx, v, "writes_per_hour"); err != nil || got != want {
		t.Errorf("Get = %+v, %v, want %+v", got, err, want)
	}
	if err := s.Set(ctx, v, "writes_per_hour", "default"); err != nil {
		t.Fatal(err)
	}
	want.Value, want.State, want.Changed = "30", "30", false
	if got, err := s.Get(ctx, core.TheSystem(), "writes_per_hour"); err != nil || got != want {
		t.Errorf("after the reset Get = %+v, %v, want %+v", got, err, want)
	}
	if s.Number(WritesPerHour) != 30 {
		t.Errorf("after the reset writes_per_hour is %d, want 30", s.Number(WritesPerHour))
	}
}

func TestSetToTheDefaultStoresNothing(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	if err := s.Set(t.Context(), core.TheSystem(), "sign_in_window", "900s"); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from settings`); n != 0 {
		t.Errorf("%d rows are stored for a setting at its default", n)
	}
}

func TestSetRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	for _, c := range []struct{ key, value string }{
		{"writes_per_hour", "0"}, {"writes_per_hour", "100001"}, {"writes_per_hour", "many"}, {"writes_per_hour", ""},
		{"writes_per_hour", "3.5"}, {"writes_per_hour", "99999999999999999999"},
		{"site_name", ""}, {"site_name", "  "}, {"site_name", strings.Repeat("é", 61)}, {"site_name", "a\nb"}, {"site_name", "a\x00b"},
		{"llm_base_url", "file:///etc/passwd"}, {"llm_base_url", "localhost:11434"}, {"llm_base_url", "https://"},
		{"llm_base_url", "http://ada:word@model.test"}, {"llm_base_url", "http://model.test/v1?key=word"}, {"llm_timeout", "0s"}, {"llm_timeout", "6m"},
		{"contact_email", "nobody"}, {"contact_email", "a@b@c"}, {"contact_email", "a b@c"},
		{"sign_in_window", "15"}, {"sign_in_window", "59s"}, {"sign_in_window", "25h"}, {"sign_in_window", ""},
		{"sample_switch", "maybe"}, {"sample_secret", strings.Repeat("x", 41)},
		{"map_tile_url", "http://tiles.example.org/{z}/{x}/{y}.png"}, {"map_tile_url", "https://tiles.example.org/{z}/{x}.png"},
		{"map_tile_url", "tiles"},
	} {
		err := s.Set(t.Context(), core.TheSystem(), c.key, c.value)
		if core.KindOf(err) != core.Invalid || core.AsError(err).Fields["value"] == "" {
			t.Errorf("Set(%s, %q) = %v, want Invalid at value", c.key, c.value, err)
		}
	}
	if n := pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from settings`); n != 0 {
		t.Errorf("%d refused values are stored", n)
	}
}

func TestUnknownKeyNamesNearOnes(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	for key, want := range map[string]string{
		"writes_per_huor": `There is no setting "writes_per_huor". Did you mean writes_per_hour?`,
		"site-name":       `There is no setting "site-name". Did you mean site_name?`,
		"per_hour":        `There is no setting "per_hour". Did you mean writes_per_hour, anonymous_submissions_per_hour, votes_per_hour?`,
		"colour":          `There is no setting "colour".`,
	} {
		err := s.Set(t.Context(), core.TheSystem(), key, "1")
		if e := core.AsError(err); e == nil || e.Kind != core.NotFound || e.Msg != want {
			t.Errorf("Set(%q) = %v, want %s", key, err, want)
		}
		if _, err := s.Get(t.Context(), core.TheSystem(), key); core.KindOf(err) != core.NotFound {
			t.Errorf("Get(%q) = %v, want NotFound", key, err)
		}
	}
}

func TestOnlyAdministratorsManage(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	ctx := t.Context()
	viewers := map[string]struct {
		viewer core.Viewer
		want   core.Kind
	}{
		"anonymous": {core.Nobody(), core.Unauthenticated},
		"zero":      {core.Viewer{}, core.Unauthenticated},
		"member":    {core.Viewer{ID: pg.NewID(), Role: core.Member}, core.Forbidden},
		"moderator": {core.Viewer{ID: pg.NewID(), Role: core.Staff, Moderator: true}, core.Forbidden},
	}
	for name, c := range viewers {
		if _, err := s.List(ctx, c.viewer); core.KindOf(err) != c.want || err == nil {
			t.Errorf("%s: List = %v", name, err)
		}
		if _, err := s.Get(ctx, c.viewer, "site_name"); core.KindOf(err) != c.want || err == nil {
			t.Errorf("%s: Get = %v", name, err)
		}
		if err := s.Set(ctx, c.viewer, "site_name", "Mine"); core.KindOf(err) != c.want || err == nil {
			t.Errorf("%s: Set = %v", name, err)
		}
		if _, err := d.Exec(t, c.viewer, `select value from settings`); !pg.Denied(err) {
			t.Errorf("%s: a raw select gives %v, want a refusal", name, err)
		}
		if _, err := d.Exec(t, c.viewer, `insert into settings (key, value) values ('site_name', 'Mine')`); !pg.Denied(err) {
			t.Errorf("%s: a raw insert gives %v, want a refusal", name, err)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	ctx, v := t.Context(), admin()
	if row, err := s.Get(ctx, v, "sample_secret"); err != nil || row.Value != "" || row.Changed {
		t.Errorf("a secret that is not set: %+v, %v", row, err)
	}
	if err := s.Set(ctx, v, "sample_secret", "hunter2hunter2"); err != nil {
		t.Fatal(err)
	}
	rows, err := s.List(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.Get(ctx, v, "sample_secret")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(rows, row) {
		if strings.Contains(r.Value+r.Default+r.Meaning, "hunter2") {
			t.Errorf("%s is listed in clear: %+v", r.Key, r)
		}
	}
	if row.Value != masked || !row.Changed {
		t.Errorf("a secret that is set: %+v, want it masked and changed", row)
	}
	if len(rows) != len(sample) || rows[0].Key != "site_name" {
		t.Errorf("List has %d rows from %s, want %d from site_name", len(rows), rows[0].Key, len(sample))
	}
}

func TestOtherInstancesFollow(t *testing.T) {
	t.Parallel()
	here, d := setup(t)
	other := d.Instance(t)
	there := newService(other, sample)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go other.Listen(ctx, silent)
	if err := here.Set(ctx, core.TheSystem(), "site_name", "Before"); err != nil {
		t.Fatal(err)
	}
	await(t, "the first value", func() bool { return there.Text(SiteName) == "Before" })
	if err := here.Set(ctx, admin(), "site_name", "After"); err != nil {
		t.Fatal(err)
	}
	await(t, "the second value", func() bool { return there.Text(SiteName) == "After" })
}

func TestLoadKeepsDefaultsForWhatNoLongerFits(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	if _, err := d.Exec(t, core.TheSystem(),
		`insert into settings (key, value) values ('votes_per_hour', 'many'), ('gone', '1'), ('site_name', 'Kept')`); err != nil {
		t.Fatal(err)
	}
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Number(VotesPerHour) != 60 || s.Text(SiteName) != "Kept" {
		t.Errorf("votes_per_hour = %d, site_name = %q, want 60 and Kept", s.Number(VotesPerHour), s.Text(SiteName))
	}
}

func TestLoadFailureKeepsValues(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	if err := s.Set(t.Context(), core.TheSystem(), "votes_per_hour", "7"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Load(ctx); err == nil {
		t.Fatal("Load with a cancelled context succeeds")
	}
	if s.Number(VotesPerHour) != 7 {
		t.Errorf("votes_per_hour = %d after a failed Load, want 7", s.Number(VotesPerHour))
	}
}
