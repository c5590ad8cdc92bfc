package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/sayings"
)

type sayingFile struct {
	ID          string     `json:"id"`
	Text        string     `json:"text"`
	Meaning     string     `json:"meaning"`
	Attribution string     `json:"attribution"`
	Region      string     `json:"region"`
	Category    string     `json:"category"`
	Status      string     `json:"status"`
	Reason      string     `json:"reason"`
	DecidedAt   *time.Time `json:"decided_at"`
	CreatedAt   time.Time  `json:"created_at"`
}

// Sayings are those that the owner brought.
func Sayings(s *sayings.Service) Section {
	return document("Sayings", "The sayings that you brought, with what became of each.", "sayings.json",
		func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(sayings.MineRule,
				func(page core.Page) (core.List[sayings.Sent], error) { return s.Mine(ctx, v, page) },
				func(one sayings.Sent) sayingFile {
					return sayingFile{ID: one.ID, Text: one.Text, Meaning: one.Meaning, Attribution: one.Attribution, Region: one.Region,
						Category: one.Category, Status: string(one.Status), Reason: one.Reason, DecidedAt: one.DecidedAt, CreatedAt: one.CreatedAt}
				})
		})
}
