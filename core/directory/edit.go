package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// CanEdit tells whether the viewer may change the entry directly: staff and
// its owner may. Everybody else suggests.
func CanEdit(v core.Viewer, e Entry) bool {
	return v.IsStaff() || v.SignedIn() && e.OwnerID != nil && *e.OwnerID == v.ID
}

// FormOf is the entry as the input that a form of it starts with.
func FormOf(e Entry) Input {
	in := Input{
		ID: e.ID, Slug: e.Slug, Kind: e.Kind, Name: e.Name, Category: text(e.Category),
		Summary: e.Summary.Summary, Description: e.Description,
		Address: text(e.Address), City: text(e.City), Region: text(e.Region), Country: text(e.Country), Zip: text(e.Zip),
		Lat: e.Lat, Lng: e.Lng, Phone: text(e.Phone), Email: text(e.Email), Website: text(e.Website), ImageURL: text(e.ImageURL),
		Links: slices.Clone(e.Links), Tags: slices.Clone(e.Tags), Hours: e.Hours,
		StartsAt: e.StartsAt, EndsAt: e.EndsAt, YearStart: e.YearStart, YearEnd: e.YearEnd,
	}
	in.Normalize()
	return in
}

// GetFor reads an entry as the viewer may see it: besides what is public,
// owners see their own in every state, and staff see all. Errors: NotFound.
func (s *Service) GetFor(ctx context.Context, v core.Viewer, kind Kind, slug string) (e Entry, err error) {
	if !core.ValidSlug(slug) {
		return Entry{}, errNoEntry(slug)
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		e, err = visibleEntry(ctx, tx, kind, slug)
		return err
	})
	if pg.NoRows(err) {
		return Entry{}, errNoEntry(slug)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("get entry: %w", err)
	}
	return e, nil
}

// Check normalises what a person says of an entry and adds what is wrong with
// it to p. Unlike an import, it wants a category of the curated list.
func (s *Service) Check(ctx context.Context, in *Input, p *core.Problems) error {
	curated, err := s.curated(ctx)
	if err != nil {
		return err
	}
	in.Normalize()
	in.check(p)
	if in.Category == "" {
		return nil
	}
	known := curated.known(in.Kind, []string{in.Category})
	if len(known) == 0 {
		p.Add("category", "is not on the list of this kind; choose one of the list, or none")
		return nil
	}
	in.Category = known[0]
	return nil
}

// Update stores a form of the whole entry that started with FormOf. seen is the
// UpdatedAt of the entry that the form showed. For staff and the owner. Errors:
// Invalid, Forbidden, NotFound, and Conflict with the code changed_meanwhile.
func (s *Service) Update(ctx context.Context, v core.Viewer, id string, in Input, seen time.Time) (Entry, error) {
	if !core.ValidID(id) {
		return Entry{}, errNoEntry(id)
	}
	before, err := s.entryFor(ctx, v, id)
	if err != nil {
		return Entry{}, err
	}
	if !CanEdit(v, before) {
		return Entry{}, core.Forbiddenf("Only its owner and staff change this entry directly. You can suggest a change.")
	}
	in.Kind = before.Kind
	var p core.Problems
	if err := s.Check(ctx, &in, &p); err != nil {
		return Entry{}, err
	}
	if err := p.Err(); err != nil {
		return Entry{}, err
	}
	// Members have no right to write the search index, which must change with
	// the entry; so the program writes for an owner.
	writer := v
	if !v.IsStaff() {
		writer = core.TheSystem()
	}
	var after Entry
	err = s.db.Write(ctx, writer, func(tx *pg.Tx) error {
		e, err := s.LockTx(ctx, tx, id)
		if err != nil {
			return err
		}
		if !CanEdit(v, e) || !e.UpdatedAt.Equal(seen) {
			return core.Conflictf("changed_meanwhile", "This entry has changed since you opened it. Look at it again, then make your change.")
		}
		if err := s.ChangeTx(ctx, tx, e, in); err != nil {
			return err
		}
		after, err = s.LockTx(ctx, tx, id)
		return err
	})
	return after, named("update entry", err)
}

