package sayings

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
)

func TestApprovalPublishesAndPays(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	first, second := w.submit(t, ada, "Every shut eye ain’t sleep."), w.submit(t, ada, "Every shut eye ain't sleep, y'all")
	if c := w.approved(t, mod, first.ID); c.Status != Published || c.Slug != "every-shut-eye-aint-sleep" || c.PublishedAt == nil || c.DecidedAt == nil {
		t.Fatalf("%+v", c)
	}
	want := []core.Award{{AccountID: ada.ID, Reason: core.AwardSaying, Detail: "Every shut eye ain’t sleep.", RefType: "saying", RefID: first.ID}}
	if diff := cmp.Diff(want, w.till.paid); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	correct := func(words Words) error { return w.Correct(t.Context(), mod, second.ID, words) }
	wantError(t, "corrected into one that is there", correct(Words{Text: "EVERY shut eye ain't sleep!"}), core.Conflict, "already_here")
	wantError(t, "an unknown category", correct(Words{Text: "A", Category: "nonsense"}), core.Invalid, "validation_failed")
	if err := correct(Words{Text: " Every  shut eye ain't sleep — no ", Meaning: "They see you.", Region: "Georgia", Category: "caution"}); err != nil {
		t.Fatal(err)
	}
	if c := w.approved(t, mod, second.ID); c.Text != "Every  shut eye ain't sleep — no" || c.Meaning != "They see you." || c.Slug != "every-shut-eye-aint-sleep-no" {
		t.Fatalf("%+v", c)
	}
	_, err := w.decideAt(t, w.database.DB, w.Desk(), mod, second.ID, core.ActionReject, "Late")
	wantError(t, "deciding again", err, core.Conflict, "already_decided")
	if got := w.found(t, Filter{Query: "they see"}); got != "every-shut-eye-aint-sleep-no" {
		t.Errorf("the correction is found by %q", got)
	}
	w.load(t, `{"slug":"number","text":"Another text of that name"}`)
	fourth := w.submit(t, ada, "Number?")
	if c := w.approved(t, mod, fourth.ID); c.Slug != "number-2" {
		t.Errorf("a taken slug gives %s", c.Slug)
	}
	if c := w.approved(t, mod, w.submit(t, ada, "Random").ID); c.Slug != "random-2" {
		t.Errorf("an address that leads elsewhere gives %s", c.Slug)
	}
}

func TestRefusalAndAbuse(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	one, two := w.submit(t, ada, "One"), w.submit(t, ada, "Two")
	w.decided(t, mod, one.ID, core.ActionReject, "We cannot find where it comes from.")
	w.decided(t, mod, two.ID, core.ActionAbusive, "")
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Items[0].Status != Spam || mine.Items[1].Status != Refused || mine.Items[1].Reason != "We cannot find where it comes from." || mine.Items[1].DecidedAt == nil {
		t.Errorf("%+v, %v", mine.Items, err)
	}
	if len(w.till.paid) != 0 {
		t.Error("it paid")
	}
	w.submit(t, ada, "One") // refused sayings do not stand in the way
}

func TestWhoMayDecide(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	own := w.submit(t, mod, "A moderator's own")
	calls := func(v core.Viewer, id string) (list []error) {
		for _, action := range []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive} {
			_, err := w.decideAt(t, w.database.DB, w.Desk(), v, id, action, "No")
			list = append(list, err)
		}
		return list
	}
	for _, err := range calls(core.Nobody(), own.ID) {
		wantError(t, "nobody", err, core.Unauthenticated, "unauthenticated")
	}
	for _, err := range append(calls(ada, own.ID), calls(mod, own.ID)...) {
		wantError(t, "a member, and who sent it", err, core.Forbidden, "not_allowed")
	}
	for _, id := range []string{pg.NewID(), "x"} {
		for _, err := range calls(other, id) {
			wantError(t, "what is not there", err, core.NotFound, "not_found")
		}
	}
	if n := pgtest.Value[int](t, w.database, other, `select count(*) from desk_queue`); n != 1 {
		t.Errorf("a moderator sees %d waiting", n)
	}
	if _, err := w.database.Exec(t, ada, `select from desk_queue`); !pg.Denied(err) {
		t.Errorf("a member reads the queue: %v", err)
	}
	_, err := w.Case(t.Context(), ada, own.ID)
	wantError(t, "a case", err, core.Forbidden, "not_allowed")
	c := w.approved(t, other, own.ID)
	wantError(t, "hiding one's own", w.Hide(t.Context(), mod, c.Slug), core.Forbidden, "not_allowed")
	wantError(t, "hiding by a member", w.Hide(t.Context(), ada, c.Slug), core.Forbidden, "not_allowed")
	if err := w.Hide(t.Context(), other, c.Slug); err != nil {
		t.Fatal(err)
	}
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		_, err := w.Get(t.Context(), v, c.Slug)
		wantError(t, "a hidden one", err, core.NotFound, "not_found")
	}
	if _, err := w.Get(t.Context(), other, c.Slug); err != nil || w.found(t, Filter{}) != "" {
		t.Errorf("hidden: %v, listed %q", err, w.found(t, Filter{}))
	}
	if err := w.Unhide(t.Context(), other, c.Slug); err != nil || w.found(t, Filter{}) != c.Slug {
		t.Errorf("shown again: %v", err)
	}
}

