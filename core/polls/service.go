package polls

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/secret"
	"homeplace/core/settings"
)

// awarder pays for published polls and for votes, and takes back what a poll
// paid whose publication is undone.
type awarder interface {
	AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (points int, err error)
	RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error
}

// moderator judges what people wrote.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, text core.Text) (core.Verdict, error)
}

// Needs are the services that the area uses.
type Needs struct {
	Settings  *settings.Service
	Secret    secret.Secret // what tells voters apart is hashed with it
	Awards    awarder       // nil pays nothing
	Moderator moderator     // nil judges nothing: comments wait for staff
	Audit     auditor       // nil keeps nothing
}

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// Service answers for polls, votes and comments.
type Service struct {
	db      *pg.DB
	now     core.Clock
	needs   Needs
	hashKey func() []byte // worked out when it is first needed: commands have no secret
	made    atomic.Int64  // number of the last day whose poll is known to be there
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs, hashKey: sync.OnceValue(func() []byte { return needs.Secret.Derive("poll votes") })}
}

// Filter narrows the list of polls.
type Filter struct {
	State State // "" is both
	Page  core.Page
}

// List reads a page of the public polls, the newest first, today's among them.
func (s *Service) List(ctx context.Context, f Filter) (core.List[Summary], error) {
	list := core.List[Summary]{Page: ListRule.Clamp(f.Page)}
	err := s.ensureDaily(ctx)
	if err == nil {
		list.Items, list.Total, err = publicPolls(ctx, s.db.Public(), f.State, s.now(), list.Page)
		err = pg.Err(err)
	}
	if err != nil {
		return list, fmt.Errorf("list polls: %w", err)
	}
	s.settle(list.Items)
	return list, nil
}

// Get reads a poll with its tallies and comments: everybody a public one, its
// author and staff any. Errors: NotFound.
func (s *Service) Get(ctx context.Context, v core.Viewer, slug string) (p Poll, err error) {
	if !core.ValidSlug(slug) {
		return p, errNoPoll()
	}
	if slug == dailySlug(s.now()) {
		if err := s.ensureDaily(ctx); err != nil {
			return p, err
		}
	}
	err = s.read(ctx, v, func(q pg.Querier) (err error) {
		p, err = pollBySlug(ctx, q, slug)
		if err != nil {
			return err
		}
		return complete(ctx, q, &p)
	})
	p.settle(s.now())
	return p, explained("get poll", err, errNoPoll())
}

// complete fills in what stands in other tables.
func complete(ctx context.Context, q pg.Querier, p *Poll) (err error) {
	if p.Options, err = optionsOf(ctx, q, p.ID); err != nil {
		return err
	}
	p.Comments, err = commentsOf(ctx, q, p.ID)
	return err
}

// Mine lists the polls that the viewer made, the latest first. Errors:
// Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Poll], error) {
	list := core.List[Poll]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = pollsOf(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own polls: %w", err)
	}
	for i := range list.Items {
		list.Items[i].settle(s.now())
	}
	return list, nil
}

// read runs fn as the viewer; nobody's reads need no transaction.
func (s *Service) read(ctx context.Context, v core.Viewer, fn func(pg.Querier) error) error {
	if v.DatabaseRole() == core.Anon {
		return pg.Err(fn(s.db.Public()))
	}
	return s.db.Read(ctx, v, fn)
}

func (s *Service) settle(list []Summary) {
	now := s.now()
	for i := range list {
		list[i].settle(now)
	}
}

// judge asks the moderator, within the time that a person waits; without one it
// says nothing. What cannot be judged is for people to look at.
func (s *Service) judge(ctx context.Context, v core.Viewer, text core.Text) core.Decision {
	if s.needs.Moderator == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, judgeLimit)
	defer cancel()
	verdict, err := s.needs.Moderator.Judge(ctx, v, text)
	if err != nil {
		return core.DecisionReview
	}
	return verdict.Decision
}

// award pays where somebody pays.
func (s *Service) award(ctx context.Context, tx *pg.Tx, account string, reason core.AwardReason, p Summary) error {
	if s.needs.Awards == nil {
		return nil
	}
	_, err := s.needs.Awards.AwardTx(ctx, tx, awardFor(account, reason, p))
	return err
}

func awardFor(account string, reason core.AwardReason, p Summary) core.Award {
	return core.Award{AccountID: account, Reason: reason, Detail: p.Question, RefType: "poll", RefID: p.ID}
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
