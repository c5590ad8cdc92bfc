package api

import (
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/core/points"
	"homeplace/web/httpx"
)

// leaderItem is a row of the leaderboard (CONTRACT.md §3).
type leaderItem struct {
	Rank        int     `json:"rank"`
	Username    string  `json:"username"`
	DisplayName *string `json:"display_name"`
	AvatarURL   *string `json:"avatar_url"`
	Points      int     `json:"points"`
	ProfileURL  string  `json:"profile_url"`
}

type leaderList struct {
	envelope
	Leaders []leaderItem `json:"leaders"`
}

func (h *handlers) leaderboard(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	page := q.Page(points.LeaderboardRule)
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Points.Leaderboard(r.Context(), page)
	if err != nil {
		return nil, err
	}
	items := make([]leaderItem, len(found.Items))
	for i, l := range found.Items {
		items[i] = leaderItem{Rank: l.Rank, Username: l.Username, DisplayName: l.DisplayName, AvatarURL: l.AvatarURL, Points: l.Points,
			ProfileURL: h.Addresses.Page("u", l.Username)}
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(leaderList{e, items}, e)
}

// pointsEvent is one change of a balance (CONTRACT.md §2), with its kind and
// what became of a hold.
type pointsEvent struct {
	ID           string            `json:"id"`
	Kind         points.Kind       `json:"kind"`
	Delta        int               `json:"delta"`
	BalanceAfter int               `json:"balance_after"`
	Reason       string            `json:"reason"`
	Detail       string            `json:"detail"`
	RefType      *string           `json:"ref_type"`
	RefID        *string           `json:"ref_id"`
	Hold         *points.HoldState `json:"hold"`
	CreatedAt    time.Time         `json:"created_at"`
}

type pointsList struct {
	envelope
	Balance int           `json:"balance"`
	Events  []pointsEvent `json:"events"`
}

func (h *handlers) pointsLog(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	page := q.Page(points.EventRule)
	if err := q.Err(); err != nil {
		return nil, err
	}
	log, err := h.Points.Events(r.Context(), v, page)
	if err != nil {
		return nil, err
	}
	events := make([]pointsEvent, len(log.Items))
	for i, e := range log.Items {
		events[i] = pointsEvent{ID: e.ID, Kind: e.Kind, Delta: e.Delta, BalanceAfter: e.BalanceAfter, Reason: e.Reason, Detail: e.Detail,
			RefType: e.RefType, RefID: e.RefID, Hold: e.Hold, CreatedAt: e.CreatedAt.UTC()}
	}
	e := h.envelope(r, q, log.Page, log.Total)
	return list(pointsList{e, log.Balance.Balance, events}, e)
}
