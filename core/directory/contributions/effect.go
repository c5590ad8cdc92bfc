package contributions

import (
	"context"
	"encoding/json"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// memo is what undoes a decision: how the contribution was, how the decision
// left it, and the entry that it changed.
type memo struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Entry  *entryMemo      `json:"entry"` // nil where nothing was carried out
}

// entryMemo is an entry as it was before a decision changed it.
type entryMemo struct {
	ID       string           `json:"id"`
	Status   directory.Status `json:"status"`
	Verified bool             `json:"verified"`
	Fields   Patch            `json:"fields"` // those that an edit changed
	Left     entryState       `json:"left"`
}

// entryState is by what it shows that an entry has not changed since.
type entryState struct {
	UpdatedAt time.Time `json:"updated_at"`
	Hidden    bool      `json:"hidden"`
}

func (a entryState) equals(e directory.Entry) bool {
	return a.UpdatedAt.Equal(e.UpdatedAt) && a.Hidden == e.Hidden
}

// carryOut does what was proposed.
func (s *Service) carryOut(ctx context.Context, tx *pg.Tx, c *Contribution) (m *entryMemo, err error) {
	if c.Kind == KindListing {
		m, err = s.publish(ctx, tx, c)
	} else {
		m, err = s.change(ctx, tx, *c)
	}
	if err != nil {
		return nil, err
	}
	e, err := s.directory.EntryTx(ctx, tx, m.ID)
	m.Left = entryState{e.UpdatedAt, e.Hidden}
	return m, err
}

// publish makes the entry of a listing, or shows the one again that an undone
// approval has left.
func (s *Service) publish(ctx context.Context, tx *pg.Tx, c *Contribution) (*entryMemo, error) {
	in, err := s.checkListing(ctx, c.Patch.Input)
	if err != nil {
		return nil, err
	}
	shown, err := s.publishAgain(ctx, tx, *c, in)
	if err != nil {
		return nil, err
	}
	if !shown {
		in.OwnerID = c.AccountID
		e, err := s.directory.CreateTx(ctx, tx, in)
		if err != nil {
			return nil, err
		}
		c.EntryID = &e.ID
	}
	m := &entryMemo{ID: *c.EntryID, Status: directory.Draft}
	if c.AccountID == "" { // who sent it has left
		return m, nil
	}
	award := awardFor(*c)
	award.Detail = in.Name
	_, err = s.points.AwardTx(ctx, tx, award)
	return m, err
}

// publishAgain leaves an entry behind that has become another kind of thing.
func (s *Service) publishAgain(ctx context.Context, tx *pg.Tx, c Contribution, in directory.Input) (done bool, err error) {
	if c.EntryID == nil {
		return false, nil
	}
	e, err := s.directory.LockTx(ctx, tx, *c.EntryID)
	if err != nil {
		return false, err
	}
	if e.Kind != in.Kind {
		return false, s.directory.ArchiveTx(ctx, tx, e.ID)
	}
	if err := s.directory.ChangeTx(ctx, tx, e, in); err != nil {
		return false, err
	}
	return true, s.directory.MarkTx(ctx, tx, e.ID, directory.Published, e.Verified)
}

// awardFor is what the approval of a member's listing pays.
func awardFor(c Contribution) core.Award {
	return core.Award{AccountID: c.AccountID, Reason: core.AwardListing, Detail: c.EntryName, RefType: "directory_entry", RefID: *c.EntryID}
}

// change carries out an edit, or word about a place.
func (s *Service) change(ctx context.Context, tx *pg.Tx, c Contribution) (*entryMemo, error) {
	e, err := s.directory.LockTx(ctx, tx, *c.EntryID)
	if err != nil {
		return nil, err
	}
	m := &entryMemo{ID: e.ID, Status: e.Status, Verified: e.Verified}
	switch {
	case c.Kind == KindStillOpen && *c.Open:
		return m, s.directory.ConfirmTx(ctx, tx, e.ID)
	case c.Kind == KindStillOpen:
		return m, s.directory.ArchiveTx(ctx, tx, e.ID)
	}
	in, err := s.edited(ctx, e, c.Patch)
	if err != nil {
		return nil, err
	}
	m.Fields = Changed(in, directory.FormOf(e))
	return m, s.directory.ChangeTx(ctx, tx, e, in)
}

// edited is the entry as the patch makes it.
func (s *Service) edited(ctx context.Context, e directory.Entry, patch Patch) (directory.Input, error) {
	in := directory.FormOf(e)
	patch.Apply(&in)
	in.Kind = e.Kind
	var p core.Problems
	if err := s.directory.Check(ctx, &in, &p); err != nil {
		return in, err
	}
	return in, p.Err()
}

// takeBack puts an entry back to where it was, where it has not changed since.
func (s *Service) takeBack(ctx context.Context, tx *pg.Tx, c Contribution, m entryMemo) error {
	e, err := s.directory.LockTx(ctx, tx, m.ID)
	switch {
	case err != nil:
		return err
	case !m.Left.equals(e):
		return errMoved()
	case c.Kind == KindEdit:
		in := directory.FormOf(e)
		m.Fields.Apply(&in)
		return s.directory.ChangeTx(ctx, tx, e, in)
	case c.Kind == KindStillOpen:
		return s.directory.MarkTx(ctx, tx, e.ID, m.Status, m.Verified)
	}
	if err := s.directory.MarkTx(ctx, tx, e.ID, m.Status, e.Verified); err != nil || c.AccountID == "" {
		return err
	}
	return s.points.RevokeTx(ctx, tx, awardFor(c))
}
