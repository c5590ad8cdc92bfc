package moderation

import (
	"context"
	"fmt"
	"log/slog"

	"homeplace/core"
	"homeplace/core/llm"
	"homeplace/core/pg"
)

// model is a language model that decides on the borderline.
type model interface {
	Configured() bool
	Moderate(ctx context.Context, text string) (llm.Verdict, error)
}

// blocker keeps an address from sending for a time.
type blocker interface {
	BlockTx(ctx context.Context, tx *pg.Tx, by core.Viewer, a core.Abuse) (blocked bool, err error)
}

// Service judges the texts of every area. Its methods are safe for concurrent
// use.
type Service struct {
	db     *pg.DB
	model  model
	blocks blocker
	log    *slog.Logger
}

// New makes the service.
func New(db *pg.DB, model model, blocks blocker, log *slog.Logger) *Service {
	return &Service{db: db, model: model, blocks: blocks, log: log}
}

// Judge decides on a text before it is stored. It may ask the language model,
// so it belongs outside of transactions. What the rules refuse is certain, and
// blocks the address that it came from; the model alone blocks nobody, and when
// it fails a person decides.
func (s *Service) Judge(ctx context.Context, _ core.Viewer, t core.Text) (core.Verdict, error) {
	found := Judge(t.Body, Context{Kind: t.Scope}, DefaultRules())
	verdict := core.Verdict{Decision: core.Decision(found.Decision), Score: found.Score, Reasons: []core.Reason{}}
	for _, r := range found.Reasons {
		verdict.Reasons = append(verdict.Reasons, core.Reason{Code: r.Code, Detail: r.Detail})
	}
	switch {
	case found.Decision == Reject:
		return verdict, s.block(ctx, t, verdict)
	case found.Borderline && s.model.Configured():
		s.ask(ctx, t, &verdict)
	}
	return verdict, nil
}

// ask lets the model decide; without an answer of its own the text waits for a
// person as before.
func (s *Service) ask(ctx context.Context, t core.Text, verdict *core.Verdict) {
	answer, err := s.model.Moderate(ctx, t.Body)
	if err != nil {
		s.log.WarnContext(ctx, "the language model gave no verdict; a person decides", "error", err)
		verdict.Reasons = append(verdict.Reasons, core.Reason{Code: "model_failed"})
		return
	}
	verdict.Decision, verdict.Score = core.Decision(answer.Decision), answer.Score
	verdict.Reasons = append(verdict.Reasons, core.Reason{Code: "model", Detail: answer.Reason})
}

// block keeps what comes next from the same address away.
func (s *Service) block(ctx context.Context, t core.Text, verdict core.Verdict) error {
	reason := "abuse in a " + t.Scope
	if len(verdict.Reasons) > 0 {
		reason += ": " + verdict.Reasons[0].Code
	}
	err := s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		_, err := s.blocks.BlockTx(ctx, tx, core.TheSystem(), core.Abuse{From: t.From, Reason: reason})
		return err
	})
	if err != nil {
		return fmt.Errorf("block the address of abuse: %w", err)
	}
	return nil
}
