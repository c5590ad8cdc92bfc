package fakereports

import (
	"context"
	"errors"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// awarder pays for confirmed reports, and takes back what a decision paid that
// is undone.
type awarder interface {
	AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (points int, err error)
	RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error
}

// moderator judges what people write.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error)
}

// Needs are the services that the area uses.
type Needs struct {
	Awards    awarder   // nil pays nothing
	Moderator moderator // nil leaves every report to the queue
}

// Service answers for reports of fake content.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs}
}

// List reads a page of the confirmed reports, confirmed last first. Errors:
// Invalid.
func (s *Service) List(ctx context.Context, f Filter) (core.List[Report], error) {
	list := core.List[Report]{Page: ListRule.Clamp(f.Page)}
	if f.Category != "" {
		var p core.Problems
		f.Category.check(&p)
		if err := p.Err(); err != nil {
			return list, err
		}
	}
	var err error
	if list.Items, list.Total, err = confirmed(ctx, s.db.Public(), f.Category, list.Page); err != nil {
		return list, fmt.Errorf("list reports of fake content: %w", pg.Err(err))
	}
	return list, nil
}

// Recent lists what was sent last, latest first and whatever its state. For
// staff. Errors: Unauthenticated, Forbidden.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	var found []record
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		found, err = latest(ctx, q, recentRule.Clamp(core.Page{Limit: limit}).Limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list latest reports of fake content: %w", err)
	}
	list := make([]core.Submission, len(found))
	for i, r := range found {
		list[i] = core.Submission{Source: Type, ID: r.ID, Title: r.Title(), Status: string(r.Status), SubmittedBy: r.sender(),
			CreatedAt: r.CreatedAt, Path: "/moderation?case=" + Type + ":" + r.ID}
	}
	return list, nil
}

// Empty tells whether there is no report at all.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		return q.QueryRow(ctx, `select not exists (select from fake_reports)`).Scan(&empty)
	})
	return empty, err
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
