package moderation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/moderation"
	"homeplace/core/moderation/words"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func rule(term string) moderation.RuleInput {
	return moderation.RuleInput{Term: term, Action: words.Review, Severity: 2, Category: "test"}
}

// add stores a rule, and tries and switches it on.
func (w world) add(t testing.TB, v core.Viewer, in moderation.RuleInput) moderation.WordRule {
	t.Helper()
	r, err := w.AddRule(t.Context(), v, in)
	if err == nil {
		_, err = w.TryRule(t.Context(), v, in)
	}
	if err == nil {
		r, err = w.SwitchRule(t.Context(), v, r.ID, true)
	}
	if err != nil {
		t.Fatalf("add %q: %v", in.Term, err)
	}
	return r
}

func (w world) decision(t testing.TB, body string) core.Decision {
	t.Helper()
	return w.send(t, core.Nobody(), "", body).Decision
}

func TestRulesTakeEffect(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	const text = "The zorbel flies at night"
	if d := w.decision(t, text); d != core.DecisionApprove {
		t.Fatalf("before: %s", d)
	}
	in := rule("zorbel")
	r, err := w.AddRule(t.Context(), root, in)
	if err != nil || r.State != moderation.StateDraft || r.CreatedBy != "root" || w.decision(t, text+" again") != core.DecisionApprove {
		t.Fatalf("a draft: %+v, %v", r, err)
	}
	_, err = w.SwitchRule(t.Context(), root, r.ID, true)
	wantCode(t, "switching on what was not tried", err, "not_tried")
	if _, err := w.TryRule(t.Context(), root, in); err != nil {
		t.Fatal(err)
	}
	if r, err = w.SwitchRule(t.Context(), root, r.ID, true); err != nil || r.State != moderation.StateOn || w.decision(t, text+" once more") != core.DecisionReview {
		t.Errorf("switched on: %+v, %v", r, err)
	}
	in.Note = "a bird"
	if r, err = w.EditRule(t.Context(), root, r.ID, in); err != nil || r.State != moderation.StateOn {
		t.Errorf("another note: %+v, %v", r, err)
	}
	in.Action = words.Deny
	if r, err = w.EditRule(t.Context(), root, r.ID, in); err != nil || r.State != moderation.StateDraft || w.decision(t, text+" for free") != core.DecisionApprove {
		t.Errorf("another action: %+v, %v", r, err)
	}
	_, err = w.SwitchRule(t.Context(), root, r.ID, true)
	wantCode(t, "switching on what was tried before it changed", err, "not_tried")
	if _, err := w.TryRule(t.Context(), root, in); err != nil {
		t.Fatal(err)
	}
	if _, err = w.SwitchRule(t.Context(), root, r.ID, true); err != nil || w.decision(t, text+" in winter") != core.DecisionReject {
		t.Errorf("denied: %v", err)
	}
	if _, err = w.SwitchRule(t.Context(), root, r.ID, false); err != nil || w.decision(t, text+" in spring") != core.DecisionApprove {
		t.Errorf("switched off: %v", err)
	}
	if err := w.RemoveRule(t.Context(), root, r.ID); err != nil {
		t.Error(err)
	}
	_, err = w.WordRule(t.Context(), root, r.ID)
	wantCode(t, "a rule that was removed", err, "not_found")
	kinds := pgtest.Value[string](t, w.database, core.TheSystem(), `select string_agg(kind, ' ' order by created_at, id) from audit_log where about_type = 'word_rule'`)
	if want := "word_rule_added word_rule_switched_on word_rule_changed word_rule_changed word_rule_switched_on word_rule_switched_off word_rule_removed"; kinds != want {
		t.Errorf("the log has %s, want %s", kinds, want)
	}
}

