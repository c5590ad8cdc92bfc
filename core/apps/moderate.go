package apps

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Hide takes the app out of every public read; hidden already, nothing happens.
// For staff but its owner. Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) Hide(ctx context.Context, v core.Viewer, slug string) error {
	now := s.now()
	return s.moderate(ctx, v, slug, &now, "app_hidden")
}

// Unhide puts it back. Errors: as of Hide.
func (s *Service) Unhide(ctx context.Context, v core.Viewer, slug string) error {
	return s.moderate(ctx, v, slug, nil, "app_shown")
}

// moderate hides the app, or shows it for nil, and writes the ruling down where
// that changed anything.
func (s *Service) moderate(ctx context.Context, v core.Viewer, slug string, hiddenAt *time.Time, ruling string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Area)
		a, err := seen(ctx, tx, slug)
		if err != nil {
			return err
		}
		if !CanModerate(v, a.Summary) {
			return errOwn()
		}
		done, err := setHidden(ctx, tx, a.ID, hiddenAt)
		if err != nil || !done || s.needs.Audit == nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: ruling, About: core.Target{Type: DeskType, ID: a.ID}, Title: a.Name})
	})
	return explained("moderate app", err, errNoApp(slug))
}

func errOwn() *core.Error {
	return core.Forbiddenf("Nobody decides about their own app. Another moderator will.")
}
