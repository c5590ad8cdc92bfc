package points

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// ranks is a page of the leaderboard, as "1 ada 30, 2 ben 20".
func (w world) ranks(t *testing.T, page core.Page) (rows string, total int) {
	t.Helper()
	list, err := w.Leaderboard(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, l := range list.Items {
		words = append(words, fmt.Sprintf("%d %s %d", l.Rank, l.Username, l.Points))
	}
	return strings.Join(words, ", "), list.Total
}

func TestLeaderboard(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if rows, total := w.ranks(t, core.Page{}); rows != "" || total != 0 {
		t.Errorf("of nobody: %s, %d", rows, total)
	}
	members := map[string]core.Viewer{}
	for i, name := range []string{"ada", "dee", "ben", "cy", "eve", "flo", "gus", "hal", "ida"} {
		members[name] = w.member(t, name)
		if points := []int{30, 20, 20, 20, 10, 10, 0, 40, 50}[i]; points > 0 {
			w.give(t, members[name], points)
		}
	}
	w.system(t, `update profiles set leaderboard_opt_out = true where username = 'hal'`)
	w.system(t, `update profiles set pending = true where username = 'ida'`)
	// What is spent was earned all the same.
	if err := w.spend(t, members["ada"], 29); err != nil {
		t.Fatal(err)
	}
	w.hold(t, members["ben"], 20)

	if rows, total := w.ranks(t, core.Page{}); rows != "1 ada 30, 2 dee 20, 2 ben 20, 2 cy 20, 5 eve 10, 5 flo 10" || total != 6 {
		t.Errorf("%d: %s", total, rows)
	}
	for _, c := range []struct {
		page core.Page
		want string
	}{
		{core.Page{Limit: 2}, "1 ada 30, 2 dee 20"},
		{core.Page{Limit: 2, Offset: 2}, "2 ben 20, 2 cy 20"},
		{core.Page{Limit: 2, Offset: 3}, "2 cy 20, 5 eve 10"},
		{core.Page{Limit: 2, Offset: 5}, "5 flo 10"},
		{core.Page{Limit: 2, Offset: 6}, ""},
	} {
		if rows, total := w.ranks(t, c.page); rows != c.want || total != 6 {
			t.Errorf("%+v: %d: %s, want %s", c.page, total, rows, c.want)
		}
	}
	list, err := w.Leaderboard(t.Context(), core.Page{Limit: 1000})
	if err != nil || list.Page.Limit != 100 {
		t.Errorf("a limit of 1000 becomes %d, %v", list.Page.Limit, err)
	}
	for name, want := range map[string]int{"ada": 1, "dee": 2, "flo": 5, "gus": 0, "hal": 0, "ida": 0} {
		l, found, err := w.Standing(t.Context(), members[name].ID)
		if err != nil || found != (want > 0) || l.Rank != want {
			t.Errorf("%s stands at %+v, %v, %v; want rank %d", name, l, found, err, want)
		}
	}
	w.wantSound(t)
}

// Opt-outs that come with the first points of their member never lose: on or
// off the leaderboard, the profile decides.
func TestOptOutRacesTheFirstPoints(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.db.Instance(t)
	var wg sync.WaitGroup
	for i := range 30 {
		v := w.member(t, fmt.Sprintf("m-%d", i))
		wg.Go(func() {
			if err := second.Write(t.Context(), v, func(tx *pg.Tx) error {
				_, err := tx.Exec(t.Context(), `update profiles set leaderboard_opt_out = true where account_id = $1`, v.ID)
				return err
			}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { w.give(t, v, 5) })
	}
	wg.Wait()
	if rows, total := w.ranks(t, core.Page{}); rows != "" || total != 0 {
		t.Errorf("%d are on it: %s", total, rows)
	}
	w.wantSound(t)
}

// Who opted out is not there for raw SQL either, but for themselves.
func TestStandingsOfThoseWhoOptedOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.account(t, "mod", core.Staff)
	w.give(t, ada, 30)
	w.give(t, ben, 20)
	sees := func(v core.Viewer) int {
		t.Helper()
		return pgtest.Value[int](t, w.db, v, `select coalesce(sum(points), 0) from points_standings`)
	}
	for _, state := range []string{`leaderboard_opt_out`, `pending`} {
		w.system(t, `update profiles set leaderboard_opt_out = false, pending = false`)
		for _, v := range []core.Viewer{core.Nobody(), ada, ben, mod} {
			if n := sees(v); n != 50 {
				t.Errorf("%s sees %d, want 50", v.DatabaseRole(), n)
			}
		}
		w.system(t, `update profiles set `+state+` = true where username = 'ada'`)
		for _, v := range []core.Viewer{core.Nobody(), ben, mod} {
			if n := sees(v); n != 20 {
				t.Errorf("with %s %s sees %d, want 20", state, v.DatabaseRole(), n)
			}
		}
		if n := sees(ada); n != 50 {
			t.Errorf("with %s she sees %d, want 50", state, n)
		}
		w.wantBalance(t, ada, Balance{Balance: 30, Lifetime: 30})
	}
}
