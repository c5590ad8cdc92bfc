package web_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/pg"
	"homeplace/core/points"
	"homeplace/core/settings"
)

func (w world) give(t testing.TB, username string, delta int) {
	t.Helper()
	if _, err := w.Points.Correct(t.Context(), core.TheSystem(), username, delta, "Helped at the fair"); err != nil {
		t.Fatal(err)
	}
}

// rows are the cells of a page's table, each row in one line.
func rows(page *html.Node) (lines []string) {
	for _, body := range elements(page, "tbody") {
		for _, row := range elements(body, "tr") {
			line := strings.Join(strings.Fields(text(row)), " ")
			if current, _ := attribute(row, "aria-current"); current == "true" {
				line += " (own)"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func wantRows(t *testing.T, what string, page *html.Node, want ...string) {
	t.Helper()
	if got := strings.Join(rows(page), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s shows\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
}

func TestLeaderboardPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if page := text(w.page(t, "/leaderboard", 200)); !strings.Contains(page, "Nobody has earned points yet") || !strings.Contains(page, "A new listing that is approved 10 points") {
		t.Errorf("of nobody: %s", page)
	}
	ada, ben := w.account(t, "ada"), w.account(t, "ben")
	cy := w.account(t, "cy")
	w.give(t, "ada", 1200)
	w.give(t, "ben", 30)
	name, picture := "Ada L.", "https://example.org/a.png"
	if _, err := w.Accounts.UpdateProfile(t.Context(), ada.Viewer(), accounts.ProfilePatch{DisplayName: &name, AvatarURL: &picture}); err != nil {
		t.Fatal(err)
	}
	first := w.do(http.MethodGet, "/leaderboard")
	if cache := first.Header().Get("Cache-Control"); !strings.HasPrefix(cache, "public") {
		t.Errorf("nobody's page: Cache-Control %q", cache)
	}
	page := w.page(t, "/leaderboard", 200)
	wantRows(t, "nobody's page", page, "1 Ada L. 1,200", "2 ben 30")
	if body := first.Body.String(); !strings.Contains(body, `src="https://example.org/a.png"`) || !strings.Contains(body, `href="/u/ada"`) || strings.Contains(body, "You are number") {
		t.Errorf("nobody's page is %s", body)
	}
	for _, n := range elements(page, "img") {
		if src, _ := attribute(n, "src"); strings.HasPrefix(src, "/covers/") {
			if a := w.do(http.MethodGet, src); a.Code != http.StatusOK {
				t.Errorf("the picture %s gives %d", src, a.Code)
			}
		}
	}
	own := w.as(t, ben).page("/leaderboard", 200)
	wantRows(t, "his own page", own, "1 Ada L. 1,200", "2 ben You 30 (own)")
	if !strings.Contains(text(own), "You are number 2 on the leaderboard, with 30 points.") {
		t.Errorf("his own page says %s", text(own))
	}
	if page := text(w.as(t, cy).page("/leaderboard", 200)); !strings.Contains(page, "You are not on the leaderboard yet") {
		t.Errorf("who has none reads %s", page)
	}
	if again := w.do(http.MethodGet, "/leaderboard"); strings.Contains(again.Body.String(), "(own)") || strings.Contains(again.Body.String(), "Signed in as") {
		t.Error("nobody's page follows who asked before")
	}
}

func TestLeaderboardPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if a := w.do(http.MethodGet, "/leaderboard?page=2"); a.Code != http.StatusNotFound {
		t.Errorf("a second page of nobody gives %d", a.Code)
	}
	for i := range 52 {
		name := "m" + strconv.Itoa(100+i)
		id := pg.NewID()
		for _, sql := range []string{`insert into accounts (id, email) values ($1, $2 || '@example.org')`, `insert into profiles (account_id, username) values ($1, $2)`} {
			if _, err := w.db.Exec(t, core.TheSystem(), sql, id, name); err != nil {
				t.Fatal(err)
			}
		}
		w.give(t, name, 7)
	}
	page := w.page(t, "/leaderboard", 200)
	if lines := rows(page); len(lines) != 50 || lines[49] != "1 m149 7" || !strings.Contains(text(page), "1–50 of 52 neighbours") {
		t.Errorf("%d rows, %s", len(lines), text(page))
	}
	second := w.page(t, "/leaderboard?page=2", 200)
	wantRows(t, "the second page", second, "1 m150 7", "1 m151 7")
	for _, target := range []string{"/leaderboard?page=3", "/leaderboard?page=0", "/leaderboard?page=x"} {
		if a := w.do(http.MethodGet, target); a.Code != http.StatusNotFound && a.Code != http.StatusBadRequest {
			t.Errorf("%s gives %d", target, a.Code)
		}
	}
}

// The switch in the account takes a member off the leaderboard and their
// points off the profile at once.
func TestOptOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.account(t, "ben")
	w.give(t, "ada", 40)
	w.give(t, "ben", 30)
	b := w.as(t, ada)
	wantRows(t, "before", w.page(t, "/leaderboard", 200), "1 ada 40", "2 ben 30")
	if page := text(w.page(t, "/u/ada", 200)); !strings.Contains(page, "Number 1 on the leaderboard , with 40 points") {
		t.Errorf("her profile says %s", page)
	}
	led(t, "opting out", b.post("/account", "display_name", "", "bio", "", "avatar_url", "", "leaderboard_opt_out", "true"), "/account")
	wantRows(t, "after", w.page(t, "/leaderboard", 200), "1 ben 30")
	for _, page := range []*html.Node{w.page(t, "/u/ada", 200), b.page("/u/ada", 200)} {
		if strings.Contains(text(page), "40 points") {
			t.Errorf("her profile says %s", text(page))
		}
	}
	if page := text(b.page("/leaderboard", 200)); !strings.Contains(page, "You asked to be left out") {
		t.Errorf("she reads %s", page)
	}
	if page := text(b.page("/account/points", 200)); !strings.Contains(page, "40 points to spend") || !strings.Contains(page, "You asked to be left out") {
		t.Errorf("her points say %s", page)
	}
	led(t, "coming back", b.post("/account", "display_name", "", "bio", "", "avatar_url", ""), "/account")
	wantRows(t, "back again", w.page(t, "/leaderboard", 200), "1 ada 40", "2 ben 30")
}

func TestPointsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bea := w.account(t, "ada"), w.account(t, "bea")
	mod := w.moderator(t, "mod")
	led(t, "nobody", w.browser(t).get("/account/points"), "/sign-in?next=%2Faccount%2Fpoints")
	b := w.as(t, ada)
	if page := text(b.page("/account/points", 200)); !strings.Contains(page, "0 points to spend") || !strings.Contains(page, "No points yet") {
		t.Errorf("without points: %s", page)
	}
	c, err := w.Contributions.Offer(t.Context(), ada.Viewer(), directory.Input{Kind: directory.KindBusiness, Name: "Ada's Oven", City: "Atlanta"})
	if err != nil {
		t.Fatal(err)
	}
	w.decided(t, mod, "contribution:"+c.ID, core.ActionApprove, "")
	w.give(t, "ada", 90)
	take := func(amount int) (hold string) {
		t.Helper()
		if err := w.db.Write(t.Context(), ada.Viewer(), func(tx *pg.Tx) (err error) {
			hold, err = w.Points.HoldTx(t.Context(), tx, points.Spending{AccountID: ada.ID, Amount: amount, Reason: "yard_submission", Detail: "Rain <b>barrel</b>"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return hold
	}
	settle := func(step func(tx *pg.Tx) error) {
		t.Helper()
		if err := w.db.Write(t.Context(), mod.Viewer(), step); err != nil {
			t.Fatal(err)
		}
	}
	posted, voided := take(20), take(5)
	settle(func(tx *pg.Tx) error { return w.Points.PostTx(t.Context(), tx, posted) })
	settle(func(tx *pg.Tx) error { return w.Points.VoidTx(t.Context(), tx, voided) })
	take(50)
	page := b.page("/account/points", 200)
	wantRows(t, "her log", page,
		"Yard submission Rain <b>barrel</b> Set aside until a decision −50 30 just now",
		"Yard submission, given back Rain <b>barrel</b> +5 80 just now",
		"Yard submission Rain <b>barrel</b> Was set aside, and given back −5 75 just now",
		"Yard submission Rain <b>barrel</b> Was set aside, and is spent −20 80 just now",
		"Corrected by hand Helped at the fair +90 100 just now",
		"Listing approved Ada's Oven +10 10 just now")
	for _, want := range []string{"30 points to spend", "50 points set aside until a decision", "100 points earned in total", "You are number 1 on the leaderboard",
		"A new listing that is approved 10 points", "6 changes"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("%q is not in %s", want, text(page))
		}
	}
	if cache := b.get("/account/points").Header().Get("Cache-Control"); !strings.Contains(cache, "no-store") {
		t.Errorf("Cache-Control %q", cache)
	}
	if page := w.as(t, bea).page("/account/points", 200); len(rows(page)) != 0 || !strings.Contains(text(page), "0 points to spend") {
		t.Errorf("another member sees %s", text(page))
	}
	if a := b.get("/account/points?page=2"); a.Code != http.StatusNotFound {
		t.Errorf("a second page gives %d", a.Code)
	}
	for range 45 {
		w.give(t, "ada", 1)
	}
	if page := b.page("/account/points?page=2", 200); len(rows(page)) != 1 || !strings.Contains(rows(page)[0], "Listing approved") || !strings.Contains(text(page), "51 of 51 changes") {
		t.Errorf("the second page is %s", text(page))
	}
}

func TestAwardsAreShownAsTheyAreSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range []string{"award_listing", "award_vote"} {
		if err := w.Settings.Set(t.Context(), core.TheSystem(), key, map[string]string{"award_listing": "1234", "award_vote": "0"}[key]); err != nil {
			t.Fatal(err)
		}
	}
	page := text(w.page(t, "/leaderboard", 200))
	if !strings.Contains(page, "A new listing that is approved 1,234 points") || strings.Contains(page, "A vote in a poll") || w.Settings.Number(settings.AwardVote) != 0 {
		t.Errorf("the page says %s", page)
	}
}

func TestPointsPagesAreSoundHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	b := w.as(t, ada)
	pages := map[string]*html.Node{"an empty leaderboard": w.page(t, "/leaderboard", 200), "no points": b.page("/account/points", 200)}
	w.give(t, "ada", 5)
	for _, path := range []string{"/leaderboard", "/account/points", "/u/ada"} {
		pages["her "+path] = b.page(path, 200)
	}
	pages["the leaderboard"] = w.page(t, "/leaderboard", 200)
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			checkOutline(t, page)
			checkReferences(t, page)
			checkNothingInline(t, page)
		})
	}
}