// What Go forgot, the database refuses.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	waiting, own := w.submit(t, ada, "Ada waits"), w.submit(t, mod, "The moderator waits")
	w.load(t, `{"slug":"public","text":"Public"}`, `{"slug":"hidden","text":"Hidden","hidden":true}`)
	for _, tt := range []struct {
		v    core.Viewer
		want int
	}{{core.Nobody(), 1}, {ben, 1}, {ada, 2}, {mod, 4}} {
		if got := pgtest.Value[int](t, w.database, tt.v, `select count(*) from sayings`); got != tt.want {
			t.Errorf("%q sees %d sayings, want %d", tt.v.Username, got, tt.want)
		}
	}
	if got := pgtest.Value[int](t, w.database, ben, `select count(submitted_by) from saying_submissions`); got != 0 {
		t.Errorf("another member sees %d senders", got)
	}
	denied := []struct {
		what string
		v    core.Viewer
		sql  string
	}{
		{"anon reads senders", core.Nobody(), `select saying_id from saying_submissions`},
		{"a member reads verdicts", ada, `select verdict from saying_submissions`},
		{"a member reads addresses", ada, `select submitter_email from saying_submissions`},
		{"a member publishes", ada, `update sayings set status = 'published', slug = 'mine', published_at = now()`},
		{"a member brings a published one", ada, `insert into sayings (id, slug, text, text_key, words, status) values (gen_random_uuid(), 'xx', 'x', sha256('x'), 'x', 'published')`},
		{"a member brings one of nobody", ada, `insert into sayings (id, text, text_key, words) values (gen_random_uuid(), 'x', sha256('x'), 'x')`},
		{"a member sends for another", ada, `insert into saying_submissions (saying_id, submitted_by) values (gen_random_uuid(), '` + ben.ID + `')`},
		{"a member writes a verdict", ada, `update saying_submissions set verdict = '{}'`},
		{"staff rewrite a verdict", mod, `update saying_submissions set verdict = '{}'`},
		{"staff give a saying away", mod, `update saying_submissions set submitted_by = null`},
		{"a member adds a category", ada, `insert into saying_categories values ('own', 'Own', 99)`},
	}
	for _, tt := range denied {
		if _, err := w.database.Exec(t, tt.v, tt.sql); !pg.Denied(err) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	for what, tt := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"another member deletes":           {ben, `delete from sayings where id = '` + waiting.ID + `'`},
		"staff delete what a member sent":  {mod, `delete from sayings where id = '` + waiting.ID + `'`},
		"a moderator publishes their own":  {mod, `update sayings set status = 'published', slug = 'own', published_at = now() where id = '` + own.ID + `'`},
		"a moderator decides about theirs": {mod, `update saying_submissions set decided_by = '` + mod.ID + `' where saying_id = '` + own.ID + `'`},
		"a member deletes a public one":    {ada, `delete from sayings where slug = 'public'`},
	} {
		if n, err := w.database.Exec(t, tt.v, tt.sql); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
	}
	// Nobody takes what has a sender, nor what has none.
	for _, id := range []string{waiting.ID, pgtest.Value[string](t, w.database, core.TheSystem(), `select id::text from sayings where slug = 'public'`)} {
		if _, err := w.database.Exec(t, ben, `insert into saying_submissions (saying_id, submitted_by) values ($1, $2)`, id, ben.ID); err == nil {
			t.Error("another member made a saying their own")
		}
	}
}

func TestImportAndExport(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	_, err := w.Import(t.Context(), ada, rows(t), rowfile.Options{})
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	_, err = w.Export(t.Context(), ada, &bytes.Buffer{})
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	var problems []string
	sum, err := w.Import(t.Context(), core.TheSystem(), rows(t,
		`{"text":"One stone","meaning":"m","attribution":"Yoruba proverb","region":"West Africa","category":"wisdom","image_url":"https://example.org/a.png","published_at":"2026-01-01T10:00:00Z"}`,
		`{"text":"Two stones","status":"refused","reason":"Known","surprise":1}`,
		`{"text":"ONE stone!","slug":"another"}`,
		`{"text":""}`, `nonsense`, `{"text":"x","category":"nonsense"}`, `{"text":"x","image_url":"javascript:x"}`, `{"text":7}`, `{"text":"x","status":"odd"}`,
	), rowfile.Options{Problem: func(line int, err error) { problems = append(problems, err.Error()) }})
	if err != nil || sum.Created != 2 || sum.Refused != 7 || len(problems) != 7 || len(sum.Ignored) != 1 {
		t.Errorf("%+v, %v, %q", sum, err, problems)
	}
	var first, again bytes.Buffer
	if n, err := w.Export(t.Context(), core.TheSystem(), &first); err != nil || n != 2 {
		t.Fatalf("exported %d, %v", n, err)
	}
	sum, err = w.Import(t.Context(), core.TheSystem(), rows(t, strings.Split(strings.TrimSpace(first.String()), "\n")...), rowfile.Options{Strict: true})
	if err != nil || sum.Updated != 2 || sum.Created != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if _, err := w.Export(t.Context(), core.TheSystem(), &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), again.String()); diff != "" {
		t.Errorf("the way out and in changes it:\n%s", diff)
	}
	sum, err = w.Import(t.Context(), core.TheSystem(), rows(t, `{"text":"Three"}`, `{"text":""}`), rowfile.Options{Strict: true})
	if err == nil || sum.Created != 0 || w.count(t, `select count(*) from sayings`) != 2 {
		t.Errorf("strict: %+v, %v", sum, err)
	}
}
