package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
)

// people are an owner, a moderator and another member, with their tokens.
type people struct {
	owner, staff, other                core.Viewer
	ownerToken, staffToken, otherToken string
}

func (w world) people(t testing.TB) people {
	t.Helper()
	var p people
	p.owner, p.ownerToken, _ = w.account(t, "odalys", accounts.RoleMember, nil)
	p.staff, p.staffToken, _ = w.account(t, "mo", accounts.RoleModerator, nil)
	p.other, p.otherToken, _ = w.account(t, "eve", accounts.RoleMember, nil)
	return p
}

// app makes a published app of the owner.
func (in instance) app(t testing.TB, p people, slug, name string) apps.App {
	t.Helper()
	return in.published(t, p, apps.Input{Slug: slug, Name: name})
}

func (in instance) published(t testing.TB, p people, input apps.Input) apps.App {
	t.Helper()
	a, err := in.apps.Create(t.Context(), p.owner, input)
	if err != nil {
		t.Fatalf("create %s: %v", input.Slug, err)
	}
	in.decided(t, p.staff, core.Target{Type: "app", ID: a.ID}, core.ActionApprove, "")
	if a, err = in.apps.Get(t.Context(), core.Nobody(), a.Slug); err != nil {
		t.Fatalf("get %s: %v", input.Slug, err)
	}
	return a
}

func (in instance) upload(t testing.TB, p people, slug, filename, content string) {
	t.Helper()
	if _, err := in.apps.Upload(t.Context(), p.owner, slug, apps.UploadInput{Filename: filename, Content: []byte(content)}); err != nil {
		t.Fatalf("upload %s: %v", filename, err)
	}
}

type appPage struct {
	Total, Limit, Offset int
	Next                 *string
	Apps                 []struct{ ID, Slug, Name string }
	Files                []struct{ Filename string }
}

// names joins what was found, in order.
func (p appPage) names() string {
	var list []string
	for _, a := range p.Apps {
		list = append(list, a.Slug)
	}
	for _, f := range p.Files {
		list = append(list, f.Filename)
	}
	return strings.Join(list, " ")
}

