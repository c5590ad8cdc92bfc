package apps

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Approve makes the submission the current version of its file. However many
// decide at once, one does. For who keeps the app. Errors: Unauthenticated,
// Forbidden, NotFound; Invalid, also where it does not fit the schema any more;
// Conflict with already_decided, too_many_files or, while in.BaseSeen is not the
// number of the current version, base_changed.
func (s *Service) Approve(ctx context.Context, v core.Viewer, id string, in ApproveInput) (Submission, error) {
	return s.decide(ctx, v, id, in.Reason, func(tx *pg.Tx, sent Submission, d *decision) error {
		if err := checkBase(sent, in.BaseSeen); err != nil {
			return err
		}
		content, err := submissionContent(ctx, tx, sent.ID)
		if err != nil {
			return err
		}
		if err := s.fits(ctx, tx, sent.AppSlug, sent.Filename, content); err != nil {
			return err
		}
		d.status = Approved
		stored, err := s.put(ctx, tx, sent.AppID, sent.Filename,
			newVersion{content: content, source: FromSubmission, submissionID: &sent.ID, authorID: sent.AccountID, message: sent.Message})
		if err != nil {
			return err
		}
		if d.versionID, err = currentVersionID(ctx, tx, stored.File); err != nil || stored.Unchanged {
			return err
		}
		return s.award(ctx, tx, sent)
	})
}

// checkBase keeps an owner from undoing unseen what came since the submission.
func checkBase(sent Submission, looked *int) error {
	if looked != nil && *looked == sent.CurrentVersion || looked == nil && sent.BaseVersion == sent.CurrentVersion {
		return nil
	}
	var e *core.Error
	switch {
	case sent.CurrentVersion == 0:
		e = core.Conflictf("base_changed", "%s has been removed since this was sent. Look again, and approve it if it should come back.", sent.Filename)
	case sent.BaseVersion == 0:
		e = core.Conflictf("base_changed", "There was no %s when this was sent, and now there is one. Look at the difference, and approve it if it should take its place.", sent.Filename)
	default:
		e = core.Conflictf("base_changed", "%s has changed since this was sent: it was version %d, and is version %d now. Look at the difference, and approve it if it is still right.",
			sent.Filename, sent.BaseVersion, sent.CurrentVersion)
	}
	e.Details = map[string]any{"base_version": sent.BaseVersion, "current_version": sent.CurrentVersion}
	return e
}

// award pays whoever sent the file, but not for an app of their own.
func (s *Service) award(ctx context.Context, tx *pg.Tx, sent Submission) error {
	if s.needs.Awards == nil || sent.AccountID == nil {
		return nil
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		a, err := appBySlug(ctx, tx, sent.AppSlug)
		if err != nil || a.OwnerID != nil && *a.OwnerID == *sent.AccountID {
			return err
		}
		_, err = s.needs.Awards.AwardTx(ctx, tx, core.Award{AccountID: *sent.AccountID, Reason: core.AwardFile,
			Detail: fmt.Sprintf("%s for %s", sent.Filename, sent.AppName), RefType: "app_submission", RefID: sent.ID})
		return err
	})
}

// Reject declines the submission; the reason may be empty. Errors: as of Approve.
func (s *Service) Reject(ctx context.Context, v core.Viewer, id, reason string) (Submission, error) {
	return s.decide(ctx, v, id, reason, func(_ *pg.Tx, _ Submission, d *decision) error {
		d.status = Rejected
		return nil
	})
}

// decide locks the app and the submission while it waits, lets effect carry out
// the decision, and stores that.
func (s *Service) decide(ctx context.Context, v core.Viewer, id, reason string,
	effect func(*pg.Tx, Submission, *decision) error) (Submission, error) {
	if err := requireMember(v); err != nil {
		return Submission{}, err
	}
	var p core.Problems
	p.Text("reason", &reason, 0, MaxReason)
	if err := p.Err(); err != nil {
		return Submission{}, err
	}
	if !core.ValidID(id) {
		return Submission{}, errNoSubmission()
	}
	var sent Submission
	err := s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		if sent, err = lockDecision(ctx, tx, v, id); err != nil {
			return err
		}
		d := decision{id: id, reason: reason, by: v.ID, at: s.now()}
		if err := effect(tx, sent, &d); err != nil {
			return err
		}
		if err := storeDecision(ctx, tx, d); err != nil {
			return err
		}
		sent, err = submissionByID(ctx, tx, id)
		return err
	})
	return sent, explained("decide submission", err, errNoSubmission())
}

// lockDecision reads a submission that waits, once nobody else decides it or
// changes the app's files.
func lockDecision(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (Submission, error) {
	sent, err := submissionByID(ctx, tx, id)
	if err != nil {
		return sent, err
	}
	a, err := appBySlug(ctx, tx, sent.AppSlug)
	if pg.NoRows(err) || err == nil && !CanManage(v, a.Summary) {
		return sent, core.Forbiddenf("Only the owner of an app decides what is sent to it.")
	}
	if err != nil {
		return sent, err
	}
	if err := lockApp(ctx, tx, a.ID); err != nil {
		return sent, err
	}
	waits, err := lockWaiting(ctx, tx, id)
	if err != nil {
		return sent, err
	}
	if sent, err = submissionByID(ctx, tx, id); err == nil && !waits {
		err = errDecided(sent)
	}
	return sent, err
}

// ApproveAll approves each by itself, in the order given, and tells how each
// went; two for the same file therefore end in base_changed for the second. The
// error is of the whole: Unauthenticated, or Invalid for none or too many ids.
func (s *Service) ApproveAll(ctx context.Context, v core.Viewer, ids []string, reason string) ([]Outcome, error) {
	return each(v, ids, func(id string) (Submission, error) { return s.Approve(ctx, v, id, ApproveInput{Reason: reason}) })
}

// RejectAll rejects each by itself. Errors: as of ApproveAll.
func (s *Service) RejectAll(ctx context.Context, v core.Viewer, ids []string, reason string) ([]Outcome, error) {
	return each(v, ids, func(id string) (Submission, error) { return s.Reject(ctx, v, id, reason) })
}

func each(v core.Viewer, ids []string, decide func(id string) (Submission, error)) ([]Outcome, error) {
	if err := requireMember(v); err != nil {
		return nil, err
	}
	if len(ids) == 0 || len(ids) > MaxDecisions {
		return nil, core.InvalidField("ids", "must be 1 to %d submissions, not %d", MaxDecisions, len(ids))
	}
	outcomes := make([]Outcome, len(ids))
	for i, id := range ids {
		sent, err := decide(id)
		if outcomes[i] = (Outcome{ID: id, Submission: sent}); err != nil {
			outcomes[i] = Outcome{ID: id, Err: core.AsError(err)}
		}
	}
	return outcomes, nil
}
