package moderation_test

import (
	"errors"
	"testing"

	"homeplace/core"
	"homeplace/core/llm"
)

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
			w := setup(t)
			asked := 0
			c.model.asked = &asked
			s := w.instance(w.database.DB, c.model)
			got, err := s.Judge(t.Context(), core.Nobody(), core.Text{Scope: "saying", Body: c.text, From: core.Origin{AddressKey: "192.0.2.7", Shared: c.shared}})
			if err != nil || got.Decision != c.want || asked != c.asked {
				t.Errorf("%+v, %v, asked %d times; want %s and %d", got, err, asked, c.want, c.asked)
			}
			blocked := 0
			if core.AsError(w.blocks.Ensure(t.Context(), "192.0.2.7")) != nil {
				blocked = 1
			}
			if blocked != c.blocked {
				t.Errorf("the address is blocked %d times, want %d", blocked, c.blocked)
			}
		})
	}
}
