package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/pg"
	"homeplace/core/polls"
	"homeplace/core/recent"
	"homeplace/core/reports"
	"homeplace/core/sayings"
)

const toRecent = "/api/admin/recent-submissions"

type recentPage struct {
	Total, Limit, Offset int
	Next                 *string
	Items                []struct {
		Source, ID, Title, Status string
		SubmittedBy               *string   `json:"submitted_by"`
		CreatedAt                 time.Time `json:"created_at"`
		PageURL                   string    `json:"page_url"`
	}
	Sources, Skipped []string
}

// sent makes one thing of each area and returns their ids by source.
func (w world) sent(t *testing.T, p people) map[string]string {
	t.Helper()
	ids := map[string]string{}
	keep := func(source, id string, err error) {
		t.Helper()
		if ids[source] = id; err != nil {
			t.Fatalf("%s: %v", source, err)
		}
	}
	a := w.app(t, p, "porch-map", "Porch Map")
	ids["app"] = a.ID
	w.upload(t, p, "porch-map", "stops.json", `{"a":1}`)
	file, err := w.apps.Submit(t.Context(), p.other, "porch-map", apps.SubmitInput{Filename: "stops.json", Content: json.RawMessage(`{"a":2}`)})
	keep("app_file", file.ID, err)
	c, err := contributions.New(w.database.DB, core.Now, w.directory, w.points).
		Offer(t.Context(), p.other, directory.Input{Kind: directory.KindBusiness, Name: "Blue Heron", City: "Atlanta", Region: "GA"})
	keep("directory_entry", c.ID, err)
	s, err := w.sayings.Submit(t.Context(), p.other, sayings.Input{Words: sayings.Words{Text: "Rivers find\nthe sea."}})
	keep("saying", s.ID, err)
	poll := w.tea(t, p.other)
	keep("poll", poll.ID, nil)
	_, err = w.polls.Vote(t.Context(), core.Nobody(), poll.Slug, polls.VoteInput{OptionID: poll.Options[0].ID, Comment: "Sweet,\nplease", Voter: polls.Voter{Mark: "m", From: core.Origin{AddressKey: "192.0.2.7"}}})
	keep("poll_comment", "", err)
	_, err = w.reports.Send(t.Context(), p.other, reports.Input{Type: reports.TypeApp, TargetID: a.ID, Category: "spam"})
	keep("report", "", err)
	return ids
}

func TestRecentSubmissions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	if l := read[recentPage](t, w.get(t, toRecent, bearer(p.staffToken)), http.StatusOK); l.Total != 0 || l.Items == nil || l.Skipped == nil || l.Limit != 80 || l.Next != nil {
		t.Errorf("of nothing: %+v", l)
	}
	ids := w.sent(t, p)
	w.loadSayings(t, `{"text":"What the operator brings in bulk was sent in by nobody."}`)
	a := w.get(t, toRecent, bearer(p.staffToken))
	l := read[recentPage](t, a, http.StatusOK)
	if cached := a.header.Get("Cache-Control"); cached != "private, no-store" {
		t.Errorf("it may be kept: %s", cached)
	}
	if !slices.Equal(l.Sources, recent.Keys()) || len(l.Sources) != 12 || len(l.Skipped) != 0 || l.Total != 7 {
		t.Errorf("sources %v, skipped %v, total %d", l.Sources, l.Skipped, l.Total)
	}
	want := map[string][4]string{ // title, status, who, path
		"app":             {"Porch Map", "published", "odalys", "/moderation?case=app:" + ids["app"]},
		"app_file":        {"stops.json for Porch Map", "pending", "eve", "/apps/porch-map/manage/submissions/" + ids["app_file"]},
		"directory_entry": {"Blue Heron", "pending", "eve", "/moderation?case=contribution:" + ids["directory_entry"]},
		"saying":          {"Rivers find the sea.", "pending", "eve", "/moderation?case=saying:" + ids["saying"]},
		"poll":            {"Tea?", "published", "eve", "/moderation?case=poll:" + ids["poll"]},
		"poll_comment":    {"Sweet, please", "pending", "", "/moderation?case=poll_comment:"},
		"report":          {"Porch Map", "open", "eve", "/moderation?case=report:"},
	}
	for i, item := range l.Items {
		by := ""
		if item.SubmittedBy != nil {
			by = *item.SubmittedBy
		}
		w := want[item.Source]
		if item.Title != w[0] || item.Status != w[1] || by != w[2] || !strings.HasPrefix(item.PageURL, base+w[3]) || !core.ValidID(item.ID) {
			t.Errorf("%s is %+v by %q, want %v", item.Source, item, by, w)
		}
		if i > 0 && item.CreatedAt.After(l.Items[i-1].CreatedAt) {
			t.Errorf("%s is out of order", item.Source)
		}
		delete(want, item.Source)
	}
	if len(want) != 0 {
		t.Errorf("it lacks %v", want)
	}
	for _, key := range recent.Keys() {
		only := read[recentPage](t, w.get(t, toRecent+"?source="+key, bearer(p.staffToken)), http.StatusOK)
		for _, item := range only.Items {
			if item.Source != key {
				t.Errorf("of %s there is %+v", key, item)
			}
		}
	}
	first := read[recentPage](t, w.get(t, toRecent+"?limit=5", bearer(p.staffToken)), http.StatusOK)
	if len(first.Items) != 5 || first.Next == nil || *first.Next != base+toRecent+"?limit=5&offset=5" {
		t.Fatalf("the first page is %+v", first)
	}
	second := read[recentPage](t, w.get(t, *first.Next, bearer(p.staffToken)), http.StatusOK)
	if len(second.Items) != 2 || second.Next != nil || second.Items[0].ID != l.Items[5].ID {
		t.Errorf("the second page is %+v", second)
	}
	if l := read[recentPage](t, w.get(t, toRecent+"?limit=201", bearer(p.staffToken)), http.StatusOK); l.Limit != 200 {
		t.Errorf("a limit of 201 becomes %d", l.Limit)
	}
}

