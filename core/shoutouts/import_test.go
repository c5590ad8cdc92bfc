package shoutouts

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

const importedID = "0197c3d4-52ab-7e11-8c40-91d6a2b7e0f5"

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
	heron := w.business(t, "blue-heron", "Blue Heron", "Atlanta")
	ada := w.member(t, "ada")
	sum := w.bring(t, owners(t, ada),
		`{"business_slug":"blue-heron","rating":5,"city":"Atlanta","body":"Rolls.","display_name":"Ms. Lorraine","created_at":"2026-10-06T12:45:00Z"}`,
		`{"business_name":"Night Cobbler","rating":"3.5","owner":"ada","status":"published","created_at":"2026-10-05T12:00:00Z"}`,
		`{"business_slug":"blue-heron","business_name":"The Heron","rating":4,"status":"pending","surprise":1}`,
		`{"business_name":"Refused","rating":4,"status":"refused","reason":"Known"}`,
		`{"business_name":"Hidden","rating":4,"hidden":true}`,
		`{"business_slug":"blue-heron","rating":5,"city":"Atlanta","body":"Rolls.","display_name":"Ms. Lorraine","created_at":"2026-10-04T12:45:00Z"}`,
	)
	if sum.Created != 6 || sum.Updated != 0 || !slices.Equal(sum.Ignored, []string{"surprise"}) {
		t.Errorf("%+v", sum)
	}
	list, err := w.List(t.Context(), Filter{})
	if err != nil || list.Total != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	if s := list.Items[0]; s.BusinessName != "Blue Heron" || s.BusinessSlug != "blue-heron" || s.DisplayName != "Ms. Lorraine" || s.Rating != 5 {
		t.Errorf("by name: %+v", s)
	}
	if s := list.Items[1]; s.BusinessName != "Night Cobbler" || s.BusinessSlug != "" || s.Username != "ada" || s.Rating != 3.5 {
		t.Errorf("by an account: %+v", s)
	}
	if got := w.feed(t, Filter{EntryID: heron}); got != "Blue Heron, Blue Heron" {
		t.Errorf("the business has %q", got)
	}
	if n := w.count(t, `select count(*) from desk_queue where target_type = 'shoutout' and title = 'The Heron'`); n != 1 {
		t.Errorf("%d wait", n)
	}
	if len(w.till.paid) != 0 {
		t.Errorf("paid %v", w.till.paid)
	}
}

func TestImport_namesBadLines(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.exec(t, `insert into directory_entries (id, slug, kind, name) values (gen_random_uuid(), 'old-mill', 'landmark', 'Old Mill')`)
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
	lines := []string{
		`{"rating":5}`,
		`{"business_name":"x"}`,
		`{"business_name":"x","rating":4.3}`,
		`{"business_name":"x","rating":6,"status":"odd"}`,
		`{"business_slug":"nobody","business_name":"x","rating":4}`,
		`{"business_slug":"old-mill","business_name":"x","rating":4}`,
		`{"business_slug":"Bad Slug","business_name":"x","rating":4}`,
		`{"business_name":"x","rating":4,"display_name":"` + strings.Repeat("n", MaxName+1) + `"}`,
		`{"business_name":"x","rating":4,"body":"` + strings.Repeat("b", MaxBody+1) + `"}`,
		`{"business_name":"x","rating":4,"owner":"nobody"}`,
		`{"business_name":"x","rating":4,"id":"x"}`,
		`{"business_name":"x","rating":4,"hidden":true,"status":"pending"}`,
		`{"business_name":"x","rating":4,"created_at":"yesterday"}`,
		`nonsense`,
		`{"business_name":"Fine","rating":4}`,
	}
	sum := w.bring(t, o, lines...)
	want := map[int]string{1: "business_name", 2: "rating", 3: "rating", 4: "rating status", 5: "business_slug", 6: "business_slug", 7: "business_slug",
		8: "display_name", 9: "body", 10: "", 11: "id", 12: "hidden", 13: "created_at", 14: ""}
	if diff := cmp.Diff(want, fields); sum.Created != 1 || sum.Refused != 14 || diff != "" {
		t.Errorf("%+v\n%s", sum, diff)
	}
	o.Strict = true
	sum, err := w.Import(t.Context(), core.TheSystem(), rows(t, `{"business_name":"Fine too","rating":4}`, `{"business_name":"Not","rating":9}`), o)
	if err == nil || sum.Created != 0 || w.feed(t, Filter{}) != "Fine" {
		t.Errorf("strict: %+v, %v; %s", sum, err, w.feed(t, Filter{}))
	}
}

