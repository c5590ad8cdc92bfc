package session

import (
	"context"
	"errors"
	"time"

	"homeplace/core/sessions"
)

// store joins scs to core/sessions: it is an scs.CtxStore. What scs does not
// know of a session, such as whose it is, stands in the visit.
type store struct{ sessions *sessions.Service }

// FindCtx reads the session of a token's hash into the visit.
func (s store) FindCtx(ctx context.Context, hash string) (data []byte, found bool, err error) {
	f, found, err := s.sessions.Find(ctx, hash)
	if err != nil || !found {
		return nil, false, err
	}
	v := visitOf(ctx)
	v.hash, v.id, v.account = hash, f.ID, f.AccountID
	return f.Data, true, nil
}

// CommitCtx begins a session, or changes the one that the visit came with: a
// session that somebody else ended in the meantime is never written back.
func (s store) CommitCtx(ctx context.Context, hash string, data []byte, expiry time.Time) (err error) {
	v := visitOf(ctx)
	if v.hash == "" {
		v.id, err = s.sessions.Open(ctx, sessions.Opening{TokenHash: hash, AccountID: v.account, Data: data, ExpiresAt: expiry,
			UserAgent: v.browser.userAgent, AddressKey: v.browser.addressKey})
	} else {
		err = s.sessions.Replace(ctx, sessions.Replacement{OldHash: v.hash, NewHash: hash, Data: data, ExpiresAt: expiry})
	}
	if err == nil {
		v.hash = hash
	}
	return err
}

// DeleteCtx ends a session. To renew a token, scs deletes the old one and then
// commits the new one; CommitCtx makes a single step of that.
func (s store) DeleteCtx(ctx context.Context, hash string) error {
	v := visitOf(ctx)
	if v.renewing {
		return nil
	}
	if err := s.sessions.Close(ctx, hash); err != nil {
		return err
	}
	v.hash = ""
	return nil
}

// scs.Store asks for methods without a context too, which it never calls where
// the ones above exist.
var errNoContext = errors.New("sessions are kept with a context only")

// Find is never called.
func (store) Find(string) ([]byte, bool, error) { return nil, false, errNoContext }

// Commit is never called.
func (store) Commit(string, []byte, time.Time) error { return errNoContext }

// Delete is never called.
func (store) Delete(string) error { return errNoContext }
