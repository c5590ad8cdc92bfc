package shoutouts

import (
	"context"
	"math"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
	"homeplace/core/settings"
)

// Post sends a shout-out through the moderation pipeline and stores it: what is
// rejected is Spam and never shown, what is approved is public at once where the
// setting shoutouts_require_approval is off, and everything else waits for
// staff. A pipeline that is missing or fails loses nothing. Nobody needs to be
// signed in; where somebody is, a business that the directory does not have
// becomes the draft of a listing, unless too many of theirs wait. Errors:
// Invalid, Unauthenticated for an account that no longer exists.
func (s *Service) Post(ctx context.Context, v core.Viewer, in Input) (Posted, error) {
	if err := in.Check(); err != nil {
		return Posted{}, err
	}
	listed, err := s.link(ctx, &in)
	if err != nil {
		return Posted{}, err
	}
	posted := Posted{ID: pg.NewID()}
	posted.Status = s.judge(ctx, v, posted.ID, in)
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		var contribution *string
		if v.SignedIn() && !listed && posted.Status != Spam {
			var err error
			if contribution, posted.Draft, err = s.draft(ctx, tx, v, in); err != nil {
				return err
			}
		}
		return s.store(ctx, tx, v, in, posted, contribution)
	})
	if breaks(err, "shoutout_senders_account_id_fkey") || breaks(err, "directory_contributions_account_id_fkey") {
		return Posted{}, core.Unauthenticatedf("This account no longer exists.")
	}
	if breaks(err, "shoutouts_entry_id_fkey") {
		return Posted{}, errNoBusiness()
	}
	if err != nil {
		return Posted{}, explained("store shout-out", err)
	}
	return posted, nil
}

// Check cleans the input in place and says everything that is wrong with it.
// Errors: Invalid.
func (in *Input) Check() error {
	var p core.Problems
	p.Line("business_name", &in.BusinessName, 1, MaxBusiness)
	if in.BusinessName != "" && len(searchtext.Words(in.BusinessName)) == 0 {
		p.Add("business_name", "has no word in it")
	}
	if !(in.Rating >= MinRating && in.Rating <= MaxRating) || in.Rating*2 != math.Trunc(in.Rating*2) {
		p.Add("rating", "must be a number of stars from 1 to 5; halves count, such as 4.5")
	}
	p.Line("city", &in.City, 0, MaxCity)
	p.Text("body", &in.Body, 0, MaxBody)
	p.Line("submitter_name", &in.SubmitterName, 0, MaxName)
	if in.EntryID != "" && !core.ValidID(in.EntryID) {
		p.Add("directory_entry_id", "must be the id of a business of the directory, a UUID")
	}
	return p.Err()
}

func errNoBusiness() *core.Error {
	return core.InvalidField("directory_entry_id", "is no business of the directory; leave it out where the business is not listed")
}

// link finds the listing of the business: the one that was named, else the only
// one that has the name. listed is true also where several have it, so that no
// further one is drafted.
func (s *Service) link(ctx context.Context, in *Input) (listed bool, err error) {
	if in.EntryID != "" {
		known, err := isBusiness(ctx, s.db.Public(), in.EntryID)
		if err != nil {
			return false, explained("find the business", pg.Err(err))
		}
		if !known {
			return false, errNoBusiness()
		}
		return true, nil
	}
	if in.Unlisted {
		return false, nil
	}
	found, err := s.Matches(ctx, in.BusinessName, in.City)
	if err == nil && len(found) == 1 {
		in.EntryID = found[0].ID
	}
	return len(found) > 0, err
}

// judge never fails: what cannot be judged is for people to look at.
func (s *Service) judge(ctx context.Context, v core.Viewer, id string, in Input) Status {
	if s.needs.Moderator == nil {
		return Pending
	}
	verdict, err := s.needs.Moderator.Judge(ctx, v, core.Text{Scope: Scope, Body: in.text(), About: core.Target{Type: Scope, ID: id}, From: in.From})
	switch {
	case err != nil:
		return Pending
	case verdict.Decision == core.DecisionReject:
		return Spam
	case verdict.Decision == core.DecisionApprove && !s.needs.Settings.Switch(settings.ShoutOutsRequireApproval):
		return Approved
	}
	return Pending
}

// text is all that a person wrote.
func (in Input) text() string {
	var parts []string
	for _, part := range []string{in.BusinessName, in.City, in.Body, in.SubmitterName} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

// draft proposes the business for the directory. A shout-out stands without.
func (s *Service) draft(ctx context.Context, tx *pg.Tx, v core.Viewer, in Input) (contribution *string, slug string, err error) {
	if s.needs.Drafts == nil {
		return nil, "", nil
	}
	id, slug, err := s.needs.Drafts.DraftTx(ctx, tx, v, in.BusinessName, in.City)
	if kind := core.KindOf(err); err != nil && (kind == core.Invalid || kind == core.Conflict) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return &id, slug, nil
}

// store writes the shout-out, and pays for one that is public at once. What
// nobody in particular sends, the system stores.
func (s *Service) store(ctx context.Context, tx *pg.Tx, v core.Viewer, in Input, posted Posted, contribution *string) error {
	if v.SignedIn() {
		if err := insertSent(ctx, tx, v.ID, posted.ID, in, contribution, s.now()); err != nil {
			return err
		}
	}
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if !v.SignedIn() {
			if err := insertAnonymous(ctx, tx, posted.ID, in, s.hash(in.Mark), s.now()); err != nil {
				return err
			}
		}
		if posted.Status == Pending {
			return nil
		}
		return setStatus(ctx, tx, posted.ID, posted.Status, nil)
	})
	if err != nil || posted.Status != Approved {
		return err
	}
	tx.Touch(Area)
	if !v.SignedIn() {
		return nil
	}
	return s.award(ctx, tx, &v.ID, posted.ID, in.BusinessName)
}
