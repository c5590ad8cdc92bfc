package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/reports"
)

type reportFile struct {
	ID         string     `json:"id"`
	TargetType string     `json:"target_type"`
	TargetID   string     `json:"target_id"`
	Title      string     `json:"title"`
	Category   string     `json:"reason_category"`
	Detail     string     `json:"reason_detail"`
	Status     string     `json:"status"`
	Reason     string     `json:"decision_reason"`
	DecidedAt  *time.Time `json:"decided_at"`
	CreatedAt  time.Time  `json:"created_at"`
}

// Reports are what the owner reported, and what became of it.
func Reports(s *reports.Service) Section {
	return document("Reports", "What you reported to the moderators, and what became of it.",
		"reports.json", func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(reports.MineRule, func(page core.Page) (core.List[reports.Report], error) { return s.Mine(ctx, v, page) },
				func(r reports.Report) reportFile {
					return reportFile{ID: r.ID, TargetType: string(r.TargetType), TargetID: r.TargetID, Title: r.Title, Category: string(r.Category),
						Detail: r.Detail, Status: string(r.Status), Reason: r.Reason, DecidedAt: r.DecidedAt, CreatedAt: r.CreatedAt}
				})
		})
}
