package polls

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Voter is what tells one who votes from another: a mark of the browser and the
// address it comes from. Neither is stored.
type Voter struct {
	Mark string // see ballot.Box
	From core.Origin
}

// VoteInput is one vote.
type VoteInput struct {
	OptionID string
	Comment  string // may be empty
	Voter    Voter
}

// Outcome is what became of a vote.
type Outcome struct {
	Duplicate bool // it was counted before, and nothing changed
	Comment   CommentStatus
}

// Vote counts a vote once for each voter, and for each account however it comes
// in, and pays who is signed in. The vote counts whatever becomes of its
// comment; that of a repeated vote is dropped, as where the poll takes none.
// Errors: Invalid at option_id or comment, NotFound, Conflict with poll_closed.
func (s *Service) Vote(ctx context.Context, v core.Viewer, slug string, in VoteInput) (Outcome, error) {
	var problems core.Problems
	problems.Text("comment", &in.Comment, 0, MaxComment)
	if in.OptionID == "" {
		problems.Add("option_id", "is required: choose one of the answers")
	}
	if err := problems.Err(); err != nil {
		return Outcome{}, err
	}
	if !core.ValidSlug(slug) {
		return Outcome{}, errNoPoll()
	}
	if slug == dailySlug(s.now()) {
		if err := s.ensureDaily(ctx); err != nil {
			return Outcome{}, err
		}
	}
	out := Outcome{Comment: CommentNone}
	var commentID string
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		return tx.AsSystem(ctx, func(tx *pg.Tx) (err error) {
			out.Duplicate, commentID, err = s.count(ctx, tx, v, slug, in)
			return err
		})
	})
	if err != nil {
		return Outcome{}, explained("vote", err, errNoPoll())
	}
	if commentID != "" {
		out.Comment = s.settleComment(ctx, v, commentID, in)
	}
	return out, nil
}

// count stores the vote and, to wait for its verdict, the comment.
func (s *Service) count(ctx context.Context, tx *pg.Tx, v core.Viewer, slug string, in VoteInput) (duplicate bool, commentID string, err error) {
	p, err := lockForVote(ctx, tx, slug) // so that nobody closes it meanwhile
	if err != nil {
		return false, "", err
	}
	if p.settle(s.now()); !p.Public() {
		return false, "", errNoPoll()
	}
	if p.State == Closed {
		return false, "", errClosed()
	}
	if known, err := hasOption(ctx, tx, p.ID, in.OptionID); err != nil || !known {
		if err == nil {
			err = core.InvalidField("option_id", "is none of this poll's answers")
		}
		return false, "", err
	}
	counted, err := insertVote(ctx, tx, p.ID, in.OptionID, s.hash(p.ID, in.Voter), v.ID, s.now())
	if err != nil || !counted {
		return !counted, "", err
	}
	tx.Touch(Tallies)
	if v.SignedIn() {
		if err := s.award(ctx, tx, v.ID, core.AwardVote, p.Summary); err != nil {
			return false, "", err
		}
	}
	if in.Comment == "" || !p.AllowComments {
		return false, "", nil
	}
	commentID = pg.NewID()
	return false, commentID, insertComment(ctx, tx, commentID, p.ID, in.Comment, v.ID, s.now())
}

// settleComment has the comment judged once the vote is safe. What cannot be
// judged waits for staff.
func (s *Service) settleComment(ctx context.Context, v core.Viewer, id string, in VoteInput) CommentStatus {
	var status CommentStatus
	switch s.judge(ctx, v, core.Text{Scope: "poll_comment", Body: in.Comment, From: in.Voter.From,
		About: core.Target{Type: TargetComment, ID: id}}) {
	case core.DecisionApprove:
		status = CommentApproved
	case core.DecisionReject:
		status = CommentRejected
	default:
		return CommentPending
	}
	err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		tx.Touch(Tallies)
		return judgeComment(ctx, tx, id, status, s.now())
	})
	if err != nil {
		return CommentPending
	}
	return status
}

// hash is what is stored of a voter, another one at each poll.
func (s *Service) hash(pollID string, voter Voter) []byte {
	sum := hmac.New(sha256.New, s.hashKey())
	fmt.Fprintf(sum, "%s %q %q", pollID, voter.Mark, voter.From.AddressKey)
	return sum.Sum(nil)
}

// Choice is the option that the viewer or the voter chose; "" where they have
// not voted.
func (s *Service) Choice(ctx context.Context, v core.Viewer, pollID string, voter Voter) (optionID string, err error) {
	// As the system: nobody reads votes, and this one is the asker's own.
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) (err error) {
		optionID, err = choiceOf(ctx, q, pollID, s.hash(pollID, voter), v.ID)
		return err
	})
	if pg.NoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for a vote: %w", err)
	}
	return optionID, nil
}
