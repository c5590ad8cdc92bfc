package web

import (
	"net/http"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/points"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// pointsRoutes are the leaderboard and a member's own points.
func (h *handlers) pointsRoutes() []route {
	const get = http.MethodGet
	return []route{
		{method: get, pattern: views.LeaderboardPage, page: h.leaderboard, areas: []string{points.Area, accounts.Area, settings.Area},
			params: []string{"page"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: views.PointsPage, guard: member, page: h.pointsPage},
	}
}

func (h *handlers) leaderboard(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, points.LeaderboardRule.Default)
	if err != nil {
		return nil, err
	}
	list, err := h.Points.Leaderboard(r.Context(), page)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("The leaderboard has fewer pages.")
	}
	p := views.LeaderboardProps{Pager: pagerOf(views.LeaderboardPage, number, list.Total, list.Page), Awards: h.awards(),
		Shown: rangeOf(list.Page, len(list.Items), list.Total, "neighbour")}
	for _, l := range list.Items {
		p.Leaders = append(p.Leaders, leaderRow(l, v))
	}
	if v.SignedIn() {
		standing, err := h.standing(r, v)
		if err != nil {
			return nil, err
		}
		p.Own = &ui.NoticeProps{Text: standing}
	}
	frame := layout.FrameProps{Title: "Leaderboard", Description: "The neighbours who have done most for this community."}
	if number > 1 {
		frame.Title += ", page " + strconv.Itoa(number)
		frame.Canonical = h.Addresses.Base() + p.Pager.Href(number)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Leaderboard(p))
}

func leaderRow(l points.Leader, v core.Viewer) views.LeaderProps {
	row := views.LeaderProps{Rank: thousands(l.Rank), Name: l.Username, Username: l.Username, Points: thousands(l.Points),
		Picture: orEmpty(l.AvatarURL), Seed: clothOf(l.Username), Own: l.AccountID == v.ID}
	if name := orEmpty(l.DisplayName); name != "" {
		row.Name = name
	}
	return row
}

// standing says where the viewer stands, and why not where they do not.
func (h *handlers) standing(r *http.Request, v core.Viewer) (string, error) {
	leader, found, err := h.Points.Standing(r.Context(), v.ID)
	if err != nil {
		return "", err
	}
	if found {
		return "You are number " + thousands(leader.Rank) + " on the leaderboard, with " + pointsOf(leader.Points) + ".", nil
	}
	a, err := h.Accounts.Me(r.Context(), v)
	switch {
	case err != nil:
		return "", err
	case a.LeaderboardOptOut:
		return "You asked to be left out of the leaderboard. You can change that in your account.", nil
	}
	return "You are not on the leaderboard yet: the first points put you there.", nil
}

// awards are the ways to earn points as the settings have them now.
func (h *handlers) awards() (list []views.AwardProps) {
	for _, w := range awardWords {
		if n := h.Points.Award(w.reason); n > 0 {
			list = append(list, views.AwardProps{What: w.what, Points: pointsOf(n)})
		}
	}
	return list
}

// awardWords say what pays points, and what a log calls it once it has.
var awardWords = []struct {
	reason     core.AwardReason
	what, done string
}{
	{core.AwardListing, "A new listing that is approved", "Listing approved"},
	{core.AwardFile, "A data file that is approved", "Data file approved"},
	{core.AwardSaying, "A saying that is approved", "Saying approved"},
	{core.AwardPoll, "A poll that is approved", "Poll approved"},
	{core.AwardFakeReport, "A report of a fake that is confirmed", "Report of a fake confirmed"},
	{core.AwardShoutOut, "A shout-out that is approved", "Shout-out approved"},
	{core.AwardVote, "A vote in a poll", "Voted in a poll"},
	{core.AwardGame, "Playing one of the day’s games", "Played a game"},
	{core.AwardGameWon, "Winning it, on top", "Won a game"},
}

func (h *handlers) pointsPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, points.EventRule.Default)
	if err != nil {
		return nil, err
	}
	log, err := h.Points.Events(r.Context(), v, page)
	if err != nil {
		return nil, err
	}
	if len(log.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("Your points log has fewer pages.")
	}
	standing, err := h.standing(r, v)
	if err != nil {
		return nil, err
	}
	p := views.PointsProps{Frame: h.accountFrame(r, v, "Your points"), Balance: pointsOf(log.Balance.Balance), Lifetime: pointsOf(log.Balance.Lifetime),
		Standing: standing, Shown: rangeOf(log.Page, len(log.Items), log.Total, "change"), Awards: h.awards(),
		Pager: pagerOf(views.PointsPage, number, log.Total, log.Page)}
	if log.Balance.Held > 0 {
		p.Held = pointsOf(log.Balance.Held)
	}
	for _, e := range log.Items {
		p.Events = append(p.Events, h.pointsEvent(e))
	}
	return show(r, http.StatusOK, views.Points(p))
}

func (h *handlers) pointsEvent(e points.Event) views.PointsEventProps {
	row := views.PointsEventProps{What: eventWords(e), About: e.Detail, After: thousands(e.BalanceAfter), When: h.moment(e.CreatedAt)}
	if row.Change = "+" + thousands(e.Delta); e.Delta < 0 {
		row.Change = "−" + thousands(-e.Delta)
	}
	if e.Kind == points.KindHold && e.Hold != nil {
		row.State = map[points.HoldState]string{points.HoldOpen: "Set aside until a decision",
			points.HoldPosted: "Was set aside, and is spent", points.HoldVoided: "Was set aside, and given back"}[*e.Hold]
	}
	return row
}

// eventWords say what happened. The areas that take points name the reason with
// a word such as "yard_submission", which reads well enough as it is.
func eventWords(e points.Event) string {
	for _, w := range awardWords {
		if string(w.reason) == e.Reason {
			if e.Kind == points.KindReversal {
				return w.done + ", taken back"
			}
			return w.done
		}
	}
	if e.Kind == points.KindCorrection {
		return "Corrected by hand"
	}
	words := strings.ReplaceAll(e.Reason, "_", " ")
	words = strings.ToUpper(words[:1]) + words[1:]
	if e.Kind == points.KindVoid {
		words += ", given back"
	}
	return words
}

// pointsOf is a number of points in words: "1 point", "1,200 points".
func pointsOf(n int) string {
	if n == 1 {
		return "1 point"
	}
	return thousands(n) + " points"
}
