package contributions

import (
	"context"
	"encoding/json"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// DeskType is what a contribution is called at the moderators' desk.
const DeskType = "contribution"

// Desk is the side of contributions at the moderators' desk. Its methods run in
// the transaction of the desk, as staff or the system.
type Desk struct{ s *Service }

// Desk gives it.
func (s *Service) Desk() Desk { return Desk{s} }

// DecideTx approves or rejects what waits, and carries out after all what was
// refused. Approving carries out what was proposed: a listing is published, and
// belongs to its member and pays them if they are still here, an edit changes
// the entry as it is now, a place that is open is marked as verified, a closed
// one is archived. However many decide at once, one does. Errors: Unauthenticated, Forbidden, NotFound, Invalid, also where the
// entry would not be right any more, Conflict with already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	c, m, err := d.s.decide(ctx, tx, v, id, action, reason)
	if err != nil {
		return done, explained("decide contribution", err)
	}
	done.Ruling = core.Ruling{Kind: string(c.Kind) + "_" + string(c.Status), About: core.Target{Type: "directory_contribution", ID: c.ID},
		Title: c.EntryName, Reason: c.Reason}
	done.Memo, err = json.Marshal(m)
	return done, err
}

// UndoTx puts a contribution back to where it was before the decision, and the
// entry with it: a listing goes out of public sight and gives back what it
// paid, an edit gives the fields the values again that they had. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with cannot_undo where the
// contribution or the entry has changed since.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	c, err := lockForDecision(ctx, tx, v, id)
	if err != nil {
		return explained("undo decision", err)
	}
	var m memo
	if err := json.Unmarshal(kept, &m); err != nil {
		return fmt.Errorf("read how contribution %s was: %w", id, err)
	}
	// As the system: staff may put nobody's name to a decision but their own.
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		done, err := putBack(ctx, tx, id, m)
		switch {
		case breaks(err, "directory_contributions_still_open_once"), err == nil && !done:
			return errMoved()
		case err != nil || m.Entry == nil:
			return err
		}
		return d.s.takeBack(ctx, tx, c, *m.Entry)
	})
	return explained("undo decision", err)
}
