package fakereports

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/rowfile"
)

func rows(t *testing.T, lines ...string) *rowfile.Reader {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// owners knows one account; what is wrong with a line fails the test.
func owners(t *testing.T, known core.Viewer) rowfile.Options {
	return rowfile.Options{
		OwnerID: func(_ context.Context, username string) (string, error) {
			if username == known.Username {
				return known.ID, nil
			}
			return "", core.NotFoundf("There is no account called %q.", username)
		},
		Problem: func(line int, err error) { t.Errorf("line %d: %v", line, err) },
	}
}

func (w world) bring(t *testing.T, o rowfile.Options, lines ...string) rowfile.Summary {
	t.Helper()
	sum, err := w.Import(t.Context(), core.TheSystem(), rows(t, lines...), o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func (w world) take(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := w.Export(t.Context(), core.TheSystem(), &out); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

func TestImport_isForTheSystem(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, v := range []core.Viewer{core.Nobody(), w.member(t, "ada"), w.moderator(t, "mod")} {
		_, err := w.Import(t.Context(), v, rows(t), rowfile.Options{})
		wantError(t, "import", err, core.Forbidden, "not_allowed")
		_, err = w.Export(t.Context(), v, &bytes.Buffer{})
		wantError(t, "export", err, core.Forbidden, "not_allowed")
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	w := setup(t)
	sum := w.bring(t, owners(t, w.member(t, "ada")),
		`{"category":"scam","description":"Rental scam","platform":"a classifieds site","content_url":"HTTPS://x.example/1","handle":"@x",`+
			`"created_at":"2026-02-05T14:20:00Z","confirmed_at":"2026-02-06T09:10:00Z"}`,
		`{"category":"other","description":"Just now","status":"published"}`,
		`{"category":"other","description":"Waits","status":"pending","owner":"ada","surprise":1}`,
		`{"category":"other","description":"Refused","status":"refused","reason":"Satire"}`,
	)
	if sum.Created != 4 || !slices.Equal(sum.Ignored, []string{"surprise"}) {
		t.Errorf("%+v", sum)
	}
	list, err := w.List(t.Context(), Filter{})
	if err != nil || list.Total != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if r := list.Items[1]; r.Category != "scam" || r.ContentURL != "https://x.example/1" || r.ConfirmedAt.Format("2006-01-02 15:04") != "2026-02-06 09:10" {
		t.Errorf("%+v", r)
	}
	if r := list.Items[0]; r.Description != "Just now" || !r.ConfirmedAt.Equal(r.CreatedAt) {
		t.Errorf("%+v", r)
	}
	if got := w.waiting(t); !strings.HasPrefix(got, "Waits by ") || strings.Contains(got, ",") || strings.Contains(got, "nobody") {
		t.Errorf("waiting: %s", got)
	}
	if len(w.till.paid) != 0 {
		t.Errorf("paid %v", w.till.paid)
	}
}

func TestImport_namesBadLines(t *testing.T) {
	t.Parallel()
	w := setup(t)
	fields := map[int]string{}
	o := owners(t, w.member(t, "ada"))
	o.Problem = func(line int, err error) {
		var names []string
		for name := range core.AsError(err).Fields {
			names = append(names, name)
		}
		slices.Sort(names)
		fields[line] = strings.Join(names, " ")
	}
	sum := w.bring(t, o,
		`{"description":"Of no kind"}`,
		`{"category":"odd","description":"x","status":"odd"}`,
		`{"category":"scam","description":"An address that is none","content_url":"javascript:x"}`,
		`{"category":"scam","description":"A long name","handle":"`+strings.Repeat("h", MaxHandle+1)+`"}`,
		`{"category":"scam","description":"Of nobody's","owner":"nobody"}`,
		`{"category":"scam","description":"An id that is none","id":"x"}`,
		`{"category":"scam","description":"Waits, yet confirmed","status":"pending","confirmed_at":"2026-10-06"}`,
		`{"category":"scam","description":"Confirmed before it was sent","created_at":"2026-10-07","confirmed_at":"2026-10-06"}`,
		`{"category":7,"description":"A number"}`,
		`nonsense`,
		`{"category":"scam","description":"Fine"}`,
	)
	want := map[int]string{1: "category", 2: "category description status", 3: "content_url", 4: "handle", 5: "", 6: "id", 7: "confirmed_at", 8: "confirmed_at",
		9: "category", 10: ""}
	if diff := cmp.Diff(want, fields); sum.Created != 1 || sum.Refused != 10 || diff != "" {
		t.Errorf("%+v\n%s", sum, diff)
	}
	o.Strict = true
	sum, err := w.Import(t.Context(), core.TheSystem(), rows(t, `{"category":"scam","description":"Fine too"}`, `{"category":"scam","description":"x"}`), o)
	if err == nil || sum.Created != 0 || w.found(t, Filter{}) != "Fine" {
		t.Errorf("strict: %+v, %v; %s", sum, err, w.found(t, Filter{}))
	}
}

// A row leaves what it does not say; what it decides otherwise, nobody takes
// back.
func TestImport_overWhatWasSent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	sent, err := w.Send(t.Context(), ada, Input{Category: "scam", Description: "As sent", SubmitterName: "Ada", SubmitterEmail: "ada@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	done := w.confirm(t, mod, sent.ID)
	before := w.take(t)
	if sum := w.bring(t, owners(t, ada), `{"id":"`+sent.ID+`","category":"other","description":"In other words"}`); sum.Updated != 1 {
		t.Errorf("%+v", sum)
	}
	if want := strings.NewReplacer(`"scam"`, `"other"`, "As sent", "In other words").Replace(before); w.take(t) != want {
		t.Errorf("got  %s\nwant %s", w.take(t), want)
	}
	if n, err := w.Mine(t.Context(), ada, core.Page{}); err != nil || n.Total != 1 || n.Items[0].SubmitterName != "Ada" || n.Items[0].SubmitterEmail != "ada@example.org" {
		t.Errorf("%+v, %v", n, err)
	}
	w.bring(t, owners(t, ada), `{"id":"`+sent.ID+`","category":"other","description":"In other words","status":"refused","reason":"Satire"}`)
	wantError(t, "undo", w.undo(t, mod, sent.ID, done), core.Conflict, "cannot_undo")
	c, err := w.caseOf(t, mod, sent.ID)
	if err != nil || c.State != "refused" || c.Reason != "Satire" || c.DecidedBy != "" || w.found(t, Filter{}) != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// What is exported goes in again as it was: over itself, and elsewhere.
func TestExport_isReadBack(t *testing.T) {
	t.Parallel()
	w, other := setup(t), setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	w.confirm(t, mod, w.send(t, ada, "Confirmed & <sure>").ID)
	w.send(t, core.Nobody(), "Waits")
	w.send(t, core.Nobody(), "buy now")
	if _, err := w.decide(t, mod, w.send(t, ada, "Refused").ID, core.ActionReject, "Satire"); err != nil {
		t.Fatal(err)
	}
	first := w.take(t)
	for _, c := range []struct {
		world
		owner            core.Viewer
		created, updated int
	}{{w, ada, 0, 4}, {other, other.member(t, "ada"), 4, 0}} {
		o := owners(t, c.owner)
		o.Strict = true
		if sum := c.bring(t, o, strings.Split(first, "\n")...); sum.Created != c.created || sum.Updated != c.updated {
			t.Errorf("%+v", sum)
		}
		if diff := cmp.Diff(first, c.take(t)); diff != "" {
			t.Errorf("the way out and in changes it:\n%s", diff)
		}
	}
}
