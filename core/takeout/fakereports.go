package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/fakereports"
)

type fakeReportFile struct {
	ID             string     `json:"id"`
	Category       string     `json:"category"`
	Description    string     `json:"description"`
	Platform       string     `json:"platform"`
	Handle         string     `json:"handle"`
	ContentURL     string     `json:"content_url"`
	SubmitterName  string     `json:"submitter_name"`
	SubmitterEmail string     `json:"submitter_email"`
	Status         string     `json:"status"`
	Reason         string     `json:"reason"`
	DecidedAt      *time.Time `json:"decided_at"`
	CreatedAt      time.Time  `json:"created_at"`
}

// FakeReports are the reports of fake content that the owner sent.
func FakeReports(s *fakereports.Service) Section {
	return document("Reports of fake content", "The fakes elsewhere that you reported, with what became of each report.", "fake-reports.json",
		func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(fakereports.MineRule,
				func(page core.Page) (core.List[fakereports.Sent], error) { return s.Mine(ctx, v, page) },
				func(one fakereports.Sent) fakeReportFile {
					return fakeReportFile{ID: one.ID, Category: string(one.Category), Description: one.Description, Platform: one.Platform, Handle: one.Handle,
						ContentURL: one.ContentURL, SubmitterName: one.SubmitterName, SubmitterEmail: one.SubmitterEmail,
						Status: string(one.Status), Reason: one.Reason, DecidedAt: one.DecidedAt, CreatedAt: one.CreatedAt}
				})
		})
}
