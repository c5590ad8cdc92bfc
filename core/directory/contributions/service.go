package contributions

import (
	"context"
	"errors"
	"fmt"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// awarder pays members for what they did, and takes it back where that is
// undone.
type awarder interface {
	AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (points int, err error)
	RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error
}

// Service keeps contributions.
type Service struct {
	db        *pg.DB
	now       core.Clock
	directory *directory.Service
	points    awarder
}

// New makes the service.
func New(db *pg.DB, now core.Clock, dir *directory.Service, points awarder) *Service {
	return &Service{db: db, now: now, directory: dir, points: points}
}

// Offer proposes a new entry. What the input says of id, slug, verified,
// status and owner is ignored. Before, directory.Duplicates tells what is there
// already. Errors: Unauthenticated, Invalid, Conflict with too_many_pending.
func (s *Service) Offer(ctx context.Context, v core.Viewer, in directory.Input) (Contribution, error) {
	if err := requireMember(v); err != nil {
		return Contribution{}, err
	}
	in, err := s.checkListing(ctx, in)
	if err != nil {
		return Contribution{}, err
	}
	return s.add(ctx, v, Contribution{Kind: KindListing, EntryName: in.Name, Patch: Changed(directory.Input{}, in)})
}

// checkListing wants, beyond what an entry needs, something by which a
// neighbour can find it.
func (s *Service) checkListing(ctx context.Context, in directory.Input) (directory.Input, error) {
	in.ID, in.Slug, in.Status, in.OwnerID, in.Verified = "", "", "", "", nil
	var p core.Problems
	if err := s.directory.Check(ctx, &in, &p); err != nil {
		return in, err
	}
	if in.City == "" && in.Website == "" {
		p.Add("city", "is required where there is no website, so that a neighbour can find it")
	}
	return in, p.Err()
}

// SuggestEdit proposes other values for an entry. in is a form of the whole
// entry that started with directory.FormOf: what equals the entry is not
// stored, and a field that was emptied is proposed to be cleared. Errors:
// Unauthenticated, NotFound, Invalid (also where nothing was changed), Conflict
// with too_many_pending.
func (s *Service) SuggestEdit(ctx context.Context, v core.Viewer, kind directory.Kind, slug string, in directory.Input, message string) (Contribution, error) {
	e, err := s.entry(ctx, v, kind, slug)
	if err != nil {
		return Contribution{}, err
	}
	in.ID, in.Slug, in.Kind, in.Status, in.OwnerID, in.Verified = "", "", e.Kind, "", "", nil
	var p core.Problems
	if err := s.directory.Check(ctx, &in, &p); err != nil {
		return Contribution{}, err
	}
	p.Text("message", &message, 0, maxMessage)
	if err := p.Err(); err != nil {
		return Contribution{}, err
	}
	patch := Changed(directory.FormOf(e), in)
	if len(patch.Fields) == 0 {
		return Contribution{}, errNothing()
	}
	return s.add(ctx, v, Contribution{Kind: KindEdit, EntryID: &e.ID, EntryName: e.Name, Patch: patch,
		BaseUpdatedAt: &e.UpdatedAt, Message: message})
}

// StillOpen says that the place of an entry is there, or that it has closed.
// Errors: Unauthenticated, NotFound, Invalid, Conflict with too_many_pending or,
// while an earlier word of the same member waits, already_sent.
func (s *Service) StillOpen(ctx context.Context, v core.Viewer, kind directory.Kind, slug string, open bool, message string) (Contribution, error) {
	e, err := s.entry(ctx, v, kind, slug)
	if err != nil {
		return Contribution{}, err
	}
	var p core.Problems
	p.Text("message", &message, 0, maxMessage)
	if err := p.Err(); err != nil {
		return Contribution{}, err
	}
	return s.add(ctx, v, Contribution{Kind: KindStillOpen, EntryID: &e.ID, EntryName: e.Name, Open: &open,
		BaseUpdatedAt: &e.UpdatedAt, Message: message})
}

func (s *Service) entry(ctx context.Context, v core.Viewer, kind directory.Kind, slug string) (directory.Entry, error) {
	if err := requireMember(v); err != nil {
		return directory.Entry{}, err
	}
	return s.directory.GetFor(ctx, v, kind, slug)
}

func (s *Service) add(ctx context.Context, v core.Viewer, c Contribution) (Contribution, error) {
	c.ID, c.AccountID, c.Username, c.Status, c.CreatedAt = pg.NewID(), v.ID, v.Username, Pending, s.now()
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error { return insert(ctx, tx, c) })
	switch {
	case breaks(err, "directory_contributions_room"):
		return Contribution{}, errNoRoom()
	case breaks(err, "directory_contributions_still_open_once"):
		return Contribution{}, core.Conflictf("already_sent", "You have told us about this place already. A moderator will look at it.")
	case breaks(err, "directory_contributions_account_id_fkey"):
		return Contribution{}, core.Unauthenticatedf("This account no longer exists.")
	case err != nil:
		return Contribution{}, fmt.Errorf("store contribution: %w", err)
	}
	return c, nil
}

// Mine lists what the viewer sent, latest first. Errors: Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Contribution], error) {
	list := core.List[Contribution]{Page: Rule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list.Items, list.Total, err = ofAccount(ctx, tx, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list contributions: %w", err)
	}
	return list, nil
}

// Get reads one: for staff, and for the member who sent it. Errors:
// Unauthenticated, NotFound.
func (s *Service) Get(ctx context.Context, v core.Viewer, id string) (c Contribution, err error) {
	if !v.SignedIn() && !v.IsStaff() {
		return c, requireMember(v)
	}
	if !core.ValidID(id) {
		return c, errNone()
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		c, err = byID(ctx, tx, id)
		return err
	})
	return c, explained("read contribution", err)
}

// Withdraw takes back what waits. Errors: Unauthenticated, Forbidden, NotFound,
// Conflict with already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := withdraw(ctx, tx, id, v.ID)
		if err != nil || done {
			return err
		}
		c, err := byID(ctx, tx, id)
		if err == nil && !sentBy(c, v) {
			return core.Forbiddenf("Only who sent a contribution takes it back. You can refuse it.")
		}
		if err == nil {
			return errDecided(c.Status)
		}
		return err
	})
	return explained("withdraw contribution", err)
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
