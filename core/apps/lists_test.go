package apps

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core"
	"homeplace/core/pg"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	_, err := w.Create(t.Context(), core.Nobody(), Input{Name: "X"})
	wantError(t, "nobody's app", err, core.Unauthenticated, "unauthenticated")
	_, err = w.Create(t.Context(), ada, Input{Slug: "New App", Summary: strings.Repeat("x", 201), Description: strings.Repeat("x", 10_001),
		HomepageURL: "javascript:alert(1)", RepoURL: "https://user:pw@code.example/"})
	for _, field := range []string{"slug", "name", "summary", "description", "homepage_url", "repo_url"} {
		if core.AsError(err).Fields[field] == "" {
			t.Errorf("%s is taken", field)
		}
	}
	_, err = w.Create(t.Context(), ada, Input{Slug: "new", Name: "New"})
	wantError(t, "a page's slug", err, core.Invalid, "validation_failed")
	a, err := w.Create(t.Context(), ada, Input{Name: " Café Map ", Description: "**bold** <script>", HomepageURL: "https://map.example", RepoURL: ""})
	if err != nil || a.Slug != "cafe-map" || a.Name != "Café Map" || a.Status != Pending || !a.APIEnabled || *a.OwnerName != "ada" || a.RepoURL != nil ||
		!strings.Contains(string(a.DescriptionHTML), "<strong>bold</strong>") || strings.Contains(string(a.DescriptionHTML), "<script>") {
		t.Errorf("made %+v, %v", a, err)
	}
	_, err = w.Create(t.Context(), ben, Input{Slug: "cafe-map", Name: "Mine"})
	wantError(t, "a slug that another has", err, core.Conflict, "slug_taken")
	for want, name := range map[string]string{"cafe-map-2": "Cafe map", "new-2": "New"} {
		if b, err := w.Create(t.Context(), ben, Input{Name: name}); err != nil || b.Slug != want {
			t.Errorf("%s is %s, %v", name, b.Slug, err)
		}
	}
	if b, err := w.Create(t.Context(), ben, Input{Name: "???"}); err != nil || !strings.HasPrefix(b.Slug, "app-") {
		t.Errorf("a name without letters is %s, %v", b.Slug, err)
	}
	empty, text := "", "https://code.example/map"
	if b, err := w.Update(t.Context(), ada, "cafe-map", Patch{HomepageURL: &empty, RepoURL: &text}); err != nil || b.HomepageURL != nil || *b.RepoURL != text || b.Name != "Café Map" {
		t.Errorf("changed to %+v, %v", b, err)
	}
	if mine, err := w.Mine(t.Context(), ben); err != nil || len(mine) != 3 {
		t.Errorf("mine: %+v, %v", mine, err)
	}
}

