package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/points"
)

type leaders struct {
	Total, Limit, Offset int
	Next                 *string
	Leaders              []struct {
		Rank, Points int
		Username     string
		DisplayName  *string `json:"display_name"`
		AvatarURL    *string `json:"avatar_url"`
		ProfileURL   string  `json:"profile_url"`
	}
}

func (l leaders) String() string {
	var rows []string
	for _, row := range l.Leaders {
		rows = append(rows, fmt.Sprintf("%d %s %d", row.Rank, row.Username, row.Points))
	}
	return strings.Join(rows, ", ")
}

type pointsLog struct {
	Total, Limit, Offset, Balance int
	Next                          *string
	Events                        []struct {
		ID, Kind, Reason, Detail string
		Delta                    int
		BalanceAfter             int     `json:"balance_after"`
		RefType                  *string `json:"ref_type"`
		RefID                    *string `json:"ref_id"`
		Hold                     *string
	}
}

func (in instance) give(t *testing.T, username string, delta int) {
	t.Helper()
	if _, err := in.points.Correct(t.Context(), core.TheSystem(), username, delta, "by hand"); err != nil {
		t.Fatal(err)
	}
}

func (w world) award(t *testing.T, v core.Viewer, reason core.AwardReason, ref string) {
	t.Helper()
	if err := w.database.Write(t.Context(), v, func(tx *pg.Tx) error {
		_, err := w.points.AwardTx(t.Context(), tx, core.Award{AccountID: v.ID, Reason: reason, Detail: "About " + ref, RefType: "thing", RefID: ref})
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestLeaderboard(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if l := read[leaders](t, w.get(t, "/api/leaderboard"), http.StatusOK); l.Total != 0 || l.Leaders == nil || l.Limit != 50 || l.Next != nil {
		t.Errorf("of nobody: %+v", l)
	}
	for i, name := range []string{"ada", "ben", "cy", "dee", "eve"} {
		w.account(t, name, accounts.RoleMember, nil)
		if n := []int{30, 20, 20, 5, 0}[i]; n > 0 {
			w.give(t, name, n)
		}
	}
	a := w.get(t, "/api/leaderboard")
	l := read[leaders](t, a, http.StatusOK)
	if l.String() != "1 ada 30, 2 ben 20, 2 cy 20, 4 dee 5" || l.Total != 4 || l.Leaders[0].ProfileURL != base+"/u/ada" || l.Leaders[0].DisplayName != nil {
		t.Errorf("%+v", l)
	}
	if cached := a.header.Get("Cache-Control"); cached != "public, max-age=60" || a.header.Get("ETag") == "" {
		t.Errorf("Cache-Control is %q", cached)
	}
	if again := w.get(t, "/api/leaderboard", http.Header{"If-None-Match": {a.header.Get("ETag")}}); again.status != http.StatusNotModified {
		t.Errorf("the same again gives %d", again.status)
	}
	var walked []string
	next := "/api/leaderboard?limit=2&offset=0"
	for next != "" {
		a := w.get(t, next)
		l := read[leaders](t, a, http.StatusOK)
		walked = append(walked, l.String())
		if next = ""; l.Next != nil {
			if next = *l.Next; a.header.Get("Link") != "<"+next+`>; rel="next"` {
				t.Errorf("Link is %q beside %q", a.header.Get("Link"), next)
			}
		}
	}
	if diff := cmp.Diff([]string{"1 ada 30, 2 ben 20", "2 cy 20, 4 dee 5"}, walked); diff != "" {
		t.Error(diff)
	}
	if l := read[leaders](t, w.get(t, "/api/leaderboard?limit=1000"), http.StatusOK); l.Limit != 100 {
		t.Errorf("a limit of 1000 becomes %d", l.Limit)
	}
	if l := read[leaders](t, w.get(t, "/api/leaderboard?offset=9"), http.StatusOK); l.Total != 4 || l.Leaders == nil || len(l.Leaders) != 0 {
		t.Errorf("past the end: %+v", l)
	}
	for _, query := range []string{"limit=0", "limit=x", "offset=-1"} {
		field, _, _ := strings.Cut(query, "=")
		refused(t, w.get(t, "/api/leaderboard?"+query), http.StatusBadRequest, "validation_failed", field)
	}
}

// Points and opt-outs of one instance show on every other.
func TestLeaderboardFollowsTheOtherInstance(t *testing.T) {
	t.Parallel()
	w := setup(t)
	listen(t, w.database.DB)
	second := newInstance(t, w.database.Instance(t))
	ada, _, _ := w.account(t, "ada", accounts.RoleMember, nil)
	w.account(t, "ben", accounts.RoleMember, nil)
	shows := func(want string) func() bool {
		return func() bool { return read[leaders](t, w.get(t, "/api/leaderboard"), http.StatusOK).String() == want }
	}
	if !shows("")() {
		t.Fatal("it is not empty")
	}
	second.give(t, "ada", 5)
	second.give(t, "ben", 3)
	eventually(t, "the points", shows("1 ada 5, 2 ben 3"))
	yes, no, name := true, false, "Ada L."
	if _, err := second.accounts.UpdateProfile(t.Context(), ada, accounts.ProfilePatch{LeaderboardOptOut: &yes}); err != nil {
		t.Fatal(err)
	}
	if l := read[leaders](t, second.get(t, "/api/leaderboard"), http.StatusOK); l.String() != "1 ben 3" || l.Total != 1 {
		t.Errorf("the instance of the opt-out itself shows %s", l)
	}
	eventually(t, "the opt-out", shows("1 ben 3"))
	if _, err := second.accounts.UpdateProfile(t.Context(), ada, accounts.ProfilePatch{LeaderboardOptOut: &no, DisplayName: &name}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the return", shows("1 ada 5, 2 ben 3"))
	if l := read[leaders](t, w.get(t, "/api/leaderboard"), http.StatusOK); *l.Leaders[0].DisplayName != "Ada L." {
		t.Errorf("she is called %v", l.Leaders[0].DisplayName)
	}
}

func TestPointsLog(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	_, bens, _ := w.account(t, "ben", accounts.RoleModerator, nil)
	refused(t, w.get(t, "/api/me/points"), http.StatusUnauthorized, "unauthenticated", "")
	refused(t, w.get(t, "/api/me/points", bearer("tok_nonsense")), http.StatusUnauthorized, "unauthenticated", "")
	if l := read[pointsLog](t, w.get(t, "/api/me/points", bearer(token)), http.StatusOK); l.Total != 0 || l.Events == nil || l.Limit != 50 {
		t.Errorf("before anything: %+v", l)
	}
	w.award(t, ada, core.AwardFile, "a")
	w.award(t, ada, core.AwardSaying, "b")
	var hold string
	if err := w.database.Write(t.Context(), ada, func(tx *pg.Tx) (err error) {
		hold, err = w.points.HoldTx(t.Context(), tx, points.Spending{AccountID: ada.ID, Amount: 12, Reason: "yard_submission", Detail: "Rain barrel"})
		return err
	}); err != nil {
		t.Fatal(err)
	}

	a := w.get(t, "/api/me/points?limit=2", bearer(token))
	l := read[pointsLog](t, a, http.StatusOK)
	if l.Total != 3 || l.Balance != 3 || len(l.Events) != 2 || l.Next == nil || *l.Next != base+"/api/me/points?limit=2&offset=2" {
		t.Fatalf("%+v", l)
	}
	if e := l.Events[0]; e.Kind != "hold" || e.Delta != -12 || e.BalanceAfter != 3 || e.Reason != "yard_submission" || e.RefType != nil || *e.Hold != "open" {
		t.Errorf("the hold is %+v", e)
	}
	if e := l.Events[1]; e.Kind != "award" || e.Delta != 5 || e.BalanceAfter != 15 || e.Reason != "saying_approved" || e.Detail != "About b" || *e.RefID != "b" || e.Hold != nil || !core.ValidID(e.ID) {
		t.Errorf("the award is %+v", e)
	}
	if cached := a.header.Get("Cache-Control"); cached != "private, no-store" {
		t.Errorf("a log may be kept: %s", cached)
	}
	last := read[pointsLog](t, w.get(t, *l.Next, bearer(token)), http.StatusOK)
	if len(last.Events) != 1 || last.Next != nil || last.Events[0].Reason != "file_approved" || last.Balance != 3 {
		t.Errorf("the last page is %+v", last)
	}
	if l := read[pointsLog](t, w.get(t, "/api/me/points", bearer(bens)), http.StatusOK); l.Total != 0 || l.Balance != 0 {
		t.Errorf("another member reads %+v", l)
	}
	if err := w.database.Write(context.WithoutCancel(t.Context()), ada, func(tx *pg.Tx) error { return w.points.PostTx(t.Context(), tx, hold) }); err != nil {
		t.Fatal(err)
	}
	if l := read[pointsLog](t, w.get(t, "/api/me/points", bearer(token)), http.StatusOK); l.Total != 3 || *l.Events[0].Hold != "posted" {
		t.Errorf("after the decision: %+v", l)
	}
	got := read[me](t, w.get(t, "/api/me", bearer(token)), http.StatusOK)
	if got.Points != 3 || got.PointsLifetime != 15 {
		t.Errorf("/api/me says %d of %d", got.Points, got.PointsLifetime)
	}
	refused(t, w.get(t, "/api/me/points?limit=-1", bearer(token)), http.StatusBadRequest, "validation_failed", "limit")
}
