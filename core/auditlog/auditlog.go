// Package auditlog keeps every decision of moderators: who, when, what and why.
// Nothing of it is ever changed. Staff read it; everybody may know how many
// decisions of each kind there were in a month.
package auditlog

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "auditlog"

// Rule is the paging of the log.
var Rule = core.PageRule{Default: 50, Max: 100}

// Record is one decision.
type Record struct {
	ID        string
	AccountID string // empty: the program
	Username  string // empty, too, where the account has gone
	Kind      string // such as "listing_approved"
	AboutType string
	AboutID   string
	Title     string // of the thing at the time, of an account its username now; may be empty
	Reason    string // may be empty
	CreatedAt time.Time
}

// Filter narrows List.
type Filter struct {
	Kind string // "" = all
	Page core.Page
}

// Count is how many decisions of a kind there were in a month of UTC.
type Count struct {
	Month     time.Time // its first day
	Kind      string
	Decisions int
}

// Service answers for the log.
type Service struct {
	db  *pg.DB
	now core.Clock
}

// New makes the service.
func New(db *pg.DB, now core.Clock) *Service {
	return &Service{db: db, now: now}
}

// RecordTx writes a decision of the viewer down, in its transaction. The viewer
// is staff, or the system for what the program decides.
func (s *Service) RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error {
	if err := insert(ctx, tx, v.ID, r, s.now()); err != nil {
		return fmt.Errorf("record decision: %w", err)
	}
	tx.Touch(Area)
	return nil
}

var kindForm = regexp.MustCompile(`^[a-z][a-z_]{0,59}$`)

// List reads the log, latest first. For staff. Errors: Unauthenticated,
// Forbidden, Invalid.
func (s *Service) List(ctx context.Context, v core.Viewer, f Filter) (core.List[Record], error) {
	list := core.List[Record]{Page: Rule.Clamp(f.Page)}
	switch {
	case !v.IsStaff() && !v.SignedIn():
		return list, core.Unauthenticatedf("Sign in as a moderator to read the log.")
	case !v.IsStaff():
		return list, core.Forbiddenf("Only moderators read the log with names. Everybody can see the counts.")
	case f.Kind != "" && !kindForm.MatchString(f.Kind):
		return list, core.InvalidField("kind", "is not a kind of decision")
	}
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list.Items, list.Total, err = records(ctx, tx, f.Kind, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("read the audit log: %w", err)
	}
	return list, nil
}

// Months is how far back Counts goes.
const Months = 12

// Counts tells how many decisions there were in this month and those before it,
// Months in all: latest month first, then the kinds by their names. For
// everybody.
func (s *Service) Counts(ctx context.Context) ([]Count, error) {
	list, err := counts(ctx, s.db.Public(), s.now())
	if err != nil {
		return nil, fmt.Errorf("count decisions: %w", pg.Err(err))
	}
	return list, nil
}

// Kinds lists the kinds of which there is any decision, by name.
func (s *Service) Kinds(ctx context.Context) ([]string, error) {
	list, err := kinds(ctx, s.db.Public())
	if err != nil {
		return nil, fmt.Errorf("list kinds of decisions: %w", pg.Err(err))
	}
	return list, nil
}
