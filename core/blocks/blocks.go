// Package blocks keeps addresses from which nothing may be sent for a time,
// because abuse from there is certain. Reading is never blocked, and neither is
// an address behind which many people may stand.
package blocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// Rule is the paging of the list.
var Rule = core.PageRule{Default: 24, Max: 100}

const maxReason = 500 // in Unicode characters

// nobodys is the key of a caller without an address; see httpx.AddrKey.
const nobodys = "unknown"

// Block is one time for which an address was blocked.
type Block struct {
	ID         string
	AddressKey string
	Reason     string
	AboutType  *string // the thing that was abuse; nil, as AboutID is, for none
	AboutID    *string
	BlockedBy  string // username; empty: the program, or a former member
	BlockedAt  time.Time
	Until      time.Time
	Times      int // how often within a year, this time included
	LiftedAt   *time.Time
	LiftedBy   string // username; empty where nobody did
	LiftReason string
}

// Standing tells whether the block holds at the moment.
func (b Block) Standing(now time.Time) bool { return b.LiftedAt == nil && now.Before(b.Until) }

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// Needs are the services that the area uses.
type Needs struct {
	Settings *settings.Service
	Audit    auditor
}

// Service answers for blocks.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs}
}

// Ensure lets an address pass that is not blocked. One look-up in an index; the
// surfaces make it before a write and leave out addresses that many people may
// share. Errors: Forbidden with the code address_blocked.
func (s *Service) Ensure(ctx context.Context, addressKey string) error {
	if addressKey == "" || addressKey == nobodys {
		return nil
	}
	var until *time.Time
	// As the system: nobody else may look an address up.
	err := s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		until, err = blockedUntil(ctx, tx, addressKey, s.now())
		return err
	})
	if err != nil {
		return fmt.Errorf("look for a block: %w", err)
	}
	if until == nil {
		return nil
	}
	return &core.Error{Kind: core.Forbidden, Code: "address_blocked",
		Details: map[string]any{"blocked_until": until.UTC().Format(time.RFC3339)},
		Msg: fmt.Sprintf("Nothing can be sent from your network until %s UTC, because something that came from there was abuse. You can still read everything. If this is a mistake, %s.",
			until.UTC().Format("2 January 2006, 15:04"), s.appeal())}
}

// appeal says whom a person can tell that the block is a mistake.
func (s *Service) appeal() string {
	if contact := s.needs.Settings.Text(settings.ContactEmail); contact != "" {
		return "write to " + contact + " and a moderator looks at it"
	}
	return "tell the people who run " + s.needs.Settings.Text(settings.SiteName) + ", and a moderator looks at it"
}

// BlockTx blocks the address for a day, or for seven and then thirty where it was
// blocked within the last year, in the transaction of what found the abuse and
// whoever that is. by is the moderator who says so, or the system. It does
// nothing where many people may stand behind the address, or where it is blocked
// already; blocked says so.
func (s *Service) BlockTx(ctx context.Context, tx *pg.Tx, by core.Viewer, a core.Abuse) (blocked bool, err error) {
	if a.From.Shared || a.From.AddressKey == "" || a.From.AddressKey == nobodys {
		return false, nil
	}
	id := pg.NewID()
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if blocked, err = insert(ctx, tx, id, by.ID, a, s.now()); err != nil || !blocked {
			return err
		}
		// Without the address: the log is kept for ever.
		return s.needs.Audit.RecordTx(ctx, tx, by, core.Ruling{Kind: "address_blocked", About: core.Target{Type: "address_block", ID: id}, Reason: a.Reason})
	})
	if err != nil {
		return false, fmt.Errorf("block address: %w", err)
	}
	return blocked, nil
}

// QueueTimes asks, in a batch that runs as the system or staff, how often an
// address was blocked since then; blocks that were lifted do not count. times is
// filled in once the batch is sent.
func (s *Service) QueueTimes(b *pgx.Batch, addressKey string, since time.Time, times *int) {
	queueTimes(b, addressKey, since, times)
}

// List reads the blocks, those that hold first, then the latest. For staff.
// Errors: Unauthenticated, Forbidden.
func (s *Service) List(ctx context.Context, v core.Viewer, page core.Page) (core.List[Block], error) {
	list := core.List[Block]{Page: Rule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list.Items, list.Total, err = blocks(ctx, tx, s.now(), list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list blocks: %w", err)
	}
	return list, nil
}

// Lift ends a block that holds; the log keeps the reason, which is required. A
// block that was lifted does not make the next one longer. For staff. Errors:
// Unauthenticated, Forbidden, Invalid, NotFound, Conflict with already_over.
func (s *Service) Lift(ctx context.Context, v core.Viewer, id, reason string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	var p core.Problems
	p.Text("reason", &reason, 1, maxReason)
	if err := p.Err(); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := lift(ctx, tx, id, v.ID, reason, s.now())
		if err != nil {
			return err
		}
		if !done {
			return s.notLifted(ctx, tx, id)
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "block_lifted", About: core.Target{Type: "address_block", ID: id}, Reason: reason})
	})
	var known *core.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("lift block: %w", err)
	}
	return err
}

// LiftAboutTx ends the blocks that hold because of one thing, in the transaction
// of what found it harmless. v is the moderator who says so. Errors: Forbidden.
func (s *Service) LiftAboutTx(ctx context.Context, tx *pg.Tx, v core.Viewer, about core.Target, reason string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	lifted, err := liftAbout(ctx, tx, about, v.ID, reason, s.now())
	if err != nil {
		return fmt.Errorf("lift blocks: %w", err)
	}
	for _, id := range lifted {
		if err := s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "block_lifted", About: core.Target{Type: "address_block", ID: id}, Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) notLifted(ctx context.Context, tx *pg.Tx, id string) error {
	there, err := exists(ctx, tx, id)
	switch {
	case err != nil:
		return err
	case !there:
		return errNone()
	}
	return core.Conflictf("already_over", "This block no longer holds: it ended, or another moderator lifted it.")
}

func errNone() *core.Error { return core.NotFoundf("There is no such block here.") }

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to see what is blocked.")
	}
	return core.Forbiddenf("Only moderators see and lift blocks.")
}
