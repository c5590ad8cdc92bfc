package reviews

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
)

// Write sends the viewer's review of a product through the moderation pipeline
// and stores it in the place of an earlier one: what is approved or needs a look
// waits for staff, what is rejected is Spam and never shown. A pipeline that is
// missing or fails loses nothing: the review waits. Of several that come at
// once, the last stays. Errors: Unauthenticated, NotFound, Invalid, Conflict with
// too_many_pending.
func (s *Service) Write(ctx context.Context, v core.Viewer, product string, in Input) (Sent, error) {
	if err := requireMember(v); err != nil {
		return Sent{}, err
	}
	if err := in.check(); err != nil {
		return Sent{}, err
	}
	p, err := s.Product(ctx, core.Nobody(), product)
	if err != nil {
		return Sent{}, err
	}
	sent := Sent{Review: Review{ID: pg.NewID(), ProductSlug: p.Slug, ProductName: p.Name, ProductImageURL: p.ImageURL, Rating: in.Rating,
		Title: in.Title, Body: in.Body, Author: v.Username, Username: v.Username, Status: Pending, CreatedAt: s.now()}}
	if s.judge(ctx, v, sent.ID, in) == core.DecisionReject {
		sent.Status = Spam
	}
	err = s.db.Write(ctx, asMember(v), func(tx *pg.Tx) error {
		replaced, err := replaceReview(ctx, tx, v.ID, p.ID, sent.Review)
		if err != nil {
			return err
		}
		if replaced { // what was public
			tx.Touch(Area)
		}
		if sent.Status != Spam {
			return nil
		}
		return tx.AsSystem(ctx, func(tx *pg.Tx) error { return markSpam(ctx, tx, sent.ID) })
	})
	switch {
	case breaks(err, "reviews_room"):
		return Sent{}, core.Conflictf("too_many_pending",
			"You have sent %d reviews that still wait for a moderator. Once some are decided, you can send more; you can also take some back.", MaxPending)
	case breaks(err, "reviews_account_id_fkey"):
		return Sent{}, core.Unauthenticatedf("This account no longer exists.")
	case pg.Denied(err): // perhaps because the product was hidden meanwhile
		if _, gone := s.Product(ctx, core.Nobody(), product); gone != nil {
			return Sent{}, gone
		}
		fallthrough
	case err != nil:
		return Sent{}, explained("store review", err)
	}
	return sent, nil
}

// asMember is the viewer without an appointment: staff write reviews as everybody
// does, and have no right on anybody's words.
func asMember(v core.Viewer) core.Viewer {
	v.Role = core.Member
	return v
}

// check cleans the input in place.
func (in *Input) check() error {
	var p core.Problems
	in.problems(&p)
	return p.Err()
}

func (in *Input) problems(p *core.Problems) {
	if in.Rating < MinRating || in.Rating > MaxRating {
		p.Add("rating", "must be %d to %d stars", MinRating, MaxRating)
	}
	p.Line("title", &in.Title, 0, MaxTitle)
	p.Text("body", &in.Body, MinBody, MaxBody)
}

// judge never fails: what cannot be judged is for people to look at.
func (s *Service) judge(ctx context.Context, v core.Viewer, id string, in Input) core.Decision {
	if s.needs.Moderator == nil {
		return core.DecisionReview
	}
	verdict, err := s.needs.Moderator.Judge(ctx, v, core.Text{Scope: Scope, Body: strings.TrimSpace(in.Title + "\n" + in.Body),
		About: core.Target{Type: Scope, ID: id}, From: in.From})
	if err != nil {
		return core.DecisionReview
	}
	return verdict.Decision
}

// breaks tells whether err comes from the named rule of a table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}

// Withdraw takes back what CanWithdraw allows, and forgets it. Errors:
// Unauthenticated, NotFound, also for what others sent, Conflict with
// already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	err := s.db.Write(ctx, asMember(v), func(tx *pg.Tx) error {
		seen, err := deleteReview(ctx, tx, v.ID, id)
		switch {
		case err == nil && seen:
			tx.Touch(Area)
			return nil
		case !pg.NoRows(err):
			return err
		}
		if _, err := sentByID(ctx, tx, v.ID, id); err != nil {
			return err
		}
		return core.Conflictf("already_decided", "A moderator has decided about this review, so it stays for the record. You can write it again.")
	})
	return explained("withdraw review", err)
}

// LeaveTx readies the area for an account's deletion. With remove its reviews
// go; else they stay without its name.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	tx.Touch(Area)
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if remove {
			return deleteReviewsOf(ctx, tx, accountID)
		}
		return forgetAuthor(ctx, tx, accountID)
	})
	if err != nil {
		return fmt.Errorf("leave reviews: %w", err)
	}
	return nil
}