// Pages neither repeat nor drop an app, and a search finds what contains it.
func TestListPages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for i := range 23 {
		if _, err := w.database.Exec(t, core.TheSystem(), `
			insert into apps (id, slug, name, name_key, status) values ($1, 'app-' || $2::int, 'Same Name', 'same name', case when $2 % 5 = 0 then 'pending' else 'published' end)`,
			pg.NewID(), i); err != nil {
			t.Fatal(err)
		}
	}
	const public = 18 // all but 0, 5, 10, 15, 20
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 25).Draw(rt, "limit")
		seen := map[string]bool{}
		for offset := 0; offset < public+limit; offset += limit {
			list, err := w.List(t.Context(), Filter{Query: "SAME n", Page: core.Page{Limit: limit, Offset: offset}})
			if err != nil || list.Total != public {
				rt.Fatalf("total %d, %v", list.Total, err)
			}
			for _, a := range list.Items {
				if seen[a.Slug] || a.Status != Published {
					rt.Fatalf("%s comes again, or is %s", a.Slug, a.Status)
				}
				seen[a.Slug] = true
			}
		}
		if len(seen) != public {
			rt.Fatalf("%d apps", len(seen))
		}
	})
	if list, err := w.List(t.Context(), Filter{Query: "100%"}); err != nil || list.Total != 0 {
		t.Errorf("a search for a sign finds %d, %v", list.Total, err)
	}
	_, err := w.List(t.Context(), Filter{Query: strings.Repeat("x", core.MaxQuery+1)})
	wantError(t, "a long search", err, core.Invalid, "validation_failed")
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	w.app(t, ben, "other")
	w.upload(t, ada, "map", "a.json", odd)
	approved := w.submit(t, ada, "other", "b.json", `[1]`)
	w.submit(t, ada, "other", "b.json", `[2]`)
	w.submit(t, ben, "map", "c.json", `[3]`)
	if _, err := w.Approve(t.Context(), ben, approved.ID, ApproveInput{}); err != nil {
		t.Fatal(err)
	}
	leave := func(v core.Viewer, remove bool) {
		t.Helper()
		err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
			if err := w.LeaveTx(t.Context(), tx, v.ID, remove); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), `delete from accounts where id = $1`, v.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	leave(ada, true)
	if w.data(t, "map", "a.json") != "" || w.data(t, "other", "b.json") != "[1]" || w.count(t, `select count(*) from app_submissions`) != 0 {
		t.Error("what was to go, or to stay, did not")
	}
	list, err := w.Versions(t.Context(), core.Nobody(), "other", "b.json", core.Page{})
	if err != nil || list.Items[0].AuthorID != nil || list.Items[0].AuthorName != nil {
		t.Errorf("history %+v, %v", list.Items, err)
	}
	sent := w.submit(t, ben, "other", "d.json", `[4]`)
	leave(ben, false)
	mod := w.moderator(t, "mod")
	a, err := w.Get(t.Context(), core.Nobody(), "other")
	if err != nil || a.OwnerID != nil || !CanManage(mod, a.Summary) {
		t.Errorf("the app is %+v, %v", a, err)
	}
	if done, err := w.Approve(t.Context(), mod, sent.ID, ApproveInput{}); err != nil || done.Username != nil || w.data(t, "other", "d.json") != "[4]" {
		t.Errorf("what was sent is %+v, %v", done, err)
	}
}

func TestImportKeepsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	problems := ""
	load := func(strict bool, lines ...string) (ImportSummary, error) {
		problems = ""
		return w.Import(t.Context(), core.TheSystem(), rows(t, lines...), ImportOptions{Strict: strict,
			OwnerID: func(context.Context, string) (string, error) { return ada.ID, nil },
			Problem: func(line int, err error) { problems += fmt.Sprintf("%d: %v\n", line, err) }})
	}
	_, err := w.Import(t.Context(), w.moderator(t, "mod"), rows(t), ImportOptions{})
	wantError(t, "a moderator's import", err, core.Forbidden, "not_allowed")
	if s, err := load(true, `{"slug":"map","name":"Map","summary":"Old","owner":"ada","homepage_url":"https://map.example"}`); err != nil || s.Created != 1 {
		t.Fatalf("%+v, %v: %s", s, err, problems)
	}
	if err := w.Hide(t.Context(), core.TheSystem(), "map"); err != nil {
		t.Fatal(err)
	}
	if s, err := load(true, `{"slug":"map","name":"The Map","status":"refused","reason":"No"}`); err != nil || s.Updated != 1 {
		t.Fatalf("%+v, %v: %s", s, err, problems)
	}
	a, err := w.Get(t.Context(), ada, "map")
	if err != nil || a.Name != "The Map" || a.Summary.Summary != "Old" || a.HiddenAt == nil || a.Status != Refused || a.Reason != "No" || *a.OwnerName != "ada" {
		t.Errorf("stored %+v, %v", a, err)
	}
	s, err := load(true, `{"slug":"one","name":"One"}`, `{"slug":"two","name":2}`, `nonsense`)
	wantError(t, "a strict import", err, core.Invalid, "validation_failed")
	if s.Created != 0 || s.Refused != 2 || w.count(t, `select count(*) from apps`) != 1 || !strings.Contains(problems, "2: name: must be text, not number") {
		t.Errorf("%+v: %s", s, problems)
	}
	var out bytes.Buffer
	if _, err := w.ExportApps(t.Context(), core.TheSystem(), &out); err != nil {
		t.Fatal(err)
	}
	var row map[string]any
	if err := json.Unmarshal(out.Bytes(), &row); err != nil || row["hidden"] != true || row["owner"] != "ada" || row["status"] != "refused" {
		t.Errorf("exported %s, %v", out.String(), err)
	}
}
