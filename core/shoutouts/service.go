package shoutouts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
	"homeplace/core/secret"
	"homeplace/core/settings"
)

// awarder pays for approved shout-outs, and takes back what a decision paid that
// was undone.
type awarder interface {
	AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (points int, err error)
	RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error
}

// moderator judges what people write.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error)
}

// drafter proposes a business for the directory in the viewer's name. After
// Invalid and Conflict the transaction goes on as if it had not been asked.
type drafter interface {
	DraftTx(ctx context.Context, tx *pg.Tx, v core.Viewer, name, city string) (contributionID, slug string, err error)
}

// switches are the settings that are on or off.
type switches interface {
	Switch(k settings.Switch) bool
}

// Needs are the services that the area uses.
type Needs struct {
	Settings  switches
	Secret    secret.Secret // marks of browsers are hashed with it
	Awards    awarder       // nil pays nothing
	Moderator moderator     // nil leaves every shout-out to staff
	Drafts    drafter       // nil drafts no listings
}

// Service answers for shout-outs.
type Service struct {
	db      *pg.DB
	now     core.Clock
	needs   Needs
	hashKey func() []byte // worked out when it is first needed: commands have no secret
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs, hashKey: sync.OnceValue(func() []byte { return needs.Secret.Derive("shoutout browsers") })}
}

// hash is what is stored of a browser's mark.
func (s *Service) hash(mark string) []byte {
	if mark == "" {
		return nil
	}
	sum := hmac.New(sha256.New, s.hashKey())
	sum.Write([]byte(mark))
	return sum.Sum(nil)
}

// List reads a page of the public shout-outs, the newest first.
func (s *Service) List(ctx context.Context, f Filter) (core.List[ShoutOut], error) {
	f.Page = ListRule.Clamp(f.Page)
	list := core.List[ShoutOut]{Page: f.Page, Items: []ShoutOut{}}
	if f.EntryID != "" && !core.ValidID(f.EntryID) {
		return list, nil
	}
	var err error
	if list.Items, list.Total, err = publicShoutOuts(ctx, s.db.Public(), f); err != nil {
		return list, fmt.Errorf("list shout-outs: %w", pg.Err(err))
	}
	return list, nil
}

// SummaryOf sums up the public shout-outs for an entry of the directory.
func (s *Service) SummaryOf(ctx context.Context, entryID string) (Summary, error) {
	sum, err := summaryOf(ctx, s.db.Public(), entryID)
	if err != nil {
		return Summary{}, fmt.Errorf("sum up shout-outs: %w", pg.Err(err))
	}
	return sum, nil
}

// maxMatches is how many businesses of a name are offered to choose from.
const maxMatches = 8

// Matches lists the public businesses that a name may mean: those of the name,
// spelling aside, in the city. Where one of the two has no city, the name
// decides.
func (s *Service) Matches(ctx context.Context, name, city string) ([]Business, error) {
	key := searchtext.NameKey(name)
	if key == "" {
		return nil, nil
	}
	list, err := businessesNamed(ctx, s.db.Public(), key, searchtext.SortName(city), maxMatches)
	if err != nil {
		return nil, fmt.Errorf("look for businesses: %w", pg.Err(err))
	}
	return list, nil
}

// Recent lists what was sent in last, whatever became of it, at most limit. For
// staff. Errors: Unauthenticated, Forbidden.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	var list []core.Submission
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list, err = recent(ctx, q, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list recent shout-outs: %w", err)
	}
	return list, nil
}

// Empty tells whether there is no shout-out at all.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		return q.QueryRow(ctx, `select not exists (select from shoutouts)`).Scan(&empty)
	})
	return empty, err
}

// award pays an account for a shout-out that is public now, as the system.
func (s *Service) award(ctx context.Context, tx *pg.Tx, accountID *string, id, business string) error {
	if s.needs.Awards == nil || accountID == nil {
		return nil
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		_, err := s.needs.Awards.AwardTx(ctx, tx, awardFor(*accountID, id, business))
		return err
	})
}

// revoke takes back what award paid.
func (s *Service) revoke(ctx context.Context, tx *pg.Tx, accountID *string, id, business string) error {
	if s.needs.Awards == nil || accountID == nil {
		return nil
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		return s.needs.Awards.RevokeTx(ctx, tx, awardFor(*accountID, id, business))
	})
}

func awardFor(accountID, id, business string) core.Award {
	return core.Award{AccountID: accountID, Reason: core.AwardShoutOut, Detail: business, RefType: Scope, RefID: id}
}

// explained keeps what is meant for a person, and says NotFound for no row.
func explained(operation string, err error) error {
	var known *core.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case pg.NoRows(err):
		return errNone()
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// breaks tells whether err comes from the named rule of a table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}
