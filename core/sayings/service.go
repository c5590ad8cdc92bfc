package sayings

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// awarder pays for approved sayings, and takes it back where that is undone.
type awarder interface {
	AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (points int, err error)
	RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error
}

// moderator judges what people write.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error)
}

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// Needs are the services that the area uses.
type Needs struct {
	Awards    awarder   // nil pays nothing
	Moderator moderator // nil leaves every saying to the queue
	Audit     auditor   // nil keeps nothing
}

// Service answers for sayings.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs}
}

// List reads a page of the public sayings, published last first. A category
// that is not on the curated list is dropped. Errors: Invalid.
func (s *Service) List(ctx context.Context, f Filter) (core.List[Saying], error) {
	list := core.List[Saying]{Page: ListRule.Clamp(f.Page)}
	f.Page = list.Page
	var p core.Problems
	p.Query("q", &f.Query)
	p.Line("region", &f.Region, 0, core.MaxQuery)
	err := p.Err()
	if err != nil {
		return list, err
	}
	var unknown core.Problems
	if err = s.checkCategory(ctx, &unknown, f.Category); err != nil {
		return list, err
	}
	if unknown.Err() != nil {
		f.Category = ""
	}
	if list.Items, list.Total, err = publicSayings(ctx, s.db.Public(), f); err != nil {
		return list, fmt.Errorf("list sayings: %w", pg.Err(err))
	}
	return list, nil
}

// checkCategory adds a problem for a slug that is not on the list.
func (s *Service) checkCategory(ctx context.Context, p *core.Problems, slug string) error {
	if slug == "" {
		return nil
	}
	list, err := s.Categories(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(list))
	for i, c := range list {
		if names[i] = c.Slug; c.Slug == slug {
			return nil
		}
	}
	p.Add("category", "must be one of %s, not %q", strings.Join(names, ", "), slug)
	return nil
}

// Get reads a saying that was published: everybody while it is not hidden, then
// staff and who sent it. Errors: NotFound.
func (s *Service) Get(ctx context.Context, v core.Viewer, slug string) (Saying, error) {
	if !core.ValidSlug(slug) {
		return Saying{}, errNone()
	}
	var found Saying
	err := s.read(ctx, v, func(q pg.Querier) (err error) {
		found, err = bySlug(ctx, q, slug)
		return err
	})
	return found, explained("get saying", err)
}

// read runs fn as the viewer; nobody's reads need no transaction.
func (s *Service) read(ctx context.Context, v core.Viewer, fn func(pg.Querier) error) error {
	if v.DatabaseRole() == core.Anon {
		return pg.Err(fn(s.db.Public()))
	}
	return s.db.Read(ctx, v, fn)
}

// Random is one public saying, each as likely as the others. Errors: NotFound
// while there is none.
func (s *Service) Random(ctx context.Context) (Saying, error) {
	found, err := randomSaying(ctx, s.db.Public())
	return found, noneYet("choose a saying", pg.Err(err))
}

// Today is the saying of the day, by UTC date the same for everyone. While
// nothing is published or hidden, none comes twice before all have come. What
// was published today begins to take part tomorrow, so that it does not change
// the day's choice. Errors: NotFound while there is none.
func (s *Service) Today(ctx context.Context) (Saying, error) {
	day := s.now().UTC().Truncate(24 * time.Hour)
	found, err := sayingOfDay(ctx, s.db.Public(), day)
	return found, noneYet("choose the saying of the day", pg.Err(err))
}

func noneYet(operation string, err error) error {
	if pg.NoRows(err) {
		return core.NotFoundf("There are no sayings here yet.")
	}
	return explained(operation, err)
}

// Categories is the curated list in its order, with how many public sayings
// each holds.
func (s *Service) Categories(ctx context.Context) ([]Category, error) {
	list, err := categories(ctx, s.db.Public())
	if err != nil {
		return nil, fmt.Errorf("list saying categories: %w", pg.Err(err))
	}
	return list, nil
}

// Regions are the tags of the public sayings by name. Spellings that differ in
// case or accents alone are one.
func (s *Service) Regions(ctx context.Context) ([]Region, error) {
	list, err := regions(ctx, s.db.Public())
	if err != nil {
		return nil, fmt.Errorf("list saying regions: %w", pg.Err(err))
	}
	return list, nil
}

// Hide takes a published saying out of every public read; hidden already,
// nothing happens. For staff but who sent it. Errors: Unauthenticated,
// Forbidden, NotFound.
func (s *Service) Hide(ctx context.Context, v core.Viewer, slug string) error {
	now := s.now()
	return s.setHidden(ctx, v, slug, &now)
}

// Unhide puts it back. Errors: as of Hide.
func (s *Service) Unhide(ctx context.Context, v core.Viewer, slug string) error {
	return s.setHidden(ctx, v, slug, nil)
}

func (s *Service) setHidden(ctx context.Context, v core.Viewer, slug string, at *time.Time) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Area)
		found, err := bySlug(ctx, tx, slug)
		if err != nil {
			return err
		}
		c, err := caseByID(ctx, tx, found.ID)
		if err != nil {
			return err
		}
		if sentBy(c, v) {
			return core.Forbiddenf("Nobody decides about a saying of their own. Another moderator will.")
		}
		if (found.HiddenAt == nil) == (at == nil) {
			return nil
		}
		now, kind := s.now(), "saying_shown"
		if at != nil {
			now, kind = *at, "saying_hidden"
		}
		if err := setHidden(ctx, tx, found.ID, at); err != nil {
			return err
		}
		// So that an appeal goes to somebody else.
		if err := storeDecision(ctx, tx, found.ID, c.Reason, v.ID, now); err != nil || s.needs.Audit == nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: kind, About: core.Target{Type: Scope, ID: found.ID}, Title: title(found.Text)})
	})
	return explained("hide saying", err)
}

// Empty tells whether there is no saying at all.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		return q.QueryRow(ctx, `select not exists (select from sayings)`).Scan(&empty)
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
	case pg.Violates(err, "sayings_text_key"):
		return errHere()
	}
	return fmt.Errorf("%s: %w", operation, err)
}
