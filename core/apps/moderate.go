package apps

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// PendingApps lists the apps that wait for staff, oldest first; CanModerate tells
// which the viewer may decide. For staff.
func (s *Service) PendingApps(ctx context.Context, v core.Viewer, page core.Page) (core.List[App], error) {
	list := core.List[App]{Page: QueueRule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = pendingApps(ctx, q, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list pending apps: %w", err)
	}
	return list, nil
}

// Publish makes a pending or refused app public. For staff but its owner. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with already_decided.
func (s *Service) Publish(ctx context.Context, v core.Viewer, slug string) (App, error) {
	return s.decideApp(ctx, v, slug, Published, "")
}

// Refuse declines a pending or published app; the owner reads the reason, which
// is required. Errors: as of Publish, and Invalid.
func (s *Service) Refuse(ctx context.Context, v core.Viewer, slug, reason string) (App, error) {
	var p core.Problems
	p.Text("reason", &reason, 1, MaxReason)
	if err := p.Err(); err != nil && v.IsStaff() {
		return App{}, err
	}
	return s.decideApp(ctx, v, slug, Refused, reason)
}

func (s *Service) decideApp(ctx context.Context, v core.Viewer, slug string, to Status, reason string) (a App, err error) {
	err = s.moderate(ctx, v, slug, func(tx *pg.Tx, found App) (string, error) {
		ruling, err := s.setStatus(ctx, tx, v, found, to, reason)
		if err == nil {
			a, err = appBySlug(ctx, tx, slug)
		}
		return ruling, err
	}, reason)
	return a, err
}

func (s *Service) setStatus(ctx context.Context, tx *pg.Tx, v core.Viewer, a App, to Status, reason string) (ruling string, err error) {
	done, err := decideApp(ctx, tx, a.ID, to, reason, v.ID, s.now())
	if err == nil && !done {
		err = errStatus(to)
	}
	return "app_" + string(to), err
}

func errStatus(s Status) *core.Error {
	return core.Conflictf("already_decided", "This app is %s already.", s)
}

func errOwn() *core.Error {
	return core.Forbiddenf("Nobody decides about their own app. Another moderator will.")
}

// Hide takes the app out of every public read; hidden already, nothing happens.
// For staff but its owner. Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) Hide(ctx context.Context, v core.Viewer, slug string) error {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, a App) (string, error) {
		now := s.now()
		done, err := setHidden(ctx, tx, a.ID, &now)
		return when(done, "app_hidden"), err
	}, "")
}

// Unhide puts it back. Errors: as of Hide.
func (s *Service) Unhide(ctx context.Context, v core.Viewer, slug string) error {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, a App) (string, error) { return s.show(ctx, tx, a) }, "")
}

func (s *Service) show(ctx context.Context, tx *pg.Tx, a App) (ruling string, err error) {
	done, err := setHidden(ctx, tx, a.ID, nil)
	return when(done, "app_shown"), err
}

// when is the ruling where something was done, "" where it was so already.
func when(done bool, ruling string) string {
	if !done {
		return ""
	}
	return ruling
}

// moderate lets do carry out a decision and writes down the ruling that it
// names, if any.
func (s *Service) moderate(ctx context.Context, v core.Viewer, slug string, do func(*pg.Tx, App) (ruling string, err error), reason string) error {
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
		ruling, err := do(tx, a)
		if err != nil || ruling == "" || s.needs.Audit == nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: ruling, About: core.Target{Type: DeskType, ID: a.ID}, Title: a.Name, Reason: reason})
	})
	return explained("moderate app", err, errNoApp(slug))
}
