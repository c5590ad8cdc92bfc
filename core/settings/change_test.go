package settings

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// book keeps rulings in place of the log.
type book struct {
	mu    sync.Mutex
	lines []string
	fails bool
}

func (b *book) RecordTx(_ context.Context, _ *pg.Tx, v core.Viewer, r core.Ruling) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails {
		return fmt.Errorf("the log is full")
	}
	b.lines = append(b.lines, strings.TrimSpace(fmt.Sprintf("%s %s %s/%s %s: %s", v.Username, r.Kind, r.About.Type, r.About.ID, r.Title, r.Reason)))
	return nil
}

func (s *Service) edit(t *testing.T, key, value string) Edit {
	t.Helper()
	row, err := s.Get(t.Context(), core.TheSystem(), key)
	if err != nil {
		t.Fatal(err)
	}
	return Edit{Key: key, Value: value, State: row.State}
}

func TestChangeStoresWhatDiffers(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	b := &book{}
	s.WithAudit(b)
	n, err := s.Change(t.Context(), admin(), []Edit{s.edit(t, "votes_per_hour", " 70 "), s.edit(t, "site_name", "Our “Town”"),
		s.edit(t, "writes_per_hour", " 30 "), s.edit(t, "sample_switch", "false"), s.edit(t, "sign_in_window", "15m0s")})
	if err != nil || n != 3 || s.Number(VotesPerHour) != 70 || s.Text(SiteName) != "Our “Town”" || s.Switch(sampleSwitch) {
		t.Fatalf("%d changed, %v", n, err)
	}
	want := []string{
		`ada setting_changed setting/site_name site_name: "Homeplace" → "Our “Town”"`,
		`ada setting_changed setting/votes_per_hour votes_per_hour: "60" → "70"`,
		`ada setting_changed setting/sample_switch sample_switch: "true" → "false"`,
	}
	if !slices.Equal(b.lines, want) {
		t.Errorf("the log is %q", b.lines)
	}
	if rows := pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from settings where updated_by is not null`); rows != 3 {
		t.Errorf("%d rows are stored", rows)
	}
	if err := s.Set(t.Context(), core.TheSystem(), "votes_per_hour", Reset); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), core.TheSystem(), "votes_per_hour", "60"); err != nil {
		t.Fatal(err)
	}
	if got := b.lines[3:]; !slices.Equal(got, []string{`setting_changed setting/votes_per_hour votes_per_hour: "70" → "60"`}) {
		t.Errorf("from the command line the log has %q", got)
	}
}

func TestChangeIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	b := &book{}
	s.WithAudit(b)
	_, err := s.Change(t.Context(), admin(), []Edit{s.edit(t, "site_name", ""), s.edit(t, "votes_per_hour", "many"), s.edit(t, "writes_per_hour", "40")})
	e := core.AsError(err)
	if e == nil || e.Kind != core.Invalid || e.Fields["site_name"] != "is required" || !strings.HasPrefix(e.Fields["votes_per_hour"], "must be a whole number from 1 to 100000") || len(e.Fields) != 2 {
		t.Errorf("it gives %v", err)
	}
	if _, err := s.Change(t.Context(), admin(), []Edit{{Key: "site_nam", Value: "x"}}); core.KindOf(err) != core.NotFound {
		t.Errorf("an unknown setting gives %v", err)
	}
	b.fails = true
	if _, err := s.Change(t.Context(), admin(), []Edit{s.edit(t, "writes_per_hour", "40")}); err == nil {
		t.Error("what cannot be logged is stored")
	}
	if n := pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from settings`); n != 0 || len(b.lines) != 0 {
		t.Errorf("%d rows are stored, and the log is %q", n, b.lines)
	}
}

