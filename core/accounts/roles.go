package accounts

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

// WithAudit makes the service write every change of a role down; it is called
// before first use, and returns the service itself.
func (s *Service) WithAudit(a auditor) *Service {
	s.audit = a
	return s
}

// CanAdminister tells whether the viewer may see and appoint the accounts of
// others.
func CanAdminister(v core.Viewer) bool { return v.Admin || v.Role == core.System }

func requireAdmin(v core.Viewer) error {
	switch {
	case CanAdminister(v):
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as an administrator to see the accounts of others.")
	}
	return core.Forbiddenf("Only administrators see the accounts of others.")
}

// The refusals of SetRole that are about who is an administrator at the moment.
var (
	errOnlyAdmin = core.Conflictf("last_admin", "There has to be an administrator. Appoint another one first, then come back.")
	errNoAdmin   = core.Forbiddenf("You are no administrator any more.")
)

// SetRole appoints an account. For administrators, who cannot take the role from
// the last one, and for the system, which can: whoever runs the command line can
// always give it again. It runs as the system, because nobody may write a role
// for themselves. Errors: Forbidden, also where the viewer lost the role in the
// meantime; NotFound; Invalid; Conflict with last_admin.
func (s *Service) SetRole(ctx context.Context, v core.Viewer, username string, role Role) error {
	if !CanAdminister(v) {
		return core.Forbiddenf("Only administrators change roles.")
	}
	if _, err := ParseRole(string(role)); err != nil {
		return err
	}
	err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		a, err := lockAccountNamed(ctx, tx, foldName(username))
		switch {
		case pg.NoRows(err):
			return errNoSuchUser(username)
		case err != nil:
			return err
		}
		if err := s.mayAppoint(ctx, tx, v, a, role); err != nil || a.Role == role {
			return err
		}
		if err := updateRole(ctx, tx, a.ID, role, s.now()); err != nil || s.audit == nil {
			return err
		}
		return s.audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "role_changed", About: core.Target{Type: "account", ID: a.ID},
			Reason: string(a.Role) + " → " + string(role)})
	})
	if err != nil {
		return fmt.Errorf("set role: %w", err)
	}
	return nil
}

// mayAppoint looks at the administrators while nobody else adds or removes one:
// of two who take the role from each other, the later has lost it.
func (s *Service) mayAppoint(ctx context.Context, tx *pg.Tx, v core.Viewer, a Account, role Role) error {
	others, err := otherAdmins(ctx, tx, a.ID)
	if err != nil || v.Role == core.System {
		return err
	}
	if v.ID != a.ID {
		now, err := accountByID(ctx, tx, v.ID)
		if pg.NoRows(err) || err == nil && now.Role != RoleAdmin {
			return errNoAdmin
		}
		return err
	}
	switch {
	case a.Role != RoleAdmin:
		return errNoAdmin
	case role != RoleAdmin && others == 0:
		return errOnlyAdmin
	}
	return nil
}
