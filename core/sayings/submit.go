package sayings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
)

// Submit sends a saying through the moderation pipeline and stores it: what is
// approved or needs a look waits for staff, what is rejected is Spam and never
// shown. A pipeline that is missing or fails loses nothing: the saying waits.
// Errors: Unauthenticated, Invalid, Conflict with already_here or
// too_many_pending.
func (s *Service) Submit(ctx context.Context, v core.Viewer, in Input) (Sent, error) {
	if err := requireMember(v); err != nil {
		return Sent{}, err
	}
	if err := s.checkInput(ctx, &in); err != nil {
		return Sent{}, err
	}
	w, id := in.Words, pg.NewID()
	sent := Sent{Saying: Saying{ID: id, Text: w.Text, Meaning: w.Meaning, Attribution: w.Attribution, Region: w.Region,
		Category: w.Category, Status: Pending, CreatedAt: s.now()}}
	if s.rejects(ctx, v, id, in) {
		sent.Status = Spam
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		if err := insertSent(ctx, tx, v, sent.Saying); err != nil {
			return err
		}
		return tx.AsSystem(ctx, func(tx *pg.Tx) error { return settle(ctx, tx, id, sent.Status, in) })
	})
	switch {
	case breaks(err, "sayings_room"):
		return Sent{}, core.Conflictf("too_many_pending",
			"You have sent %d sayings that still wait for a moderator. Once some are decided, you can send more; you can also take some back.", MaxPending)
	case breaks(err, "saying_submissions_submitted_by_fkey"):
		return Sent{}, core.Unauthenticatedf("This account no longer exists.")
	case err != nil:
		return Sent{}, s.withPlace(ctx, explained("store saying", err), w.Text)
	}
	return sent, nil
}

func (s *Service) checkInput(ctx context.Context, in *Input) error {
	var p core.Problems
	if err := s.checkWords(ctx, &p, &in.Words); err != nil {
		return err
	}
	p.Line("submitter_name", &in.SubmitterName, 0, maxName)
	p.Line("submitter_email", &in.SubmitterEmail, 0, maxEmail)
	return p.Err()
}

// checkWords cleans the words in place.
func (s *Service) checkWords(ctx context.Context, p *core.Problems, w *Words) error {
	w.check(p)
	w.Category = strings.TrimSpace(w.Category)
	return s.checkCategory(ctx, p, w.Category)
}

func (w *Words) check(p *core.Problems) {
	p.Text("text", &w.Text, 1, MaxText)
	p.Text("meaning", &w.Meaning, 0, MaxMeaning)
	p.Line("attribution", &w.Attribution, 0, MaxAttribution)
	p.Line("region", &w.Region, 0, MaxRegion)
	if w.Text != "" && len(searchtext.Words(w.Text)) == 0 {
		p.Add("text", "has no word in it")
	}
}

// rejects tells whether the pipeline is sure of abuse. What cannot be judged is
// for people to look at.
func (s *Service) rejects(ctx context.Context, v core.Viewer, id string, in Input) bool {
	if s.needs.Moderator == nil {
		return false
	}
	verdict, err := s.needs.Moderator.Judge(ctx, v, core.Text{Scope: Scope, Body: in.body(), About: core.Target{Type: Scope, ID: id}, From: in.From})
	return err == nil && verdict.Decision == core.DecisionReject
}

// body is all that a person wrote.
func (in Input) body() string {
	var parts []string
	for _, part := range []string{in.Text, in.Meaning, in.Attribution, in.Region, in.SubmitterName} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

// withPlace adds to already_here the slug of the saying that is public, so that
// people can be led there.
func (s *Service) withPlace(ctx context.Context, err error, text string) error {
	var known *core.Error
	if !errors.As(err, &known) || known.Code != "already_here" {
		return err
	}
	var slug string
	if s.db.Public().QueryRow(ctx, `select slug from sayings y where text_key = $1 and `+isPublic, key(text)).Scan(&slug) == nil {
		known.Msg, known.Details = "This saying is here already.", map[string]any{"slug": slug}
	}
	return known
}

// breaks tells whether err comes from the named rule of a table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}

// Mine lists what the viewer sent, latest first. Errors: Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Sent], error) {
	list := core.List[Sent]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = sentByAccount(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own sayings: %w", err)
	}
	return list, nil
}

// Withdraw takes back what waits, and forgets it. Errors: Unauthenticated,
// NotFound, also for what others sent, Conflict with already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := deletePending(ctx, tx, v.ID, id)
		if err != nil || done {
			return err
		}
		sent, err := sentByID(ctx, tx, v.ID, id)
		if err == nil {
			return errDecided(sent.Status)
		}
		return err
	})
	return explained("withdraw saying", err)
}

// LeaveTx readies the area for an account's deletion. With remove what it sent
// goes, but for what is published; that, and all of it without remove, stays
// without its name.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if remove {
			if err := deleteUnpublished(ctx, tx, accountID); err != nil {
				return err
			}
		}
		return forgetSender(ctx, tx, accountID)
	})
	if err != nil {
		return fmt.Errorf("leave sayings: %w", err)
	}
	return nil
}
