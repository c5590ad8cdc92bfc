package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/desk"
)

type appealFile struct {
	ID         string     `json:"id"`
	TargetType string     `json:"target_type"`
	TargetID   string     `json:"target_id"`
	Title      string     `json:"title"`
	Body       string     `json:"body"`
	Status     string     `json:"status"`
	Reason     string     `json:"reason"`
	DecidedAt  *time.Time `json:"decided_at"`
	CreatedAt  time.Time  `json:"created_at"`
}

// Appeals are what the owner asked to be looked at again.
func Appeals(s *desk.Service) Section {
	return document("Appeals", "What you asked moderators to look at again, and what became of it.",
		"appeals.json", func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(desk.AppealRule, func(page core.Page) (core.List[desk.Appeal], error) { return s.Appeals(ctx, v, page) },
				func(a desk.Appeal) appealFile {
					return appealFile{ID: a.ID, TargetType: a.TargetType, TargetID: a.TargetID, Title: a.Title, Body: a.Body,
						Status: string(a.Status), Reason: a.Reason, DecidedAt: a.DecidedAt, CreatedAt: a.CreatedAt}
				})
		})
}