func TestOnlyPublicAppsAreListed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	for slug, name := range map[string]string{"stops": "Bus Stops", "atlas": "Átlas of Porches", "zoo": "zoo stops", "hidden": "Hidden", "off": "Off"} {
		w.app(t, p, slug, name)
	}
	if _, err := w.apps.Create(t.Context(), p.owner, apps.Input{Slug: "waiting", Name: "Waiting"}); err != nil {
		t.Fatal(err)
	}
	empty, err := w.apps.Create(t.Context(), p.owner, apps.Input{Slug: "refused", Name: "Refused"})
	if err != nil {
		t.Fatal(err)
	}
	w.decided(t, p.staff, core.Target{Type: "app", ID: empty.ID}, core.ActionReject, "It is empty.")
	for what, err := range map[string]error{
		"hide": w.apps.Hide(t.Context(), p.staff, "hidden"),
		"off":  second(w.apps.SetAPI(t.Context(), p.owner, "off", false)),
	} {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for query, want := range map[string]string{
		"": "atlas stops zoo", "?q=": "atlas stops zoo", "?q=STOPS": "stops zoo", "?q=stops&limit=1": "stops", "?q=%25": "", "?q=_": "",
		"?q=hidden": "", "?limit=1000": "atlas stops zoo", "?offset=2": "zoo", "?offset=9": "", "?surprise=1": "atlas stops zoo",
		"?q=nothing+like+it": "",
	} {
		got := read[appPage](t, w.get(t, "/api/apps"+query), http.StatusOK)
		if got.names() != want {
			t.Errorf("%s lists %q, want %q", query, got.names(), want)
		}
	}
	all := read[appPage](t, w.get(t, "/api/apps?limit=1000"), http.StatusOK)
	if all.Total != 3 || all.Limit != 100 || all.Next != nil {
		t.Errorf("the envelope is %+v", all)
	}
	if got := read[appPage](t, w.get(t, "/api/apps"), http.StatusOK); got.Limit != 50 {
		t.Errorf("the limit is %d by itself, want 50", got.Limit)
	}
	for _, bad := range []string{"limit=0", "limit=-1", "limit=x", "offset=-1", "offset=1.5", "q=%FF", "q=%00", "q=" + strings.Repeat("a", 501)} {
		field, _, _ := strings.Cut(bad, "=")
		refused(t, w.get(t, "/api/apps?"+bad), http.StatusBadRequest, "validation_failed", field)
	}
	for _, header := range []http.Header{bearer(p.ownerToken), bearer(p.staffToken), bearer("tok_nonsense")} {
		if got := read[appPage](t, w.get(t, "/api/apps", header), http.StatusOK); got.Total != 3 {
			t.Errorf("with a token %d apps are listed", got.Total)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestPagesOfAppsRepeatNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	for n := range 7 { // of one name, so that only the last sort key tells them apart
		w.app(t, p, fmt.Sprintf("app-%d", n), "Same Name")
		w.upload(t, p, "app-0", fmt.Sprintf("file-%d.json", n), `{"same":"size"}`)
	}
	for _, start := range []string{"/api/apps?q=same&limit=2&surprise=1", "/api/apps/app-0/files?limit=3&sort=size&dir=desc", "/api/apps/app-0/files?limit=2&sort=updated"} {
		seen, pages := map[string]bool{}, 0
		for next := &start; next != nil; pages++ {
			a := w.get(t, *next)
			got := read[appPage](t, a, http.StatusOK)
			if link := a.header.Get("Link"); (got.Next == nil) != (link == "") || got.Next != nil && link != "<"+*got.Next+`>; rel="next"` {
				t.Errorf("%s: the header says %q, the body %v", *next, link, got.Next)
			}
			for _, name := range strings.Fields(got.names()) {
				if seen[name] {
					t.Errorf("%s comes twice from %s", name, start)
				}
				seen[name] = true
			}
			if got.Total != 7 || pages > 7 {
				t.Fatalf("%s: total %d, page %d", *next, got.Total, pages)
			}
			if next = got.Next; next != nil && (!strings.HasPrefix(*next, base) || strings.Contains(*next, "surprise")) {
				t.Errorf("the next page is %s", *next)
			}
		}
		if len(seen) != 7 {
			t.Errorf("%s leads to %d rows, want 7", start, len(seen))
		}
	}
}

func TestAppShowsEveryField(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	made := w.published(t, p, apps.Input{Slug: "transit", Name: "Porch & Transit", Summary: "Stops <with> shade", Description: "Checked **on foot**.",
		HomepageURL: "https://transit.test/?a=1&b=2", RepoURL: "https://code.test/transit"})
	title := "Odalys Prather"
	if _, err := w.accounts.UpdateProfile(t.Context(), p.owner, accounts.ProfilePatch{DisplayName: &title}); err != nil {
		t.Fatal(err)
	}
	shown := read[map[string]any](t, w.get(t, "/api/apps/transit"), http.StatusOK)
	listed := read[struct{ Apps []map[string]any }](t, w.get(t, "/api/apps"), http.StatusOK).Apps[0]
	for _, object := range []map[string]any{shown, listed} {
		for _, field := range []string{"created_at", "updated_at"} {
			if at, ok := object[field].(string); field == "updated_at" && !ok || ok && !strings.HasSuffix(at, "Z") {
				t.Errorf("%s is %v, want a time in UTC", field, object[field])
			}
			delete(object, field)
		}
	}
	want := map[string]any{
		"id": made.ID, "slug": "transit", "name": "Porch & Transit", "summary": "Stops <with> shade",
		"homepage_url": "https://transit.test/?a=1&b=2", "repo_url": "https://code.test/transit",
		"url": base + "/api/apps/transit", "page_url": base + "/apps/transit",
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("the list differs (- wanted, + shown):\n%s", diff)
	}
	want["description"], want["files_url"] = "Checked **on foot**.", base+"/api/apps/transit/files"
	want["owner"] = map[string]any{"username": "odalys", "display_name": title, "profile_url": base + "/u/odalys"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the app differs (- wanted, + shown):\n%s", diff)
	}
}

func TestAppWithoutAnything(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "bare", "Bare")
	shown := read[map[string]any](t, w.get(t, "/api/apps/bare"), http.StatusOK)
	owner, _ := shown["owner"].(map[string]any)
	if shown["homepage_url"] != nil || shown["repo_url"] != nil || shown["summary"] != "" || shown["description"] != "" || owner["display_name"] != nil {
		t.Errorf("shown is %v", shown)
	}
	if _, err := w.database.Owner(t).Exec(t.Context(), `update apps set owner_id = null`); err != nil {
		t.Fatal(err)
	}
	in := newInstance(t, w.database.Instance(t))
	left := read[map[string]any](t, in.get(t, "/api/apps/bare"), http.StatusOK)
	if owner, present := left["owner"]; owner != nil || !present {
		t.Errorf("the owner who left is %v", owner)
	}
}

func TestOwnerIsShownUnderTheNewName(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "bare", "Bare")
	type detail struct {
		Owner struct {
			DisplayName *string `json:"display_name"`
		}
	}
	if d := read[detail](t, w.get(t, "/api/apps/bare"), http.StatusOK); d.Owner.DisplayName != nil {
		t.Fatalf("the owner has the name %s", *d.Owner.DisplayName)
	}
	name := "Odalys"
	if _, err := w.accounts.UpdateProfile(t.Context(), p.owner, accounts.ProfilePatch{DisplayName: &name}); err != nil {
		t.Fatal(err)
	}
	if d := read[detail](t, w.get(t, "/api/apps/bare"), http.StatusOK); d.Owner.DisplayName == nil || *d.Owner.DisplayName != name {
		t.Errorf("the old answer is kept")
	}
}

