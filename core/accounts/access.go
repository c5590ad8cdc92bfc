package accounts

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/ratelimit"
	"homeplace/core/settings"
)

const (
	// mailLimit ends what happens after an answer: writing a link and mailing
	// it, with the mailer's own second try.
	mailLimit = 90 * time.Second
	// mailsAtOnce bounds how many mails are on their way at a time; further
	// ones wait for their turn.
	mailsAtOnce = 8
	// pendingAge is how long an account lives that nobody verifies. Until then
	// its username is taken.
	pendingAge = 7 * 24 * time.Hour
)

// mailer sends one plain-text mail and waits for it.
type mailer interface {
	Configured() bool
	Send(ctx context.Context, to, subject, text string) error
}

// limiter counts tries over all instances.
type limiter interface {
	Take(ctx context.Context, key string, max int, per time.Duration) (ratelimit.Decision, error)
}

// sessionKeeper signs people out as part of a change of their password, and
// tells when they signed in.
type sessionKeeper interface {
	EndAllTx(ctx context.Context, tx *pg.Tx, accountID, keep string) (ended int, err error)
	StartedTx(ctx context.Context, tx *pg.Tx, accountID, id string) (at time.Time, found bool, err error)
}

// Leaver is an area that holds what members made. Before an account goes,
// LeaveTx takes the account's things away where remove asks for it, and else
// the name from them. It is called twice: before the account is locked, so that
// whoever decides about a thing finishes first, and under the lock for what
// came in between.
type Leaver interface {
	LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error
}

// Needs is what Access asks of the rest of the house.
type Needs struct {
	Mail     mailer
	Limits   limiter
	Sessions sessionKeeper
	Settings *settings.Service
	// Page makes the absolute address of a page: for links in mails.
	Page    func(segments ...string) string
	Log     *slog.Logger
	Leavers []Leaver // every area that Leave concerns
	// Moderator judges the names that people sign up with; nil takes them as
	// they are.
	Moderator moderator
}

// Access is how people get in, and how they leave for good. All of its methods
// but those that take a viewer run as the system on behalf of somebody who is
// not signed in yet; all are safe for concurrent use.
//
// Nobody learns from an answer, nor from how long it takes, whether an e-mail
// address has an account: what differs happens after the answer. The one
// exception is SignUp where no mail server is configured.
type Access struct {
	Needs
	db  *pg.DB
	now core.Clock

	mails sync.WaitGroup
	turns chan struct{}
}

// NewAccess makes the service.
func NewAccess(db *pg.DB, now core.Clock, n Needs) *Access {
	return &Access{Needs: n, db: db, now: now, turns: make(chan struct{}, mailsAtOnce)}
}

// Wait returns once every mail that was begun has been sent or given up, or
// with the context's error. It is called when the program stops.
func (a *Access) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		a.mails.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// afterwards does work that the answer must not wait for. Whoever misses a
// mail that failed can ask for another.
func (a *Access) afterwards(ctx context.Context, what string, work func(ctx context.Context) error) {
	ctx = pg.WithoutClaim(context.WithoutCancel(ctx))
	a.mails.Go(func() {
		a.turns <- struct{}{}
		defer func() { <-a.turns }()
		ctx, cancel := context.WithTimeout(ctx, mailLimit)
		defer cancel()
		if err := work(ctx); err != nil {
			a.Log.ErrorContext(ctx, "a mail was not sent", "about", what, "error", err)
		}
	})
}

// Sweep removes links and held usernames that have expired, and accounts that
// nobody verified for a week, and returns how many accounts. A job calls it
// now and then.
func (a *Access) Sweep(ctx context.Context) (removed int64, err error) {
	err = a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) (err error) {
		removed, err = deleteStale(ctx, tx, a.now(), pendingAge)
		return err
	})
	return removed, err
}

// foldName writes a username or e-mail address the way that names are
// compared.
func foldName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
