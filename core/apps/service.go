package apps

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// awarder pays for approved files.
type awarder interface {
	AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (points int, err error)
}

// auditor writes decisions of staff down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// moderator judges what people write.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error)
}

// Needs are the services that the area uses.
type Needs struct {
	Settings  *settings.Service
	Awards    awarder   // nil pays nothing
	Audit     auditor   // nil keeps nothing
	Moderator moderator // nil takes messages as they are
}

// Service answers for apps, their files and what is submitted to them.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs}
}

// List reads a page of the public apps in the order of their names. Errors:
// Invalid.
func (s *Service) List(ctx context.Context, f Filter) (core.List[Summary], error) {
	list := core.List[Summary]{Page: ListRule.Clamp(f.Page)}
	var p core.Problems
	p.Query("q", &f.Query)
	err := p.Err()
	if err != nil {
		return list, err
	}
	if list.Items, list.Total, err = publicApps(ctx, s.db.Public(), f.Query, list.Page); err != nil {
		return list, fmt.Errorf("list apps: %w", pg.Err(err))
	}
	return list, nil
}

// Get reads an app: everybody a public one, its owner and staff any. Errors:
// NotFound.
func (s *Service) Get(ctx context.Context, v core.Viewer, slug string) (App, error) {
	if !core.ValidSlug(slug) {
		return App{}, errNoApp(slug)
	}
	var a App
	err := s.read(ctx, v, func(q pg.Querier) (err error) {
		a, err = appBySlug(ctx, q, slug)
		return err
	})
	return a, explained("get app", err, errNoApp(slug))
}

// read runs fn as the viewer; nobody's reads need no transaction.
func (s *Service) read(ctx context.Context, v core.Viewer, fn func(pg.Querier) error) error {
	if v.DatabaseRole() == core.Anon {
		return pg.Err(fn(s.db.Public()))
	}
	return s.db.Read(ctx, v, fn)
}

// Mine lists the viewer's own apps, whatever their state, by name. Errors:
// Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer) ([]Summary, error) {
	if err := requireMember(v); err != nil {
		return nil, err
	}
	return s.ownedBy(ctx, v, v.ID, false)
}

// OfOwner lists the public apps of an account by name, for its public profile.
func (s *Service) OfOwner(ctx context.Context, accountID string) ([]Summary, error) {
	return s.ownedBy(ctx, core.Nobody(), accountID, true)
}

func (s *Service) ownedBy(ctx context.Context, v core.Viewer, accountID string, publicOnly bool) ([]Summary, error) {
	if !core.ValidID(accountID) {
		return []Summary{}, nil
	}
	var list []Summary
	err := s.read(ctx, v, func(q pg.Querier) (err error) {
		list, err = appsOf(ctx, q, accountID, publicOnly)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list apps of an owner: %w", err)
	}
	return list, nil
}

// OwnsAny tells whether the viewer owns an app, whatever its state: the role
// app_owner.
func (s *Service) OwnsAny(ctx context.Context, v core.Viewer) (owns bool, err error) {
	if !v.SignedIn() {
		return false, nil
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		owns, err = ownsAny(ctx, q, v.ID)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for own apps: %w", err)
	}
	return owns, nil
}

// Empty tells whether there is no app at all.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) (err error) {
		empty, err = noApps(ctx, q)
		return err
	})
	return empty, err
}

func requireMember(v core.Viewer) error {
	if !v.SignedIn() && v.Role != core.System {
		return core.Unauthenticatedf("Sign in to work on apps and their files.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to decide about apps.")
	}
	return core.Forbiddenf("Only moderators decide about apps.")
}

func requireSystem(v core.Viewer) error {
	if v.Role != core.System {
		return core.Forbiddenf("Only the operator of the site brings apps in and out in bulk.")
	}
	return nil
}

// kept reads the app for one who keeps it. Whoever does not see it learns
// nothing of it.
func kept(ctx context.Context, q pg.Querier, v core.Viewer, slug string) (App, error) {
	a, err := seen(ctx, q, slug)
	if err == nil && !CanManage(v, a.Summary) {
		return App{}, core.Forbiddenf("Only the owner of an app does this.")
	}
	return a, err
}

func seen(ctx context.Context, q pg.Querier, slug string) (App, error) {
	if !core.ValidSlug(slug) {
		return App{}, errNoApp(slug)
	}
	a, err := appBySlug(ctx, q, slug)
	if pg.NoRows(err) {
		return App{}, errNoApp(slug)
	}
	return a, err
}

func errNoApp(slug string) *core.Error {
	return core.NotFoundf("There is no app %q here. It may have been withdrawn.", slug)
}

func errNoFile(filename string) *core.Error {
	return core.NotFoundf("There is no file %q here.", filename)
}

// explained keeps what is meant for a person, and says missing for no row.
func explained(operation string, err error, missing *core.Error) error {
	var known *core.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case pg.NoRows(err):
		return missing
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// breaks tells whether err comes from the named rule of a table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}
