package apps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"homeplace/core"
	"homeplace/core/apps/difference"
	"homeplace/core/pg"
)

// Submit proposes a file for a public app, or for one that the viewer keeps. Its
// message goes through the moderation pipeline: what that rejects is refused with
// the file, and what it would hold goes to the owner at once, marked as
// questionable, as they alone decide and read it. Errors: Unauthenticated,
// NotFound, Invalid and TooLarge as of Upload, Invalid with spam for the message,
// Conflict with too_many_pending or queue_full.
func (s *Service) Submit(ctx context.Context, v core.Viewer, slug string, in SubmitInput) (Submission, error) {
	if !v.SignedIn() {
		return Submission{}, core.Unauthenticatedf("Sign in to send a file to an app.")
	}
	content, err := in.check()
	if err != nil {
		return Submission{}, err
	}
	sum := sha256.Sum256(content)
	sent := Submission{ID: pg.NewID(), Filename: in.Filename, SizeBytes: len(content), SHA256: hex.EncodeToString(sum[:]), Message: in.Message,
		AccountID: &v.ID, CreatedAt: s.now(), Content: content}
	if _, err := s.Get(ctx, v, slug); err != nil { // nothing is judged for an app that the viewer cannot see
		return Submission{}, err
	}
	if sent.Questionable, err = s.judge(ctx, v, sent, in.From); err != nil {
		return Submission{}, err
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		a, err := seen(ctx, tx, slug)
		if err != nil {
			return err
		}
		if !a.Public() && !CanManage(v, a.Summary) { // staff see more apps than take submissions
			return errNoApp(slug)
		}
		if err := s.fits(ctx, tx, slug, in.Filename, content); err != nil {
			return err
		}
		sent.AppID = a.ID
		if err := s.queue(ctx, tx, &sent, sum[:]); err != nil {
			return err
		}
		sent, err = submissionByID(ctx, tx, sent.ID)
		sent.Content = content
		return err
	})
	if breaks(err, "app_submissions_room") {
		return Submission{}, core.Conflictf("too_many_pending",
			"You have sent this app %d files that still wait for its owner. Once some are decided, you can send more; you can also take some back.", MaxPendingOfMember)
	}
	return sent, explained("submit file", err, errNoApp(slug))
}

// MessageType is what messages to owners are to the moderation pipeline: the
// scope of word rules for them.
const MessageType = "app_submission"

// judge tells whether the message of a submission is questionable. A pipeline that
// fails loses nothing: the owner looks at it anyway.
func (s *Service) judge(ctx context.Context, v core.Viewer, sent Submission, from core.Origin) (questionable bool, err error) {
	if s.needs.Moderator == nil || sent.Message == "" {
		return false, nil
	}
	verdict, err := s.needs.Moderator.Judge(ctx, v, core.Text{Scope: MessageType, Body: sent.Message,
		About: core.Target{Type: MessageType, ID: sent.ID}, From: from})
	switch {
	case err != nil:
		return true, nil
	case verdict.Decision == core.DecisionReject:
		refused := core.InvalidField("message", "reads like spam or abuse to us, so nothing was sent; please write it another way")
		refused.Code = "spam"
		return false, refused
	}
	return verdict.Decision == core.DecisionReview, nil
}

func (in *SubmitInput) check() ([]byte, error) {
	var p core.Problems
	checkFilename(&p, &in.Filename)
	p.Text("message", &in.Message, 0, MaxMessage)
	content, err := contentOf(in.Content)
	return content, joined(&p, err)
}

// queue stores the submission, and counts what waits at the app in all: the
// insert locked that for this transaction (app_submission_room).
func (s *Service) queue(ctx context.Context, tx *pg.Tx, sent *Submission, sum []byte) error {
	file, err := fileByName(ctx, tx, sent.AppID, sent.Filename)
	if err != nil && !pg.NoRows(err) {
		return err
	}
	sent.BaseVersion = file.Version
	if err := insertSubmission(ctx, tx, *sent, sum); err != nil {
		return err
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		waiting, err := countWaiting(ctx, tx, sent.AppID)
		if err == nil && waiting > MaxPendingOfApp {
			return core.Conflictf("queue_full", "%d files wait for the owner of this app. Please try again when some are decided.", MaxPendingOfApp)
		}
		return err
	})
}