func TestImport_leavesWhatARowDoesNotSay(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	o := owners(t, ada)
	heron := w.business(t, "blue-heron", "Blue Heron", "Atlanta")
	const id = `{"id":"` + importedID + `",`
	w.bring(t, o, id+`"business_slug":"blue-heron","rating":5,"owner":"ada","hidden":true,"reason":"Known","created_at":"2026-10-06T12:45:00Z"}`)
	if sum := w.bring(t, o, id+`"business_name":"The Heron","rating":4,"body":"New words."}`); sum.Updated != 1 {
		t.Errorf("%+v", sum)
	}
	got := w.take(t)
	if want := id + `"business_slug":"blue-heron","business_name":"The Heron","rating":4,"city":"","body":"New words.","display_name":null,"owner":"ada",` +
		`"status":"approved","hidden":true,"reason":"Known","created_at":"2026-10-06T12:45:00Z"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.bring(t, o, id+`"business_name":"The Heron","rating":4,"hidden":false,"display_name":"Ms. Lorraine"}`)
	list, err := w.List(t.Context(), Filter{EntryID: heron})
	if err != nil || list.Total != 1 || list.Items[0].DisplayName != "Ms. Lorraine" || list.Items[0].Username != "" {
		t.Errorf("%+v, %v", list, err)
	}
	if got := w.take(t); !strings.Contains(got, `"display_name":"Ms. Lorraine","owner":"ada"`) || !strings.Contains(got, `"reason":""`) {
		t.Errorf("got %s", got)
	}
}

// A moderator cannot take back what an import decided otherwise since.
func TestImport_decidesAnew(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod := w.moderator(t, "mod")
	id := w.post(t, core.Nobody(), Input{BusinessName: "Blue Heron"}).ID
	done := w.mustDecide(t, mod, id, core.ActionApprove, "")
	w.bring(t, owners(t, mod), `{"id":"`+id+`","business_name":"Blue Heron","rating":4,"status":"refused","reason":"Their own shop"}`)
	wantError(t, "undo", w.undo(t, mod, id, done.Memo), core.Conflict, "cannot_undo")
	if c := w.laidOut(t, mod, id); c.State != "refused" || c.Reason != "Their own shop" || c.DecidedBy != "" {
		t.Errorf("%+v", c)
	}
}

// What is exported goes in again as it was: over itself, and elsewhere.
func TestExport_isReadBack(t *testing.T) {
	t.Parallel()
	w, other := setup(t), setup(t)
	ada := w.member(t, "ada")
	w.business(t, "blue-heron", "Blue Heron", "Atlanta")
	w.post(t, core.Nobody(), Input{BusinessName: "Blue Heron", City: "Atlanta", Body: "Rolls & <bread>.", Mark: "browser"})
	w.post(t, core.Nobody(), Input{BusinessName: "Adopted", Mark: "hers"})
	if n, err := w.Adopt(t.Context(), ada, "hers"); n != 1 || err != nil {
		t.Fatalf("adopted %d, %v", n, err)
	}
	w.post(t, ada, Input{BusinessName: "Under her name"})
	w.post(t, ada, Input{BusinessName: "Under another", SubmitterName: "A. L."})
	w.post(t, core.Nobody(), Input{BusinessName: "buy now"})
	o := owners(t, ada)
	w.bring(t, o, `{"business_name":"Hidden","rating":2.5,"hidden":true,"reason":"Known"}`, `{"business_name":"Refused","rating":1,"status":"refused","reason":"Known"}`)
	first := w.take(t)
	o.Strict = true
	if sum := w.bring(t, o, strings.Split(first, "\n")...); sum.Updated != 7 || sum.Created != 0 {
		t.Errorf("%+v", sum)
	}
	if diff := cmp.Diff(first, w.take(t)); diff != "" {
		t.Errorf("over itself:\n%s", diff)
	}
	if n := w.count(t, `select count(*) from shoutout_senders where browser_hash is not null`); n != 1 {
		t.Errorf("%d marks are left, want 1", n)
	}
	other.business(t, "blue-heron", "Blue Heron", "Atlanta")
	otherOwners := owners(t, other.member(t, "ada"))
	otherOwners.Strict = true
	if sum := other.bring(t, otherOwners, strings.Split(first, "\n")...); sum.Created != 7 {
		t.Errorf("%+v", sum)
	}
	if diff := cmp.Diff(first, other.take(t)); diff != "" {
		t.Errorf("elsewhere:\n%s", diff)
	}
}
