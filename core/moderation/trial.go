package moderation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/moderation/text"
	"homeplace/core/moderation/words"
	"homeplace/core/pg"
)

// Bounds of a trial.
const (
	trialDays     = 90
	trialTexts    = 100_000
	trialTime     = 5 * time.Second
	trialPage     = 500 // texts read at a time
	trialExamples = 20
)

// Trial is what a rule would have made of the texts of the last 90 days, beside
// the rules in force. It compares texts by their words alone, whoever sent them.
type Trial struct {
	Texts    int  // read
	Whole    bool // all there are; else the time or the number of texts ran out, and the latest were read
	Matched  int  // where the rule holds
	Outcomes []Outcome
	Examples []Example // of those that change, the latest first, at most 20
}

// Outcome counts the texts of a scope that would come out otherwise.
type Outcome struct {
	Scope                     string
	Held, Refused, LetThrough int
}

// Example is a text that a rule would judge otherwise, around its first match.
type Example struct {
	Scope                string
	Before, Match, After string // an ellipsis stands for what is left out
	Was, Becomes         core.Decision
	SentAt               time.Time
}

// TryRule runs a rule over the texts of the last 90 days, the latest first. A rule
// that was tried can be switched on until it is changed. It takes at most some
// seconds, between short transactions. For administrators. Errors:
// Unauthenticated, Forbidden, Invalid.
func (s *Service) TryRule(ctx context.Context, v core.Viewer, in RuleInput) (Trial, error) {
	if err := requireAdmin(v); err != nil {
		return Trial{}, err
	}
	if err := in.check(); err != nil {
		return Trial{}, err
	}
	run, err := s.prepare(ctx, v, in.rule())
	if err != nil {
		return Trial{}, err
	}
	if err := s.run(ctx, v, run); err != nil {
		return Trial{}, fmt.Errorf("try word rule: %w", err)
	}
	err = s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		return insertTrial(ctx, tx, in.rule(), run.trial.Texts, v.ID, s.now())
	})
	if err != nil {
		return Trial{}, fmt.Errorf("keep trial: %w", err)
	}
	return run.trial, nil
}

// trialRun compares what is with what would be.
type trialRun struct {
	alone     *words.List // the rule by itself, to find the texts worth a closer look
	now, then Rules
	trial     Trial
	byScope   map[string]*Outcome
}

// prepare compiles the rules in force with the one that is tried in place of an
// added one of the same term and scope.
func (s *Service) prepare(ctx context.Context, v core.Viewer, rule words.Rule) (*trialRun, error) {
	var rows []storedRule
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		rows, err = rulesInForce(ctx, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read word rules: %w", err)
	}
	same := func(r storedRule) bool {
		return r.Origin == OriginAdded && (r.broken() || r.Term == rule.Term && r.Scope == rule.Scope)
	}
	list, err := words.Compile(append(joined(slices.DeleteFunc(rows, same)), rule), words.DefaultClasses())
	if err != nil {
		return nil, fmt.Errorf("compile word rules: %w", err)
	}
	found := rule
	found.Action = words.Review // a list of what is allowed finds nothing
	alone, err := words.Compile([]words.Rule{found}, words.DefaultClasses())
	if err != nil {
		return nil, fmt.Errorf("compile word rule: %w", err)
	}
	run := &trialRun{alone: alone, now: s.current(ctx), byScope: make(map[string]*Outcome)}
	run.then = Rules{list, run.now.Spam}
	return run, nil
}

func (s *Service) run(ctx context.Context, v core.Viewer, run *trialRun) error {
	began := time.Now()
	last := pastText{ID: "ffffffff-ffff-ffff-ffff-ffffffffffff", CreatedAt: s.now().Add(time.Minute)}
	since := s.now().AddDate(0, 0, -trialDays)
	for run.trial.Texts < trialTexts && time.Since(began) < trialTime {
		var page []pastText
		err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
			page, err = pastTexts(ctx, q, since, last, trialPage)
			return err
		})
		if err != nil {
			return err
		}
		for i, t := range page {
			if time.Since(began) >= trialTime {
				page = page[:i]
				break
			}
			run.text(t)
		}
		run.trial.Texts += len(page)
		if len(page) < trialPage {
			run.trial.Whole = time.Since(began) < trialTime
			break
		}
		last = page[len(page)-1]
	}
	for _, o := range run.byScope {
		run.trial.Outcomes = append(run.trial.Outcomes, *o)
	}
	slices.SortFunc(run.trial.Outcomes, func(a, b Outcome) int { return strings.Compare(a.Scope, b.Scope) })
	return nil
}

// text judges one text as it is and as it would be, where the rule holds at all.
func (run *trialRun) text(past pastText) {
	t := text.Normalize(past.Body)
	tokens := t.Tokens()
	matches := run.alone.Match(tokens, past.Scope)
	if len(matches) == 0 {
		return
	}
	run.trial.Matched++
	spam, certain := bySpam(t, tokens, run.now)
	decide := func(rules Rules) core.Decision {
		r := reading{tokens: tokens, certain: certain}
		r.findings, r.denied, r.grave = byWords(t, rules.Words.Match(tokens, past.Scope))
		r.findings = append(r.findings, spam...)
		return r.weigh(Context{}).Decision
	}
	was, becomes := decide(run.now), decide(run.then)
	if was == becomes {
		return
	}
	o := run.byScope[past.Scope]
	if o == nil {
		o = &Outcome{Scope: past.Scope}
		run.byScope[past.Scope] = o
	}
	switch becomes {
	case core.DecisionReview:
		o.Held++
	case core.DecisionReject:
		o.Refused++
	default:
		o.LetThrough++
	}
	if len(run.trial.Examples) < trialExamples {
		run.trial.Examples = append(run.trial.Examples, exampleOf(past, matches[0].Span, was, becomes))
	}
}

// aroundMatch is how much of a text stands on each side of a match, in letters.
const aroundMatch = 80

func exampleOf(past pastText, span text.Span, was, becomes core.Decision) Example {
	before, after := []rune(past.Body[:span.Start]), []rune(past.Body[span.End:])
	e := Example{Scope: past.Scope, Before: string(before), Match: past.Body[span.Start:span.End], After: string(after),
		Was: was, Becomes: becomes, SentAt: past.CreatedAt}
	if len(before) > aroundMatch {
		e.Before = "…" + string(before[len(before)-aroundMatch:])
	}
	if len(after) > aroundMatch {
		e.After = string(after[:aroundMatch]) + "…"
	}
	return e
}