// A tried rule that is typed anew in other words counts as tried only for what
// it matches and does.
func TestScopeAndAllow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	in := rule("zorbel")
	in.Scope = "profile poll"
	w.add(t, root, in)
	if d := w.decision(t, "The zorbel flies at night"); d != core.DecisionApprove {
		t.Errorf("a saying is held by a rule for profiles: %s", d)
	}
	if v, err := w.Judge(t.Context(), core.Nobody(), core.Text{Scope: "profile", Body: "I am a zorbel"}); err != nil || v.Decision != core.DecisionReview || v.Reasons[0].Code != "test" {
		t.Errorf("a profile: %+v, %v", v, err)
	}
	if d := w.decision(t, "you are an idiot"); d != core.DecisionReview {
		t.Fatalf("an insult: %s", d)
	}
	allow := rule("you are an idiot")
	allow.Action = words.Allow
	w.add(t, root, allow)
	if d := w.decision(t, "well, you are an idiot"); d != core.DecisionApprove {
		t.Errorf("what is let through: %s", d)
	}
}

func TestBuiltInRules(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	list, err := w.WordRules(t.Context(), root, moderation.RuleFilter{Page: core.Page{Limit: 200}})
	if err != nil || list.Total != len(words.DefaultRules()) || len(list.Items) != 200 {
		t.Fatalf("%d rules, %d shown, %v", list.Total, len(list.Items), err)
	}
	all := list.Items
	for offset := 200; offset < list.Total; offset += 200 {
		next, err := w.WordRules(t.Context(), root, moderation.RuleFilter{Page: core.Page{Limit: 200, Offset: offset}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, next.Items...)
	}
	ids := make(map[string]bool)
	for _, r := range all {
		if ids[r.ID] || !core.ValidID(r.ID) || r.State != moderation.StateOn || r.Origin != moderation.OriginOurs {
			t.Errorf("%+v", r)
		}
		ids[r.ID] = true
	}
	const insult = "you are an idiot"
	for _, r := range all {
		if strings.HasPrefix(r.Term, "^") || r.Category != "insult" {
			continue
		}
		if _, err := w.SwitchRule(t.Context(), root, r.ID, false); err != nil {
			t.Fatalf("switch %q off: %v", r.Term, err)
		}
	}
	if d := w.decision(t, insult); d != core.DecisionApprove {
		t.Errorf("with all insults off: %s", d)
	}
	one := all[slices.IndexFunc(all, func(r moderation.WordRule) bool { return r.Category == "insult" && r.Action == words.Review })]
	_, err = w.EditRule(t.Context(), root, one.ID, rule("other"))
	wantCode(t, "editing a built-in rule", err, "not_allowed")
	wantCode(t, "removing one", w.RemoveRule(t.Context(), root, one.ID), "not_allowed")
	for _, r := range all {
		if r, err = w.SwitchRule(t.Context(), root, r.ID, true); err != nil || r.State != moderation.StateOn { // without a trial
			t.Fatalf("switch %q on: %v", r.Term, err)
		}
	}
	if d := w.decision(t, insult+" now"); d != core.DecisionReview {
		t.Errorf("with all insults on again: %s", d)
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from word_rules`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// Every built-in rule can be switched off: its row fits the table.
func TestEveryBuiltInRuleFits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	for offset := 0; ; offset += 200 {
		list, err := w.WordRules(t.Context(), root, moderation.RuleFilter{Page: core.Page{Limit: 200, Offset: offset}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Items {
			if _, err := w.SwitchRule(t.Context(), root, r.ID, false); err != nil {
				t.Errorf("%q: %v", r.Term, err)
			}
		}
		if offset+200 >= list.Total {
			break
		}
	}
	if d := w.decision(t, "I hate Muslims"); d != core.DecisionApprove {
		t.Errorf("without any rule: %s", d)
	}
}

func TestRuleList(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	w.add(t, root, rule("zorbel"))
	w.add(t, root, rule("quibbit"))
	for name, c := range map[string]struct {
		filter moderation.RuleFilter
		total  int
		first  string
	}{
		"latest first":  {moderation.RuleFilter{Origin: moderation.OriginAdded}, 2, "quibbit"},
		"by word":       {moderation.RuleFilter{Query: "ZORB"}, 1, "zorbel"},
		"by category":   {moderation.RuleFilter{Category: "test"}, 2, "quibbit"},
		"nothing":       {moderation.RuleFilter{Query: "no such word here"}, 0, ""},
		"a second page": {moderation.RuleFilter{Category: "test", Page: core.Page{Limit: 1, Offset: 1}}, 2, "zorbel"},
	} {
		list, err := w.WordRules(t.Context(), root, c.filter)
		if err != nil || list.Total != c.total || c.total > 0 && list.Items[0].Term != c.first || !slices.Contains(list.Categories, "test") {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
}

func TestBadRules(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	w.add(t, root, rule("zorbel"))
	change := func(f func(*moderation.RuleInput)) moderation.RuleInput {
		in := rule("quibbit")
		f(&in)
		return in
	}
	for field, in := range map[string]moderation.RuleInput{
		"term: nothing":    change(func(in *moderation.RuleInput) { in.Term = " " }),
		"term: class":      change(func(in *moderation.RuleInput) { in.Term = "{nosuch} here" }),
		"term: everything": change(func(in *moderation.RuleInput) { in.Term = ".." }),
		"term: follow":     change(func(in *moderation.RuleInput) { in.Term = "a ... b" }),
		"term: one word":   change(func(in *moderation.RuleInput) { in.Term = "well-known" }),
		"action":           change(func(in *moderation.RuleInput) { in.Action = "shout" }),
		"severity":         change(func(in *moderation.RuleInput) { in.Severity = 4 }),
		"category":         change(func(in *moderation.RuleInput) { in.Category = "Two words" }),
		"scope":            change(func(in *moderation.RuleInput) { in.Scope = "saying, poll" }),
		"note":             change(func(in *moderation.RuleInput) { in.Note = strings.Repeat("x", 501) }),
	} {
		name, says, _ := strings.Cut(field, ": ")
		_, err := w.AddRule(t.Context(), root, in)
		if e := core.AsError(err); e == nil || e.Kind != core.Invalid || !strings.Contains(e.Fields[name], strings.TrimPrefix(says, "nothing")) {
			t.Errorf("%s: %v", field, err)
		}
		_, err = w.TryRule(t.Context(), root, in)
		wantCode(t, "trying "+field, err, "validation_failed")
	}
	_, err := w.AddRule(t.Context(), root, rule("zorbel"))
	wantCode(t, "the same term again", err, "already_here")
	_, err = w.SwitchRule(t.Context(), root, pg.NewID(), true)
	wantCode(t, "no rule", err, "not_found")
	_, err = w.WordRule(t.Context(), root, "x")
	wantCode(t, "no id", err, "not_found")
}

func TestOnlyAdministrators(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for name, c := range map[string]struct {
		viewer core.Viewer
		code   string
	}{
		"nobody": {core.Nobody(), "unauthenticated"}, "the zero viewer": {core.Viewer{}, "unauthenticated"},
		"a member": {w.account(t, "ada", core.Member), "not_allowed"}, "a moderator": {w.account(t, "mod", core.Staff), "not_allowed"},
	} {
		ctx := t.Context()
		_, err := w.WordRules(ctx, c.viewer, moderation.RuleFilter{})
		wantCode(t, name+" lists", err, c.code)
		_, err = w.WordRule(ctx, c.viewer, pg.NewID())
		wantCode(t, name+" reads", err, c.code)
		_, err = w.AddRule(ctx, c.viewer, rule("zorbel"))
		wantCode(t, name+" adds", err, c.code)
		_, err = w.EditRule(ctx, c.viewer, pg.NewID(), rule("zorbel"))
		wantCode(t, name+" edits", err, c.code)
		_, err = w.TryRule(ctx, c.viewer, rule("zorbel"))
		wantCode(t, name+" tries", err, c.code)
		_, err = w.SwitchRule(ctx, c.viewer, pg.NewID(), true)
		wantCode(t, name+" switches", err, c.code)
		wantCode(t, name+" removes", w.RemoveRule(ctx, c.viewer, pg.NewID()), c.code)
	}
}

// A rule that is switched on at one instance is in force at the other within a
// moment, and out of force again.
func TestTwoInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	db := w.database.Instance(t)
	there := w
	there.Service = w.instance(db, answers{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go db.Listen(ctx, silent)
	if d := there.decision(t, "The zorbel flies"); d != core.DecisionApprove {
		t.Fatalf("before: %s", d)
	}
	time.Sleep(200 * time.Millisecond) // until it listens
	r := w.add(t, root, rule("zorbel"))
	until := func(want core.Decision) {
		t.Helper()
		for end := time.Now().Add(time.Second); there.decision(t, "The zorbel flies") != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s does not arrive within a second", want)
			}
		}
	}
	until(core.DecisionReview)
	if _, err := w.SwitchRule(t.Context(), root, r.ID, false); err != nil {
		t.Fatal(err)
	}
	until(core.DecisionApprove)
}

// A trial counts what would change, by kind of text, and marks where.
func TestTrial(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	say := func(scope, body string) {
		if _, err := w.Judge(t.Context(), core.Nobody(), core.Text{Scope: scope, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	say("saying", "An old zorbel, older than ninety days")
	w.pass(91 * 24 * time.Hour)
	for n := range 25 {
		say("saying", fmt.Sprintf("Number %d <b>saw</b> the zorbel in the tree, %s", n, strings.Repeat("and ", 40)))
	}
	say("poll", "Who saw the zorbel?")
	say("poll", "you are an idiot, zorbel") // held already
	say("poll", "Nothing of the kind")
	found, err := w.TryRule(t.Context(), root, rule("the zorbel"))
	if err != nil {
		t.Fatal(err)
	}
	want := []moderation.Outcome{{Scope: "poll", Held: 1}, {Scope: "saying", Held: 25}}
	if found.Texts != 28 || !found.Whole || found.Matched != 26 || !slices.Equal(found.Outcomes, want) || len(found.Examples) != 20 {
		t.Errorf("%+v", found)
	}
	e := found.Examples[1]
	if e.Scope != "saying" || e.Match != "the zorbel" || e.Before != "Number 24 <b>saw</b> " || len([]rune(e.After)) != 81 || e.Was != core.DecisionApprove || e.Becomes != core.DecisionReview {
		t.Errorf("%+v", e)
	}
	deny := rule("zorbel")
	deny.Action, deny.Scope = words.Deny, "poll"
	if found, err = w.TryRule(t.Context(), root, deny); err != nil || !slices.Equal(found.Outcomes, []moderation.Outcome{{Scope: "poll", Refused: 2}}) {
		t.Errorf("deny: %+v, %v", found, err)
	}
	allow := rule("you are an idiot")
	allow.Action = words.Allow
	if found, err = w.TryRule(t.Context(), root, allow); err != nil || !slices.Equal(found.Outcomes, []moderation.Outcome{{Scope: "poll", LetThrough: 1}}) {
		t.Errorf("allow: %+v, %v", found, err)
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from word_trials`); n != 3 {
		t.Errorf("%d trials are kept", n)
	}
}

// With more texts than a trial can read in its time, it stops and says so.
func TestTrialIsBounded(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.admin(t, "root")
	w.crowd(t, 100_500)
	began := time.Now()
	found, err := w.TryRule(t.Context(), root, rule("porch"))
	if took := time.Since(began); err != nil || took > 8*time.Second {
		t.Errorf("took %v, %v", took, err)
	}
	if found.Whole || found.Texts > 100_000 || found.Texts == 0 || found.Matched != found.Texts || len(found.Examples) != 20 {
		t.Errorf("read %d of 100,500, whole %v, matched %d", found.Texts, found.Whole, found.Matched)
	}
	t.Logf("read %d texts in %v", found.Texts, time.Since(began))
}