// named wraps what is not meant for a person with the operation.
func named(operation string, err error) error {
	var known *core.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%s: %w", operation, err)
}

func (s *Service) entryFor(ctx context.Context, v core.Viewer, id string) (e Entry, err error) {
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		e, err = s.EntryTx(ctx, tx, id)
		return err
	})
	return e, named("get entry", err)
}

// The methods below serve contributions: they run in the transaction of a
// decision, whose viewer is staff or the system, and keep the index in step.

// EntryTx reads an entry in any state that the transaction's viewer may see.
// Errors: NotFound.
func (s *Service) EntryTx(ctx context.Context, tx pg.Querier, id string) (Entry, error) {
	return found(entryByID(ctx, tx, id, ``))
}

// LockTx is EntryTx that keeps others from changing the entry until the
// transaction ends.
func (s *Service) LockTx(ctx context.Context, tx *pg.Tx, id string) (Entry, error) {
	return found(entryByID(ctx, tx, id, ` for update of e`))
}

func found(e Entry, err error) (Entry, error) {
	if pg.NoRows(err) {
		return Entry{}, core.NotFoundf("There is no such entry any more.")
	}
	return e, err
}

// CreateTx publishes a new entry under a slug made of its name and city, with
// a number where others have it. The input has passed Check.
func (s *Service) CreateTx(ctx context.Context, tx *pg.Tx, in Input) (Summary, error) {
	in.ID, in.Status = pg.NewID(), Published
	for {
		slug, err := s.SlugTx(ctx, tx, in)
		if err != nil {
			return Summary{}, err
		}
		in.Slug = slug
		stored, err := writeRecord(ctx, tx, insertEntry, newRecord(in, 0), s.now())
		if err != nil {
			return Summary{}, err
		}
		if len(stored) == 0 {
			continue // someone else took the slug just now
		}
		tx.Touch(Area)
		return stored[0].Summary, s.index(ctx, tx, stored)
	}
}

// SlugTx is the slug that a new entry with the id of the input would have now.
func (s *Service) SlugTx(ctx context.Context, tx *pg.Tx, in Input) (string, error) {
	return freeSlug(ctx, tx, slugs.Make(string(in.Kind)+"-"+strings.ToLower(in.ID[24:]), in.Name, in.City))
}

// ChangeTx gives an entry, locked before, every field of the input, empty ones
// included; slug, kind, owner, status and the mark "verified" stay. The input
// has passed Check.
func (s *Service) ChangeTx(ctx context.Context, tx *pg.Tx, e Entry, in Input) error {
	in.ID, in.Slug, in.Kind = e.ID, e.Slug, e.Kind
	stored, err := writeRecord(ctx, tx, updateEntry, newRecord(in, 0), s.now())
	if err != nil {
		return err
	}
	tx.Touch(Area)
	return s.index(ctx, tx, stored)
}

// ArchiveTx takes an entry that is no more out of every public read.
func (s *Service) ArchiveTx(ctx context.Context, tx *pg.Tx, id string) error {
	status := Archived
	return s.mark(ctx, tx, id, &status, nil)
}

// ConfirmTx notes that an entry was found to be right at this moment.
func (s *Service) ConfirmTx(ctx context.Context, tx *pg.Tx, id string) error {
	verified := true
	return s.mark(ctx, tx, id, nil, &verified)
}

// MarkTx gives an entry a status and the mark "verified", or takes it: an undone
// decision puts both back.
func (s *Service) MarkTx(ctx context.Context, tx *pg.Tx, id string, status Status, verified bool) error {
	return s.mark(ctx, tx, id, &status, &verified)
}

func (s *Service) mark(ctx context.Context, tx *pg.Tx, id string, status *Status, verified *bool) error {
	stored, err := pg.All[storedEntry](ctx, tx, markEntry, id, s.now(), status, verified)
	if err != nil {
		return err
	}
	tx.Touch(Area)
	return s.index(ctx, tx, stored)
}
