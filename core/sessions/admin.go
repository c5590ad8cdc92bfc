package sessions

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// WithAudit makes the service write down whom an administrator signed out; it is
// called before first use, and returns the service itself.
func (s *Service) WithAudit(a auditor) *Service {
	s.audit = a
	return s
}

// CountOf is in how many browsers and programs an account is signed in. For
// administrators. It runs as the system: row-level security shows nobody
// another's sessions. Errors: Unauthenticated, Forbidden.
func (s *Service) CountOf(ctx context.Context, v core.Viewer, accountID string) (n int, err error) {
	if err := requireAdmin(v); err != nil {
		return 0, err
	}
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		n, err = countSessions(ctx, tx, accountID, s.now())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("count sessions: %w", err)
	}
	return n, nil
}

// EndAllOf signs an account out everywhere, and returns how many sessions ended;
// personal tokens stay. For administrators. It runs as the system, as CountOf.
// Errors: Unauthenticated, Forbidden.
func (s *Service) EndAllOf(ctx context.Context, v core.Viewer, accountID string) (ended int, err error) {
	if err := requireAdmin(v); err != nil {
		return 0, err
	}
	err = s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) (err error) {
		if ended, err = s.EndAllTx(ctx, tx, accountID, ""); err != nil || ended == 0 || s.audit == nil {
			return err
		}
		return s.audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "sessions_ended", About: core.Target{Type: "account", ID: accountID}})
	})
	if err != nil {
		return 0, fmt.Errorf("sign an account out: %w", err)
	}
	return ended, nil
}

func requireAdmin(v core.Viewer) error {
	switch {
	case v.Admin || v.Role == core.System:
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as an administrator to see where others are signed in.")
	}
	return core.Forbiddenf("Only administrators see where others are signed in.")
}