func TestTheLaterFormSaysSo(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	mine, theirs := []Edit{s.edit(t, "site_name", "Mine"), s.edit(t, "votes_per_hour", "60")}, []Edit{s.edit(t, "site_name", "Theirs"), s.edit(t, "votes_per_hour", "61")}
	if _, err := s.Change(t.Context(), admin(), theirs); err != nil {
		t.Fatal(err)
	}
	_, err := s.Change(t.Context(), admin(), mine)
	e := core.AsError(err)
	if e == nil || e.Kind != core.Conflict || e.Code != "setting_changed" || !strings.Contains(e.Fields["site_name"], `is now "Theirs"`) || len(e.Fields) != 1 {
		t.Fatalf("the later form gives %v", err)
	}
	mine[0] = s.edit(t, "site_name", "Mine") // the form as it is shown again
	if n, err := s.Change(t.Context(), admin(), mine); err != nil || n != 1 || s.Text(SiteName) != "Mine" {
		t.Errorf("sent again: %d, %v", n, err)
	}
	if s.Number(VotesPerHour) != 61 {
		t.Error("a field that was not touched takes back what another has changed")
	}
	if n, err := s.Change(t.Context(), admin(), []Edit{{Key: "site_name", Value: "Mine", State: "Homeplace"}}); err != nil || n != 0 {
		t.Errorf("two who want the same: %d, %v", n, err)
	}
}

func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	b := &book{}
	s.WithAudit(b)
	change := func(e Edit) error { _, err := s.Change(t.Context(), admin(), []Edit{e}); return err }
	shown := s.edit(t, "sample_secret", "hunter2hunter2")
	for _, e := range []Edit{shown, s.edit(t, "sample_secret", "hunter3")} {
		e.State = s.edit(t, "sample_secret", "").State
		if err := change(e); err != nil {
			t.Fatal(err)
		}
	}
	if state := s.edit(t, "sample_secret", "").State; state == "" || strings.Contains(state, "hunter") {
		t.Errorf("the state is %q", state)
	}
	late := change(shown)
	if e := core.AsError(late); e == nil || e.Kind != core.Conflict || strings.Contains(e.Error(), "hunter3") {
		t.Errorf("the later form gives %v", late)
	}
	if err := change(s.edit(t, "sample_secret", "")); err != nil || s.Secret(sampleSecret) != "" {
		t.Errorf("taking it away: %v", err)
	}
	var did []string
	for _, line := range b.lines {
		did = append(did, line[strings.LastIndex(line, " ")+1:])
		if strings.Contains(line, "hunter") {
			t.Errorf("the log says %q", line)
		}
	}
	if !slices.Equal(did, []string{"set", "replaced", "away"}) {
		t.Errorf("the log says %q", b.lines)
	}
}

// Of many who change one setting from the same form at once, on two instances,
// one wins.
func TestManyChangeAtOnce(t *testing.T) {
	t.Parallel()
	here, d := setup(t)
	services := []*Service{here, newService(d.Instance(t), sample)}
	first := here.edit(t, "votes_per_hour", "")
	var all sync.WaitGroup
	var mu sync.Mutex
	won, late := 0, 0
	for i := range 16 {
		all.Go(func() {
			e := first
			e.Value = fmt.Sprint(100 + i)
			_, err := services[i%2].Change(t.Context(), admin(), []Edit{e})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case core.KindOf(err) == core.Conflict:
				late++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 || late != 15 {
		t.Errorf("%d won and %d came too late", won, late)
	}
}

func TestOnlyAdministratorsChange(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	for name, c := range map[string]struct {
		v    core.Viewer
		want core.Kind
	}{
		"nobody":      {core.Nobody(), core.Unauthenticated},
		"a member":    {core.Viewer{ID: pg.NewID(), Role: core.Member}, core.Forbidden},
		"a moderator": {core.Viewer{ID: pg.NewID(), Role: core.Staff, Moderator: true}, core.Forbidden},
	} {
		if _, err := s.Change(t.Context(), c.v, []Edit{{Key: "site_name", Value: "Mine", State: "Homeplace"}}); err == nil || core.KindOf(err) != c.want {
			t.Errorf("%s gets %v", name, err)
		}
	}
}

func TestEverySettingIsInOneGroup(t *testing.T) {
	t.Parallel()
	s := &Service{table: table}
	for _, d := range table {
		in := 0
		for _, g := range s.Groups() {
			if g.Has(d.key) {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%s is in %d groups", d.key, in)
		}
	}
	for key, want := range map[string]string{"site_name": "site", "sign_in_window": "access", "refreshes_per_hour": "access", "votes_per_hour": "limits",
		"polls_require_approval": "polls", "award_vote": "points", "llm_model": "model", "map_tile_url": "maps", "something_new": "more"} {
		if got := groupOf(key); got != want {
			t.Errorf("%s is in %q, want %q", key, got, want)
		}
	}
}
