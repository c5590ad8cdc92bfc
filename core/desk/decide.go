package desk

import (
	"context"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
)

// Decide carries out one decision about each target, in a transaction of its own,
// so that one that fails keeps no other from being decided. Where there is one
// target, or all fail alike, the error is returned; otherwise the outcome names
// those that failed. What another moderator has claimed is theirs to decide.
// Abusive also blocks the address that the thing came from. For staff. Errors:
// Unauthenticated, Forbidden, Invalid, NotFound, Conflict with already_decided
// or claimed.
func (s *Service) Decide(ctx context.Context, v core.Viewer, d Decision) (Outcome, error) {
	out := Outcome{Batch: pg.NewID()}
	if err := requireStaff(v); err != nil {
		return out, err
	}
	if n := len(d.Targets); n == 0 || n > MaxBatch {
		return out, core.InvalidField("targets", "must name 1 to %d cases; choose at least one", MaxBatch)
	}
	var p core.Problems
	p.Text("reason", &d.Reason, 0, MaxReason)
	if err := p.Err(); err != nil {
		return out, err
	}
	for _, t := range distinct(d.Targets) {
		if err := s.decide(ctx, v, out.Batch, t, d); err != nil {
			out.Failed = append(out.Failed, Failure{t, err})
			continue
		}
		out.Done++
	}
	if out.Done == 0 && alike(out.Failed) {
		return out, out.Failed[0].Err
	}
	return out, nil
}

func distinct(list []core.Target) []core.Target {
	seen, kept := map[core.Target]bool{}, []core.Target(nil)
	for _, t := range list {
		if t.ID = strings.ToLower(t.ID); !seen[t] {
			seen[t] = true
			kept = append(kept, t)
		}
	}
	return kept
}

func alike(failed []Failure) bool {
	for _, f := range failed {
		if core.AsError(f.Err).Code != core.AsError(failed[0].Err).Code {
			return false
		}
	}
	return true
}

func (s *Service) decide(ctx context.Context, v core.Viewer, batch string, t core.Target, d Decision) error {
	cases, err := s.cases(t)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		claim, err := claimOf(ctx, tx, t)
		if err != nil {
			return err
		}
		if claim.AccountID != nil && *claim.AccountID != v.ID {
			return errClaimed(*claim.Username)
		}
		c, err := cases.CaseTx(ctx, tx, v, t.ID)
		if err != nil {
			return err
		}
		if c.SenderID != "" && c.SenderID == v.ID {
			return core.Forbiddenf("Nobody decides about their own. Another moderator will.")
		}
		done, err := cases.DecideTx(ctx, tx, v, t.ID, d.Action, d.Reason)
		if err != nil {
			return err
		}
		if d.Action == core.ActionAbusive {
			if err := s.block(ctx, tx, v, c); err != nil {
				return err
			}
		}
		done.Ruling.Reason = d.Reason
		if err := insertDecision(ctx, tx, v, batch, c, d, done.Memo, s.now()); err != nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, done.Ruling)
	})
	return explained("decide case", err)
}

// block keeps out the address that abuse came from, where it is known.
func (s *Service) block(ctx context.Context, tx *pg.Tx, v core.Viewer, c core.Case) error {
	if s.needs.Judge == nil {
		return nil
	}
	_, from, found, err := s.needs.Judge.VerdictTx(ctx, tx, c.Target)
	if err != nil || !found {
		return err
	}
	_, err = s.needs.Blocks.BlockTx(ctx, tx, v, core.Abuse{From: from, About: c.Target, Reason: "a moderator found abuse: " + c.Heading})
	return err
}

// Undo puts back the decisions of a batch that the viewer made within UndoFor,
// each in a transaction of its own, and lifts the blocks that came of them.
// Errors: Unauthenticated, Forbidden, NotFound where there is nothing to undo,
// Conflict with cannot_undo.
func (s *Service) Undo(ctx context.Context, v core.Viewer, batch string) (Outcome, error) {
	out := Outcome{Batch: batch}
	if err := requireStaff(v); err != nil {
		return out, err
	}
	if !core.ValidID(batch) {
		return out, errNothing()
	}
	var list []undoable
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list, err = undoables(ctx, q, batch, v.ID, s.now().Add(-UndoFor))
		return err
	})
	if err != nil {
		return out, explained("undo decision", err)
	}
	if len(list) == 0 {
		return out, errNothing()
	}
	for _, one := range list {
		if err := s.undo(ctx, v, one); err != nil {
			out.Failed = append(out.Failed, Failure{one.target(), err})
			continue
		}
		out.Done++
	}
	if out.Done == 0 && alike(out.Failed) {
		return out, out.Failed[0].Err
	}
	return out, nil
}

func (s *Service) undo(ctx context.Context, v core.Viewer, one undoable) error {
	t := one.target()
	cases, err := s.cases(t)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		first, err := markUndone(ctx, tx, one, s.now())
		if err != nil {
			return err
		}
		if !first {
			return core.Conflictf("cannot_undo", "This was undone already, or something else was decided since.")
		}
		if err := cases.UndoTx(ctx, tx, v, t.ID, one.Memo); err != nil {
			return err
		}
		if one.Action == core.ActionAbusive {
			if err := s.needs.Blocks.LiftAboutTx(ctx, tx, v, t, "the decision was undone"); err != nil {
				return err
			}
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "decision_undone", About: t, Title: one.Title, Reason: string(one.Action)})
	})
	return explained("undo decision", err)
}

func errNothing() *core.Error {
	return core.NotFoundf("There is nothing to undo: it was longer than a quarter of an hour ago, or was undone already.")
}
