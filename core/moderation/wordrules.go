package moderation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"homeplace/core"
	"homeplace/core/moderation/words"
	"homeplace/core/pg"
)

// WordRules reads a page of the rules: the added ones, latest first, then those of
// the program in their order. For administrators. Errors: Unauthenticated,
// Forbidden.
func (s *Service) WordRules(ctx context.Context, v core.Viewer, f RuleFilter) (RuleList, error) {
	list := RuleList{List: core.List[WordRule]{Page: RulePaging.Clamp(f.Page)}}
	if err := requireAdmin(v); err != nil {
		return list, err
	}
	var rows []storedRule
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		rows, err = storedRules(ctx, q)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list word rules: %w", err)
	}
	matching := []WordRule{}
	for _, r := range allRules(rows) {
		list.Categories = append(list.Categories, r.Category)
		if f.matches(r) {
			matching = append(matching, r)
		}
	}
	slices.Sort(list.Categories)
	list.Categories = slices.Compact(list.Categories)
	from := min(list.Page.Offset, len(matching))
	list.Total, list.Items = len(matching), matching[from:min(from+list.Page.Limit, len(matching))]
	return list, nil
}

// allRules joins the rows with the built-in rules.
func allRules(rows []storedRule) []WordRule {
	var all []WordRule
	off := make(map[string]storedRule)
	for _, row := range rows {
		if row.Origin == OriginOurs {
			off[row.ID] = row
		} else {
			all = append(all, WordRule(row))
		}
	}
	for _, rule := range words.DefaultRules() {
		r := builtin(rule)
		if _, switchedOff := off[r.ID]; switchedOff {
			r.State = StateOff
		}
		all = append(all, r)
	}
	return all
}

// WordRule reads one rule. For administrators. Errors: Unauthenticated, Forbidden,
// NotFound.
func (s *Service) WordRule(ctx context.Context, v core.Viewer, id string) (WordRule, error) {
	if err := requireAdmin(v); err != nil {
		return WordRule{}, err
	}
	var r WordRule
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		r, err = ruleByID(ctx, q, id)
		return err
	})
	return r, explained("read word rule", err)
}

func ruleByID(ctx context.Context, q pg.Querier, id string) (WordRule, error) {
	if !core.ValidID(id) {
		return WordRule{}, errNoRule()
	}
	row, err := storedRuleByID(ctx, q, id)
	switch {
	case err == nil && row.Origin == OriginAdded:
		return WordRule(row), nil
	case err != nil && !pg.NoRows(err):
		return WordRule{}, err
	}
	i := slices.IndexFunc(words.DefaultRules(), func(r words.Rule) bool { return builtinID(r) == id })
	if i < 0 {
		return WordRule{}, errNoRule()
	}
	r := builtin(words.DefaultRules()[i])
	if err == nil {
		r.State = StateOff
	}
	return r, nil
}

// AddRule stores a draft. It judges nothing before it was tried and switched on.
// For administrators. Errors: Unauthenticated, Forbidden, Invalid, Conflict with
// already_here or too_many_rules.
func (s *Service) AddRule(ctx context.Context, v core.Viewer, in RuleInput) (WordRule, error) {
	if err := requireAdmin(v); err != nil {
		return WordRule{}, err
	}
	if err := in.check(); err != nil {
		return WordRule{}, err
	}
	now := s.now()
	r := WordRule{ID: pg.NewID(), Term: in.Term, Action: in.Action, Severity: in.Severity, Category: in.Category, Scope: in.Scope, Note: in.Note,
		State: StateDraft, Origin: OriginAdded, CreatedBy: v.Username, CreatedAt: now, UpdatedAt: now}
	err := s.changeRules(ctx, v, func(tx *pg.Tx) (ruled, error) {
		added, err := countAdded(ctx, tx)
		switch {
		case err != nil:
			return ruled{}, err
		case added >= MaxRules:
			return ruled{}, core.Conflictf("too_many_rules", "There are %d added rules, and that is as many as there can be. Remove some first.", MaxRules)
		}
		return ruled{"word_rule_added", r}, insertRule(ctx, tx, r, v.ID)
	})
	return r, explained("add word rule", err)
}