// Submissions lists what was submitted to an app. For who keeps it. Errors:
// Unauthenticated, NotFound, Forbidden, Invalid.
func (s *Service) Submissions(ctx context.Context, v core.Viewer, slug string, f SubmissionFilter) (SubmissionList, error) {
	if err := requireMember(v); err != nil {
		return SubmissionList{}, err
	}
	if f.Status == "" {
		f.Status = Waiting
	}
	switch f.Status {
	case Waiting, Approved, Rejected, Withdrawn:
	default:
		return SubmissionList{}, core.InvalidField("status", "must be pending, approved, rejected or withdrawn, not %q", f.Status)
	}
	f.Page, f.Filename = SubmissionRule.Clamp(f.Page), strings.TrimSpace(f.Filename)
	list := SubmissionList{List: core.List[Submission]{Page: f.Page}}
	err := s.db.Read(ctx, v, func(q pg.Querier) error {
		a, err := kept(ctx, q, v, slug)
		if err != nil {
			return err
		}
		list.App = a.Summary
		if list.Counts, err = countSubmissions(ctx, q, a.ID); err != nil {
			return err
		}
		list.Items, list.Total, err = submissionsTo(ctx, q, a.ID, f)
		return err
	})
	return list, explained("list submissions", err, errNoApp(slug))
}

// MySubmissions lists what the viewer sent, latest first. Errors: Unauthenticated.
func (s *Service) MySubmissions(ctx context.Context, v core.Viewer, page core.Page) (core.List[Submission], error) {
	list := core.List[Submission]{Page: SubmissionRule.Clamp(page)}
	if !v.SignedIn() {
		return list, core.Unauthenticatedf("Sign in to see what you sent.")
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = submissionsFrom(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own submissions: %w", err)
	}
	return list, nil
}

// Submission reads one with its content: for its sender and for who keeps the
// app. Errors: Unauthenticated, NotFound.
func (s *Service) Submission(ctx context.Context, v core.Viewer, id string) (Submission, error) {
	if err := requireMember(v); err != nil {
		return Submission{}, err
	}
	if !core.ValidID(id) {
		return Submission{}, errNoSubmission()
	}
	var sent Submission
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		if sent, err = submissionByID(ctx, q, id); err == nil {
			sent.Content, err = submissionContent(ctx, q, id)
		}
		return err
	})
	return sent, explained("read submission", err, errNoSubmission())
}

// Difference compares a submission with the file as it is now: for its sender
// and for who keeps the app. Errors: Unauthenticated, NotFound.
func (s *Service) Difference(ctx context.Context, v core.Viewer, id string) (Comparison, error) {
	sent, err := s.Submission(ctx, v, id)
	if err != nil {
		return Comparison{}, err
	}
	current, err := s.VersionData(ctx, v, sent.AppSlug, sent.Filename, 0)
	switch {
	case err == nil:
		sent.CurrentVersion = current.Version // what is compared is what was seen
	case core.KindOf(err) == core.NotFound:
		current.Content, sent.CurrentVersion = nil, 0
	default:
		return Comparison{}, err
	}
	found, err := difference.Of(current.Content, sent.Content)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare submission: %w", err)
	}
	return Comparison{Submission: sent, Difference: found}, nil
}

// Withdraw takes back what waits. Errors: Unauthenticated, Forbidden, NotFound,
// Conflict with already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to take back what you sent.")
	}
	if !core.ValidID(id) {
		return errNoSubmission()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := withdraw(ctx, tx, id, v.ID)
		if err != nil || done {
			return err
		}
		sent, err := submissionByID(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case sent.AccountID == nil || *sent.AccountID != v.ID:
			return core.Forbiddenf("Only who sent a file takes it back. You can reject it.")
		}
		return errDecided(sent)
	})
	return explained("withdraw submission", err, errNoSubmission())
}

func errNoSubmission() *core.Error {
	return core.NotFoundf("There is no such submission here.")
}

// errDecided says that a submission no longer waits, and how it was decided.
func errDecided(s Submission) *core.Error {
	e := core.Conflictf("already_decided", "This submission was %s already.", s.Status)
	if s.DecidedBy != nil {
		e.Msg = fmt.Sprintf("This submission was %s already, by %s.", s.Status, *s.DecidedBy)
	}
	e.Details = map[string]any{"status": string(s.Status)}
	return e
}
