// Package sessions keeps where people are signed in, for how long, and how
// that ends: Service with browsers, Programs with programs of theirs. What the
// token of a browser looks like and how it travels is the business of package
// web/session.
package sessions

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"homeplace/core"
	"homeplace/core/pg"
)

// touchEvery is how exact the time of the last visit is: a session's reads
// must not turn into writes.
const touchEvery = time.Hour

// maxUserAgent is how many characters of a browser's own description are kept.
const maxUserAgent = 300

// Session is one signed-in browser or program, as its owner sees it.
type Session struct {
	ID         string
	Origin     Origin // of a program; empty for a browser
	CreatedAt  time.Time
	LastSeenAt time.Time // to the hour
	ExpiresAt  time.Time
	UserAgent  string // as it calls itself, cut to 300 characters
	AddressKey string // where it signed in from
}

// Opening begins a session.
type Opening struct {
	TokenHash  string // SHA-256 of the token, in unpadded base64url
	AccountID  string // empty for a visitor who is not signed in
	Data       []byte
	ExpiresAt  time.Time
	UserAgent  string
	AddressKey string
}

// Found is a live session, as a request that carries its token needs it.
type Found struct {
	ID         string
	AccountID  string // empty for a visitor who is not signed in
	Data       []byte
	LastSeenAt time.Time
}

// ErrEnded says that a session was ended elsewhere in the meantime.
var ErrEnded = core.Unauthenticatedf("You were signed out in the meantime. Please sign in again.")

// Service keeps the sessions of browsers, and lists and ends those of programs
// too. Its methods are safe for concurrent use. Those that take a token's hash
// run as the system: whoever has the token has the session.
type Service struct {
	db    *pg.DB
	now   core.Clock
	audit auditor // nil keeps nothing
}

// New makes the service.
func New(db *pg.DB, now core.Clock) *Service { return &Service{db: db, now: now} }

// Find returns the live session of a token, and notes the visit once an hour.
func (s *Service) Find(ctx context.Context, tokenHash string) (f Found, found bool, err error) {
	now := s.now()
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		f, err = sessionByHash(ctx, tx, tokenHash, now)
		return err
	})
	if pg.NoRows(err) {
		return Found{}, false, nil
	}
	if err != nil {
		return Found{}, false, fmt.Errorf("find session: %w", err)
	}
	if now.Sub(f.LastSeenAt) >= touchEvery {
		// A visit that is not noted must not fail the request.
		_ = s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
			return noteVisit(ctx, tx, f.ID, now)
		})
	}
	return f, true, nil
}

// Open begins a session and returns its id.
func (s *Service) Open(ctx context.Context, o Opening) (id string, err error) {
	id = pg.NewID()
	o.UserAgent = shown(o.UserAgent)
	err = s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		return insertSession(ctx, tx, id, o, s.now())
	})
	if err != nil {
		return "", fmt.Errorf("open session: %w", err)
	}
	return id, nil
}

// Replacement is what changes of a session. An empty hash stays as it is.
type Replacement struct {
	OldHash, NewHash string
	Data             []byte
	ExpiresAt        time.Time
}

// Replace changes the contents of a session, and its token at need, in one
// step: a session that ended in the meantime stays so. Errors: ErrEnded.
func (s *Service) Replace(ctx context.Context, r Replacement) error {
	var found bool
	err := s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) (err error) {
		found, err = updateSession(ctx, tx, r, s.now())
		return err
	})
	if err != nil {
		return fmt.Errorf("replace session: %w", err)
	}
	if !found {
		return ErrEnded
	}
	return nil
}

// Close ends the session of a token; one that is not there is no error.
func (s *Service) Close(ctx context.Context, tokenHash string) error {
	err := s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		return deleteByHash(ctx, tx, tokenHash)
	})
	if err != nil {
		return fmt.Errorf("close session: %w", err)
	}
	return nil
}

// List returns the viewer's own live sessions, the latest visit first.
func (s *Service) List(ctx context.Context, v core.Viewer) ([]Session, error) {
	if !v.SignedIn() {
		return nil, core.Unauthenticatedf("Sign in to see where you are signed in.")
	}
	var list []Session
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list, err = sessionsOf(ctx, tx, v.ID, s.now())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return list, nil
}

// End signs one of the viewer's own browsers or programs out, on every instance
// at once. The programs that a browser signed in stay.
// Errors: NotFound where it is not the viewer's, or has ended already.
func (s *Service) End(ctx context.Context, v core.Viewer, id string) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to end a session.")
	}
	if !core.ValidID(id) {
		return errNoSuchSession
	}
	return s.db.Write(ctx, v, func(tx *pg.Tx) error {
		found, err := deleteOwn(ctx, tx, v.ID, id)
		if err != nil {
			return fmt.Errorf("end session: %w", err)
		}
		if !found {
			return errNoSuchSession
		}
		return nil
	})
}

var errNoSuchSession = core.NotFoundf("You have no such session; it may have ended already.")

// EndOthers signs the viewer out everywhere but in the session that has the
// id keep, and returns how many sessions ended. An empty keep ends them all.
func (s *Service) EndOthers(ctx context.Context, v core.Viewer, keep string) (ended int, err error) {
	if !v.SignedIn() {
		return 0, core.Unauthenticatedf("Sign in to end your sessions.")
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		ended, err = s.EndAllTx(ctx, tx, v.ID, keep)
		return err
	})
	return ended, err
}

// EndAllTx ends every session of an account, be it of a browser or a program,
// but the one that has the id keep, as part of a change that asks for it, such as that of the password.
func (s *Service) EndAllTx(ctx context.Context, tx *pg.Tx, accountID, keep string) (ended int, err error) {
	ended, err = deleteOthers(ctx, tx, accountID, keep)
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return ended, nil
}

// EndPrograms signs every program of everybody out: for when the secret that
// their tokens were made with is lost. It returns how many.
func (s *Service) EndPrograms(ctx context.Context, v core.Viewer) (ended int64, err error) {
	if v.Role != core.System {
		return 0, core.Forbiddenf("Only the system signs everybody's programs out.")
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		ended, err = deletePrograms(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("end program sessions: %w", err)
	}
	return ended, nil
}

// Sweep removes what has expired, and returns how many. A job calls it now and
// then; no decision depends on it.
func (s *Service) Sweep(ctx context.Context) (removed int64, err error) {
	err = s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) (err error) {
		removed, err = deleteExpired(ctx, tx, s.now())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sweep sessions: %w", err)
	}
	return removed, nil
}

// shown is what is kept of how a browser or program calls itself.
func shown(userAgent string) string {
	valid := strings.ToValidUTF8(userAgent, "\uFFFD")
	if utf8.RuneCountInString(valid) <= maxUserAgent {
		return valid
	}
	return string([]rune(valid)[:maxUserAgent])
}
