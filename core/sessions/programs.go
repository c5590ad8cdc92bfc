package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/secret"
	"homeplace/core/settings"
	"homeplace/core/signing"
)

const (
	// idleLifetime is how long a program's session lasts from its last refresh on.
	idleLifetime = 90 * 24 * time.Hour
	// maxPrograms is how many programs an account is signed in with at most.
	maxPrograms = 50
)

// Origin is how a program was signed in.
type Origin string

// The origins of a program's session.
const (
	OriginPassword Origin = "password" // with the account's e-mail address and password
	OriginBrowser  Origin = "browser"  // handed over by a signed-in browser
	OriginProvider Origin = "provider" // by an outside identity provider
)

// Start begins a program's session.
type Start struct {
	AccountID  string
	Origin     Origin
	Browser    string // for OriginBrowser: the id of the web session that hands over
	UserAgent  string // as the program calls itself; cut to 300 characters
	AddressKey string // where it signs in from
}

// Pair is what a program holds: the token that it sends with each request, and
// the one that gets it the next pair, once.
type Pair struct {
	AccessToken, RefreshToken string
	ExpiresAt                 time.Time // of the access token
	SessionID, AccountID      string
}

// Proof is what an access token proves.
type Proof struct {
	AccountID, SessionID string
	Origin               Origin
	SignedInAt           time.Time // when the person last showed who they are
}

// Failures of Refresh, and of Authenticate the last with another kind.
var (
	errNoSuchRefreshToken = &core.Error{Kind: core.Invalid, Code: "refresh_token_not_found",
		Msg: "This refresh token is not one of ours. Please sign in again."}
	errUsedTwice = &core.Error{Kind: core.Invalid, Code: "refresh_token_already_used",
		Msg: "This refresh token was used before, so its session was ended to be safe. Please sign in again."}
	errEndedAtRefresh = &core.Error{Kind: core.Invalid, Code: "session_not_found",
		Msg: "This session has ended. Please sign in again."}
	errProgramEnded = &core.Error{Kind: core.Unauthenticated, Code: "session_not_found", Msg: errEndedAtRefresh.Msg}
)

// ProgramNeeds is what Programs asks of the rest of the house.
type ProgramNeeds struct {
	Keys     *signing.Service
	Secret   secret.Secret
	Settings *settings.Service
	Issuer   string // the address that access tokens name as theirs
}

// Programs keeps the sessions of signed-in programs, such as an app on a
// telephone, and makes the tokens that they carry. Service lists and ends
// them beside those of browsers. Its methods run as the system on behalf of
// whoever holds a token, and are safe for concurrent use.
type Programs struct {
	ProgramNeeds
	db      *pg.DB
	now     core.Clock
	refresh refreshTokens
}

// NewPrograms makes the service.
func NewPrograms(db *pg.DB, now core.Clock, n ProgramNeeds) *Programs {
	return &Programs{ProgramNeeds: n, db: db, now: now, refresh: newRefreshTokens(n.Secret)}
}

// Begin signs a program in as an account whose owner has just shown who they
// are. Of more than 50 the one that was not used for the longest time ends.
// Errors: ErrEnded where the browser's session, or the account, is no more.
func (p *Programs) Begin(ctx context.Context, in Start) (Pair, error) {
	now := p.now()
	in.UserAgent = shown(in.UserAgent)
	s := program{ID: pg.NewID(), AccountID: in.AccountID, Origin: in.Origin, SignedInAt: now, RefreshedAt: now, Generation: 1}
	err := p.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) (err error) {
		if in.Origin == OriginBrowser {
			if s.SignedInAt, err = shareBrowser(ctx, tx, in.AccountID, in.Browser, now); err != nil {
				return err
			}
		}
		if s.Email, err = lockAccount(ctx, tx, in.AccountID); err != nil {
			return err
		}
		if err := endLongestUnused(ctx, tx, in.AccountID, maxPrograms-1); err != nil {
			return err
		}
		return insertProgram(ctx, tx, s, in, now)
	})
	if pg.NoRows(err) {
		return Pair{}, ErrEnded
	}
	if err != nil {
		return Pair{}, fmt.Errorf("begin program session: %w", err)
	}
	return p.pair(ctx, s, now)
}

// Refresh changes a refresh token for the next pair, and notes how the program
// calls itself where that is not empty: it may have taken the session over from
// a browser. The token before the current one, used again within the setting
// refresh_reuse_window, gets the current one; any other that was used before
// ends its session. Errors:
// Invalid with the code refresh_token_not_found, session_not_found or
// refresh_token_already_used.
func (p *Programs) Refresh(ctx context.Context, refreshToken, userAgent string) (Pair, error) {
	id, generation, ok := p.refresh.parse(refreshToken)
	if !ok {
		return Pair{}, errNoSuchRefreshToken
	}
	now := p.now()
	var s program
	var reused bool
	err := p.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) (err error) {
		if s, err = lockProgram(ctx, tx, id, now); err != nil {
			return err
		}
		reused = false
		switch {
		case generation == s.Generation:
			s.Generation, s.RefreshedAt = s.Generation+1, now
			return noteRefresh(ctx, tx, s, shown(userAgent))
		case generation == s.Generation-1 && now.Sub(s.RefreshedAt) <= p.Settings.Span(settings.RefreshReuseWindow):
			return nil
		}
		reused = true
		return deleteProgram(ctx, tx, id)
	})
	switch {
	case pg.NoRows(err):
		return Pair{}, errEndedAtRefresh
	case err != nil:
		return Pair{}, fmt.Errorf("refresh program session: %w", err)
	case reused:
		return Pair{}, errUsedTwice
	}
	return p.pair(ctx, s, now)
}

// Authenticate tells what an access token proves. The database is asked each
// time whether its session lives, so that ending one counts at once on every
// instance. Errors: Unauthenticated with the code bad_jwt or session_not_found.
func (p *Programs) Authenticate(ctx context.Context, accessToken string) (Proof, error) {
	var c claims
	if err := p.Keys.Verify(ctx, accessToken, &c, p.Issuer, audience); err != nil {
		return Proof{}, err
	}
	if !core.ValidID(c.SessionID) || !core.ValidID(c.Subject) {
		return Proof{}, signing.ErrBadToken.Wrap(errors.New("it names no session or no account"))
	}
	now := p.now()
	var s liveProgram
	err := p.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		s, err = programByID(ctx, tx, c.SessionID, c.Subject, now)
		return err
	})
	if pg.NoRows(err) {
		return Proof{}, errProgramEnded
	}
	if err != nil {
		return Proof{}, fmt.Errorf("look up program session: %w", err)
	}
	if now.Sub(s.LastUsedAt) >= touchEvery {
		// A use that is not noted must not fail the request.
		_ = p.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
			return noteUse(ctx, tx, c.SessionID, now)
		})
	}
	return Proof{AccountID: c.Subject, SessionID: c.SessionID, Origin: s.Origin, SignedInAt: s.SignedInAt}, nil
}

// pair makes the tokens of a session as it is now.
func (p *Programs) pair(ctx context.Context, s program, now time.Time) (Pair, error) {
	expires := now.Add(p.Settings.Span(settings.AccessTokenLifetime)).Truncate(time.Second)
	access, err := p.Keys.Sign(ctx, newClaims(p.Issuer, s, now, expires))
	if err != nil {
		return Pair{}, fmt.Errorf("make access token: %w", err)
	}
	return Pair{AccessToken: access, RefreshToken: p.refresh.make(s.ID, s.Generation), ExpiresAt: expires,
		SessionID: s.ID, AccountID: s.AccountID}, nil
}