// EditRule changes an added rule. What it matches or does once changed, it is a
// draft again, out of force until it was tried. For administrators. Errors:
// Unauthenticated, Forbidden, also for the rules of the program, Invalid,
// NotFound, Conflict with already_here.
func (s *Service) EditRule(ctx context.Context, v core.Viewer, id string, in RuleInput) (WordRule, error) {
	if err := requireAdmin(v); err != nil {
		return WordRule{}, err
	}
	if err := in.check(); err != nil {
		return WordRule{}, err
	}
	var r WordRule
	err := s.changeRules(ctx, v, func(tx *pg.Tx) (_ ruled, err error) {
		if r, err = lockedRule(ctx, tx, id); err != nil {
			return ruled{}, err
		}
		if r.Origin == OriginOurs {
			return ruled{}, core.Forbiddenf("This rule comes with the program. You can switch it off, and add one of your own.")
		}
		before := trialHash(r.rule())
		r.Term, r.Action, r.Severity, r.Category, r.Scope, r.Note = in.Term, in.Action, in.Severity, in.Category, in.Scope, in.Note
		if !slices.Equal(before, trialHash(r.rule())) {
			r.State, r.UpdatedAt, r.Tried = StateDraft, s.now(), false
		}
		return ruled{"word_rule_changed", r}, updateRule(ctx, tx, r)
	})
	return r, explained("change word rule", err)
}

// SwitchRule puts a rule into force, or out of it, on every instance. An added
// one must have been tried as it is now; those of the program need no trial. For
// administrators. Errors: Unauthenticated, Forbidden, NotFound, Conflict with
// not_tried.
func (s *Service) SwitchRule(ctx context.Context, v core.Viewer, id string, on bool) (WordRule, error) {
	if err := requireAdmin(v); err != nil {
		return WordRule{}, err
	}
	var r WordRule
	err := s.changeRules(ctx, v, func(tx *pg.Tx) (_ ruled, err error) {
		if r, err = lockedRule(ctx, tx, id); err != nil {
			return ruled{}, err
		}
		if on && r.Origin == OriginAdded && !r.Tried {
			return ruled{}, core.Conflictf("not_tried", "Try this rule first: only then can it be switched on.")
		}
		done := ruled{"word_rule_switched_off", r}
		if r.State = StateOff; on {
			r.State, done.kind = StateOn, "word_rule_switched_on"
		}
		return done, s.storeState(ctx, tx, r, v.ID)
	})
	return r, explained("switch word rule", err)
}

// storeState keeps a row of a built-in rule only while it is switched off.
func (s *Service) storeState(ctx context.Context, tx *pg.Tx, r WordRule, by string) error {
	if r.Origin == OriginAdded {
		return updateRule(ctx, tx, r)
	}
	if r.State == StateOn {
		_, err := deleteRule(ctx, tx, r.ID)
		return err
	}
	r.CreatedAt, r.UpdatedAt = s.now(), s.now()
	return insertRule(ctx, tx, r, by)
}

// RemoveRule deletes an added rule. For administrators. Errors: Unauthenticated,
// Forbidden, also for the rules of the program, NotFound.
func (s *Service) RemoveRule(ctx context.Context, v core.Viewer, id string) error {
	if err := requireAdmin(v); err != nil {
		return err
	}
	err := s.changeRules(ctx, v, func(tx *pg.Tx) (ruled, error) {
		r, err := lockedRule(ctx, tx, id)
		if err != nil {
			return ruled{}, err
		}
		if r.Origin == OriginOurs {
			return ruled{}, core.Forbiddenf("This rule comes with the program. You can switch it off.")
		}
		_, err = deleteRule(ctx, tx, id)
		return ruled{"word_rule_removed", r}, err
	})
	return explained("remove word rule", err)
}

func lockedRule(ctx context.Context, tx *pg.Tx, id string) (WordRule, error) {
	if !core.ValidID(id) {
		return WordRule{}, errNoRule()
	}
	if err := lockRule(ctx, tx, id); err != nil {
		return WordRule{}, err
	}
	return ruleByID(ctx, tx, id)
}

// ruled is what an administrator did to a rule, for the log.
type ruled struct {
	kind string
	rule WordRule
}

// changeRules writes as the system, as staff may only read the rules, and tells
// every instance.
func (s *Service) changeRules(ctx context.Context, v core.Viewer, change func(tx *pg.Tx) (ruled, error)) error {
	return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		tx.Touch(Area)
		done, err := change(tx)
		if err != nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: done.kind, About: core.Target{Type: "word_rule", ID: done.rule.ID}, Title: done.rule.Term})
	})
}

func requireAdmin(v core.Viewer) error {
	switch {
	case v.Role == core.System, v.Admin:
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as an administrator to see the word rules.")
	}
	return core.Forbiddenf("Only administrators see and change the word rules.")
}

func errNoRule() *core.Error { return core.NotFoundf("There is no such word rule here.") }

// explained keeps what is meant for a person.
func explained(operation string, err error) error {
	var known *core.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case pg.Violates(err, "word_rules_term_key"):
		here := core.Conflictf("already_here", "There is a rule with this term and scope already. Change that one.")
		here.Fields = map[string]string{"term": "has a rule with this scope already"}
		return here
	}
	return fmt.Errorf("%s: %w", operation, err)
}