func TestRecentSubmissionsAreForStaff(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	admin, adminToken, _ := w.account(t, "root-of-all", accounts.RoleAdmin, nil)
	w.sent(t, p)
	for name, headers := range map[string]http.Header{"a moderator's cookie": w.cookie(t, p.staff), "an admin's cookie": w.cookie(t, admin), "an admin's token": bearer(adminToken)} {
		if l := read[recentPage](t, w.get(t, toRecent, headers), http.StatusOK); l.Total != 7 {
			t.Errorf("%s sees %d", name, l.Total)
		}
	}
	elsewhere := w.cookie(t, p.staff)
	elsewhere.Set("Sec-Fetch-Site", "cross-site")
	for name, headers := range map[string]http.Header{"nobody": {}, "a bad token": bearer("tok_nonsense"), "another site": elsewhere} {
		if a := w.get(t, toRecent, headers); a.status != http.StatusUnauthorized || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s gets %d", name, a.status)
		}
	}
	for _, query := range []string{"", "?source=nonsense", "?limit=0"} {
		refused(t, w.get(t, toRecent+query, bearer(p.otherToken)), http.StatusForbidden, "not_allowed", "")
		refused(t, w.get(t, toRecent+query, w.cookie(t, p.owner)), http.StatusForbidden, "not_allowed", "")
	}
	if f := refused(t, w.get(t, toRecent+"?source=sayings", bearer(p.staffToken)), http.StatusBadRequest, "validation_failed", "source"); !strings.Contains(f.Fields["source"], "poll_comment") {
		t.Errorf("the refusal does not name the values: %q", f.Fields["source"])
	}
	for _, query := range []string{"limit=0", "limit=x", "offset=-1"} {
		field, _, _ := strings.Cut(query, "=")
		refused(t, w.get(t, toRecent+"?"+query, bearer(p.staffToken)), http.StatusBadRequest, "validation_failed", field)
	}
	// Each area refuses by itself, and beneath it row-level security does.
	for name, list := range map[string]func(context.Context, core.Viewer, int) ([]core.Submission, error){"app": w.apps.Recent, "app_file": w.apps.RecentFiles,
		"saying": w.sayings.Recent, "poll": w.polls.Recent, "poll_comment": w.polls.RecentComments, "report": w.reports.Recent} {
		if _, err := list(t.Context(), p.owner, 9); core.KindOf(err) != core.Forbidden {
			t.Errorf("%s gives a member %v", name, err)
		}
		if _, err := list(t.Context(), core.Nobody(), 9); core.KindOf(err) != core.Unauthenticated {
			t.Errorf("%s gives nobody %v", name, err)
		}
	}
	bystander, _, _ := w.account(t, "cam", accounts.RoleMember, nil)
	for _, table := range []string{"directory_contributions", "reports", "app_submissions", "sayings", "poll_comments"} {
		var n int
		err := w.database.Read(t.Context(), bystander, func(q pg.Querier) error {
			return q.QueryRow(t.Context(), `select count(id) from `+table).Scan(&n)
		})
		if err != nil || n != 0 {
			t.Errorf("a member reads %d of %s with raw SQL, %v", n, table, err)
		}
	}
}

// One area that fails and one that hangs take nothing from the others.
func TestRecentSubmissionsWithoutAnArea(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	*w.recent = *recent.New(slog.New(slog.DiscardHandler),
		recent.Source{Key: "saying", Read: w.sayings.Recent},
		recent.Source{Key: "report", Read: func(ctx context.Context, _ core.Viewer, _ int) ([]core.Submission, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
		recent.Source{Key: "app", Read: func(context.Context, core.Viewer, int) ([]core.Submission, error) {
			return nil, errors.New("select from nowhere")
		}})
	if _, err := w.sayings.Submit(t.Context(), p.other, sayings.Input{Words: sayings.Words{Text: "Rivers find the sea."}}); err != nil {
		t.Fatal(err)
	}
	a := w.get(t, toRecent, bearer(p.staffToken))
	l := read[recentPage](t, a, http.StatusOK)
	if l.Total != 1 || !slices.Equal(l.Skipped, []string{"app", "report"}) || strings.Contains(string(a.body), "nowhere") {
		t.Errorf("it gives %s", a.body)
	}
}
