package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/shoutouts"
)

type shoutOutFile struct {
	ID           string     `json:"id"`
	BusinessName string     `json:"business_name"`
	BusinessSlug string     `json:"business_slug"`
	City         string     `json:"city"`
	Rating       float64    `json:"rating"`
	Body         string     `json:"body"`
	DisplayName  string     `json:"display_name"`
	Status       string     `json:"status"`
	Reason       string     `json:"reason"`
	DecidedAt    *time.Time `json:"decided_at"`
	CreatedAt    time.Time  `json:"created_at"`
}

// ShoutOuts are those that the owner gave.
func ShoutOuts(s *shoutouts.Service) Section {
	return document("Shout-outs", "The shout-outs that you gave, with what became of each.", "shout-outs.json",
		func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(shoutouts.MineRule,
				func(page core.Page) (core.List[shoutouts.Sent], error) { return s.Mine(ctx, v, page) },
				func(one shoutouts.Sent) shoutOutFile {
					return shoutOutFile{ID: one.ID, BusinessName: one.BusinessName, BusinessSlug: one.BusinessSlug, City: one.City, Rating: one.Rating,
						Body: one.Body, DisplayName: one.DisplayName, Status: string(one.Status), Reason: one.Reason, DecidedAt: one.DecidedAt,
						CreatedAt: one.CreatedAt}
				})
		})
}
