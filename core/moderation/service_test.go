package moderation_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"homeplace/core"
	"homeplace/core/auditlog"
	"homeplace/core/blocks"
	"homeplace/core/llm"
	"homeplace/core/moderation"
	"homeplace/core/pgtest"
	"homeplace/core/settings"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	harmless   = "Come by on Saturday, we fry fish behind the church."
	borderline = "Check out my channel and follow me on everything"
	abusive    = "All immigrants are vermin and should be exterminated, go kill yourself"
)

// answers is a model that says one thing.
type answers struct {
	configured bool
	verdict    llm.Verdict
	err        error
	asked      *int
}

func (a answers) Configured() bool { return a.configured }

func (a answers) Moderate(context.Context, string) (llm.Verdict, error) {
	*a.asked++
	return a.verdict, a.err
}

func TestThePipeline(t *testing.T) {
	t.Parallel()
	approves := llm.Verdict{Decision: llm.Approve, Score: 0.1, Reason: "An invitation."}
	rejects := llm.Verdict{Decision: llm.Reject, Score: 0.97, Reason: "An advertisement."}
	for name, c := range map[string]struct {
		text    string
		shared  bool
		model   answers
		want    core.Decision
		asked   int
		blocked int
	}{
		"harmless":                      {harmless, false, answers{configured: true, verdict: rejects}, core.DecisionApprove, 0, 0},
		"borderline without a model":    {borderline, false, answers{}, core.DecisionReview, 0, 0},
		"borderline, model approves":    {borderline, false, answers{configured: true, verdict: approves}, core.DecisionApprove, 1, 0},
		"borderline, model rejects":     {borderline, false, answers{configured: true, verdict: rejects}, core.DecisionReject, 1, 0},
		"borderline, model fails":       {borderline, false, answers{configured: true, err: errors.New("slow")}, core.DecisionReview, 1, 0},
		"certain abuse":                 {abusive, false, answers{configured: true, verdict: approves}, core.DecisionReject, 0, 1},
		"certain abuse, shared address": {abusive, true, answers{}, core.DecisionReject, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := pgtest.New(t)
			asked := 0
			c.model.asked = &asked
			guard := blocks.New(d.DB, core.Now, blocks.Needs{Settings: settings.New(d.DB), Audit: auditlog.New(d.DB, core.Now)})
			s := moderation.New(d.DB, c.model, guard, slog.New(slog.DiscardHandler))
			got, err := s.Judge(t.Context(), core.Nobody(), core.Text{Scope: "saying", Body: c.text, From: core.Origin{AddressKey: "192.0.2.7", Shared: c.shared}})
			if err != nil || got.Decision != c.want || asked != c.asked {
				t.Errorf("%+v, %v, asked %d times; want %s and %d", got, err, asked, c.want, c.asked)
			}
			blocked := 0
			if core.AsError(guard.Ensure(t.Context(), "192.0.2.7")) != nil {
				blocked = 1
			}
			if blocked != c.blocked {
				t.Errorf("the address is blocked %d times, want %d", blocked, c.blocked)
			}
		})
	}
}
