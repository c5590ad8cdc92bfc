package reviews

import (
	"context"
	"errors"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// moderator judges what people write.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error)
}

// Needs are the services that the area uses.
type Needs struct {
	Moderator moderator // nil leaves every review to the queue
}

// Service answers for products and their reviews.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs}
}

// List reads a page of the public reviews of public products, newest first. Of a
// product that is not there are none. Errors: Invalid.
func (s *Service) List(ctx context.Context, f Filter) (core.List[Review], error) {
	list := core.List[Review]{Items: []Review{}, Page: ListRule.Clamp(f.Page)}
	f.Page = list.Page
	var p core.Problems
	if f.MinRating != 0 && (f.MinRating < MinRating || f.MinRating > MaxRating) {
		p.Add("min_rating", "must be a whole number from %d to %d", MinRating, MaxRating)
	}
	err := p.Err()
	if err != nil || f.Product != "" && !core.ValidSlug(f.Product) {
		return list, err
	}
	if list.Items, list.Total, err = publicReviews(ctx, s.db.Public(), f); err != nil {
		return list, fmt.Errorf("list reviews: %w", pg.Err(err))
	}
	return list, nil
}

// Own is the viewer's review of a product, whatever became of it; found is false
// where they have none. Errors: Unauthenticated.
func (s *Service) Own(ctx context.Context, v core.Viewer, productID string) (own Sent, found bool, err error) {
	if err := requireMember(v); err != nil {
		return own, false, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		own, err = ownReview(ctx, q, v.ID, productID)
		return err
	})
	if pg.NoRows(err) {
		return own, false, nil
	}
	return own, err == nil, explained("read own review", err)
}

// Mine lists what the viewer sent, latest first. Errors: Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Sent], error) {
	list := core.List[Sent]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = reviewsOfAccount(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own reviews: %w", err)
	}
	return list, nil
}

// Recent lists the latest reviews whatever became of them; limit is 200 at most.
// For staff.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	var list []stored
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list, err = recentReviews(ctx, q, recentRule.Clamp(core.Page{Limit: limit}).Limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list recent reviews: %w", err)
	}
	recent := make([]core.Submission, len(list))
	for i, r := range list {
		recent[i] = core.Submission{Source: Scope, ID: r.ID, Title: r.heading(), Status: r.state(), SubmittedBy: r.sender(), CreatedAt: r.CreatedAt,
			Path: "/moderation?case=" + Scope + ":" + r.ID}
	}
	return recent, nil
}

// Empty tells whether there is no product at all.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		return q.QueryRow(ctx, `select not exists (select from products)`).Scan(&empty)
	})
	return empty, err
}

// read runs fn as the viewer; nobody's reads need no transaction.
func (s *Service) read(ctx context.Context, v core.Viewer, fn func(pg.Querier) error) error {
	if v.DatabaseRole() == core.Anon {
		return pg.Err(fn(s.db.Public()))
	}
	return s.db.Read(ctx, v, fn)
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
