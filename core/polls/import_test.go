package polls

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/rowfile"
)

func pollRows(t testing.TB, lines ...string) *rowfile.Reader {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestImportAndExport(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	owners := func(_ context.Context, name string) (string, error) { return ada.ID, nil }
	lines := []string{
		`{"question":"Grits with sugar or salt?","options":["Sugar","Salt"],"owner":"ada","opens_at":"2026-01-01","closes_at":"2026-02-01"}`,
		`{"slug":"porch","question":"Who has a porch swing?","options":[{"id":"x","label":"I do","votes":7},{"label":"Not yet"}],"status":"draft"}`,
		`{"question":"What is for dinner?","options":["Red beans","Gumbo"],"daily_for":"2027-03-01"}`,
	}
	sum, err := w.Import(t.Context(), core.TheSystem(), pollRows(t, lines...), rowfile.Options{Strict: true, OwnerID: owners})
	if err != nil || sum.Created != 3 {
		t.Fatalf("%+v, %v", sum, err)
	}
	p, err := w.Get(t.Context(), core.Nobody(), "grits-with-sugar-or-salt")
	if err != nil || *p.AuthorID != ada.ID || p.State != Closed || !p.OpensAt.Equal(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) || p.Options[1].Label != "Salt" {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = w.Get(t.Context(), core.Nobody(), "porch")
	wantError(t, "a draft", err, core.NotFound, "not_found")
	var first, second bytes.Buffer
	if _, err := w.Export(t.Context(), core.TheSystem(), &first); err != nil {
		t.Fatal(err)
	}
	sum, err = w.Import(t.Context(), core.TheSystem(), pollRows(t, strings.Split(strings.TrimSpace(first.String()), "\n")...), rowfile.Options{Strict: true, OwnerID: owners})
	if err != nil || sum.Created != 0 || sum.Updated != 3 || len(sum.Ignored) != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := w.Export(t.Context(), core.TheSystem(), &second); err != nil || first.String() != second.String() {
		t.Errorf("it comes back otherwise, %v:\n%s\n%s", err, first.String(), second.String())
	}
}

func TestImportKeepsWhatPeopleVotedFor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	load := func(line string) string {
		var problem string
		if _, err := w.Import(t.Context(), core.TheSystem(), pollRows(t, line), rowfile.Options{Problem: func(_ int, err error) { problem = err.Error() }}); err != nil {
			t.Fatal(err)
		}
		return problem
	}
	for line, want := range map[string]string{
		`{"question":"One?","options":["Only"]}`:                                                   "options",
		`{"options":["A","B"]}`:                                                                    "question",
		`{"question":"One?","options":["A","B"],"status":"open"}`:                                  "status",
		`{"question":"One?","options":["A","B"],"slug":"daily-2026-01-01"}`:                        "slug",
		`{"question":"One?","options":["A","B"],"opens_at":"2026-02-01","closes_at":"2026-01-01"}`: "closes_at",
		`{"question":"One?","options":["A","B"],"status":"refused"}`:                               "reason",
		`{"question":"One?","options":7}`:                                                          "options",
		`{"question":"One?","options":["A","B"],"owner":"ada"}`:                                    "owner",
		`{"question":"One?","options":["A","B"],"daily_for":"2026-05-05","owner":"ada"}`:           "daily_for",
	} {
		if got := load(line); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not name %s", line, got, want)
		}
	}
	if got := load(`{"slug":"tea","question":"Tea?","options":["Yes","No"]}`); got != "" {
		t.Fatal(got)
	}
	p, err := w.Get(t.Context(), core.Nobody(), "tea")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Vote(t.Context(), core.Nobody(), "tea", VoteInput{OptionID: p.Options[0].ID, Voter: browser("a")}); err != nil {
		t.Fatal(err)
	}
	if got := load(`{"slug":"tea","question":"Tea?","options":["Yes","Never"]}`); !strings.Contains(got, "people have voted") {
		t.Errorf("the answers changed: %q", got)
	}
	if got := load(`{"slug":"tea","question":"Sweet tea?","options":["Yes","No"]}`); got != "" {
		t.Error(got)
	}
	if again, err := w.Get(t.Context(), core.Nobody(), "tea"); err != nil || again.Question != "Sweet tea?" || again.Votes() != 1 || !again.ClosesAt.Equal(*p.ClosesAt) {
		t.Errorf("%+v, %v", again, err)
	}
	_, err = w.Import(t.Context(), w.member(t, "ada"), pollRows(t, `{}`), rowfile.Options{})
	wantError(t, "a member's import", err, core.Forbidden, "not_allowed")
}