func TestOddNamesAreNotFound(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	w.upload(t, p, "stops", "a-b.json", `{}`)
	for _, warm := range []string{"/api/apps/stops", "/api/apps/stops/files", "/api/apps/stops/data/a-b.json"} {
		read[any](t, w.get(t, warm), http.StatusOK)
	}
	odd := []string{"%00", "%FF", "%FF.json", "a%00.json", "stops%00", "..", "..%2fstops", "stops%2ffiles", "stops%2f", "%2e%2e", "a%20b.json", "Stops", "stops-", "s",
		"%D8%3B", "ٿ.json", "a-b.json%20", "A-B.json", "a-b.json%0A", "'%20or%20true--", strings.Repeat("a", 5000), strings.Repeat("a", 116) + ".json", "{slug}", "*", "%25"}
	for _, name := range odd {
		for _, target := range []string{"/api/apps/" + name, "/api/apps/" + name + "/files", "/api/apps/stops/data/" + name, "/api/apps/" + name + "/data/a-b.json"} {
			refused(t, w.get(t, target), http.StatusNotFound, "not_found", "")
		}
		submission := w.submit(t, "/api/apps/"+name+"/submit", p.otherToken, `{"filename":"a.json","content":{}}`)
		if hidesSlash := strings.Contains(name, "%2f"); !hidesSlash { // no such address at all
			refused(t, submission, http.StatusNotFound, "not_found", "")
			if !strings.HasPrefix(string(submission.body), `{"ok":false,`) {
				t.Errorf("%s: %s", name, submission.body)
			}
		}
	}
	for _, same := range []string{"/api/apps/%73tops", "/api/apps/stop%73/files", "/api/apps/stops/data/a%2Db%2Ejson"} {
		if a := w.get(t, same); a.status != http.StatusOK {
			t.Errorf("%s, another spelling, gives %d", same, a.status)
		}
	}
}

func TestNextKeepsTheFilters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	for _, name := range []string{"1.json", "2.json", "3.json"} {
		w.upload(t, p, "stops", name, `{}`)
	}
	got := read[appPage](t, w.get(t, "/api/apps/stops/files?dir=desc&letter=%23&sort=name&q=.json&limit=1"), http.StatusOK)
	want := base + "/api/apps/stops/files?" + url.Values{"dir": {"desc"}, "letter": {"#"}, "limit": {"1"}, "offset": {"1"}, "q": {".json"}, "sort": {"name"}}.Encode()
	if got.Next == nil || *got.Next != want || got.names() != "3.json" {
		t.Errorf("next is %v after %s, want %s", got.Next, got.names(), want)
	}
}
