package fakereports

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestCase(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	sent, err := w.Send(t.Context(), ada, Input{Category: "ai_generated", Description: "Her voice,\nbut not she. " + strings.Repeat("word ", 40), Platform: "TikTok",
		Handle: "@not-her", ContentURL: "https://example.org/v", SubmitterName: "Ada L.", SubmitterEmail: "ada@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.caseOf(t, mod, sent.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(core.Case{Target: core.Target{Type: "fake_report", ID: sent.ID}, Heading: "A report of fake content",
		Title: "Her voice, but not she. " + strings.TrimSpace(strings.Repeat("word ", 19)) + " w…", Text: sent.Description,
		Facts: []core.Fact{{Label: "What it is", Text: "Made by AI and passed off as real"}, {Label: "Where", Text: "TikTok"}, {Label: "Account there", Text: "@not-her"},
			{Label: "Address", Text: "https://example.org/v"}, {Label: "Name given", Text: "Ada L."}, {Label: "E-mail given", Text: "ada@example.org"}},
		SenderID: ada.ID, Sender: "ada", SentAt: sent.CreatedAt, State: "waiting", Waiting: true,
		Actions: []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}}, c, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Errorf("the case (-want +got):\n%s", diff)
	}
	for action, want := range map[core.Action]struct {
		state, path, actions string
		appealable           bool
	}{
		core.ActionApprove: {"confirmed", "/report-fake", "", false},
		core.ActionReject:  {"refused", "", "restore", true},
		core.ActionAbusive: {"taken for spam", "", "restore", true},
	} {
		one := w.send(t, core.Nobody(), "Sent by nobody")
		if _, err := w.decide(t, mod, one.ID, action, "Because."); err != nil {
			t.Fatal(err)
		}
		c, err := w.caseOf(t, mod, one.ID)
		var actions []string
		for _, a := range c.Actions {
			actions = append(actions, string(a))
		}
		if err != nil || c.State != want.state || c.Path != want.path || strings.Join(actions, " ") != want.actions || c.Appealable != want.appealable ||
			c.Waiting || c.DecidedBy != mod.ID || c.Reason != "Because." || c.SenderID != "" || c.Sender != "" {
			t.Errorf("after %s it is %+v, %v", action, c, err)
		}
	}
	own := w.send(t, mod, "A moderator’s own")
	if c, err := w.caseOf(t, mod, own.ID); err != nil || !c.Waiting || c.Actions != nil {
		t.Errorf("one's own: %+v, %v", c.Actions, err)
	}
	asSystem := func(v core.Viewer, id string) error {
		return w.database.Read(t.Context(), core.TheSystem(), func(q pg.Querier) error {
			_, err := w.Desk().CaseTx(t.Context(), q, v, id)
			return err
		})
	}
	if err := asSystem(ada, sent.ID); err != nil {
		t.Errorf("its sender, who appeals: %v", err)
	}
	wantError(t, "another member", asSystem(ben, sent.ID), core.NotFound, "not_found")
	wantError(t, "nobody", asSystem(core.Nobody(), own.ID), core.NotFound, "not_found")
	for _, id := range []string{"x", pg.NewID()} {
		wantError(t, "what is not there", asSystem(mod, id), core.NotFound, "not_found")
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	good, bad, ugly, open := w.send(t, ada, "Good"), w.send(t, ada, "Bad"), w.send(t, ada, "Ugly"), w.send(t, core.Nobody(), "Open")
	_, err := w.decide(t, mod, bad.ID, core.ActionReject, " \n")
	wantError(t, "no reason", err, core.Invalid, "validation_failed")
	_, err = w.decide(t, mod, bad.ID, core.ActionApprove, strings.Repeat("é", 501))
	wantError(t, "a long reason", err, core.Invalid, "validation_failed")
	for _, action := range []core.Action{core.ActionHide, core.ActionKeep, "", "burn"} {
		_, err = w.decide(t, mod, bad.ID, action, "Because.")
		wantError(t, "an action that there is not", err, core.Invalid, "validation_failed")
	}
	_, err = w.decide(t, mod, bad.ID, core.ActionRestore, "")
	wantError(t, "restoring what waits", err, core.Conflict, "already_decided")
	for _, tt := range []struct {
		id     string
		action core.Action
		reason string
		kind   string
	}{
		{good.ID, core.ActionApprove, "", "fake_report_confirmed"},
		{bad.ID, core.ActionReject, " It is  real. ", "fake_report_refused"},
		{ugly.ID, core.ActionAbusive, "", "fake_report_abusive"},
		{open.ID, core.ActionApprove, "Thank you.", "fake_report_confirmed"},
	} {
		done, err := w.decide(t, mod, tt.id, tt.action, tt.reason)
		if err != nil || done.Ruling.Kind != tt.kind || done.Ruling.Reason != strings.TrimSpace(tt.reason) || done.Ruling.About != (core.Target{Type: "fake_report", ID: tt.id}) {
			t.Errorf("%s: %+v, %v", tt.kind, done.Ruling, err)
		}
		_, err = w.decide(t, mod, tt.id, core.ActionReject, "Again")
		wantError(t, "deciding again", err, core.Conflict, "already_decided")
	}
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Items[0].Status != Spam || mine.Items[1].Status != Refused || mine.Items[1].Reason != "It is  real." || mine.Items[1].DecidedAt == nil || mine.Items[2].Status != Confirmed {
		t.Errorf("%+v, %v", mine.Items, err)
	}
	if got := w.found(t, Filter{}); got != "Open, Good" {
		t.Errorf("the public reads %s", got)
	}
	if got := w.waiting(t); got != "" {
		t.Errorf("waiting: %s", got)
	}
	award := core.Award{AccountID: ada.ID, Reason: core.AwardFakeReport, Detail: "Good", RefType: "fake_report", RefID: good.ID}
	if diff := cmp.Diff([]core.Award{award}, w.till.paid); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	for _, id := range []string{bad.ID, ugly.ID} {
		if done, err := w.decide(t, mod, id, core.ActionRestore, "We looked again."); err != nil || done.Ruling.Kind != "fake_report_restored" {
			t.Errorf("%+v, %v", done, err)
		}
		_, err = w.decide(t, mod, id, core.ActionRestore, "")
		wantError(t, "restoring what is public", err, core.Conflict, "already_decided")
	}
	if got := w.found(t, Filter{}); got != "Ugly, Bad, Open, Good" || len(w.till.paid) != 3 {
		t.Errorf("the public reads %s, and %d were paid", got, len(w.till.paid))
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, dee := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "dee")
	for _, action := range []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive} {
		sent := w.send(t, ada, "It is "+string(action))
		before, err := w.caseOf(t, mod, sent.ID)
		if err != nil {
			t.Fatal(err)
		}
		done, err := w.decide(t, mod, sent.ID, action, "Because.")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.undo(t, mod, sent.ID, done); err != nil {
			t.Fatalf("%s: %v", action, err)
		}
		after, err := w.caseOf(t, mod, sent.ID)
		if diff := cmp.Diff(before, after); diff != "" || err != nil {
			t.Errorf("%s: after undoing it (-before +after): %v\n%s", action, err, diff)
		}
		wantError(t, "undoing twice", w.undo(t, mod, sent.ID, done), core.Conflict, "cannot_undo")
		if _, err := w.decide(t, dee, sent.ID, action, "Because."); err != nil {
			t.Fatal(err)
		}
		wantError(t, "undoing what was decided anew", w.undo(t, mod, sent.ID, done), core.Conflict, "cannot_undo")
	}
	if got := w.found(t, Filter{}); got != "It is approve" || len(w.till.paid) != 2 || len(w.till.revoked) != 1 || w.till.revoked[0] != w.till.paid[0] {
		t.Errorf("public is %s, %v paid, %v taken back", got, w.till.paid, w.till.revoked)
	}
	refused := w.send(t, ada, "Refused by a colleague")
	if _, err := w.decide(t, dee, refused.ID, core.ActionReject, "It is real."); err != nil {
		t.Fatal(err)
	}
	done, err := w.decide(t, mod, refused.ID, core.ActionRestore, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.undo(t, mod, refused.ID, done); err != nil {
		t.Fatal(err)
	}
	if c, err := w.caseOf(t, mod, refused.ID); err != nil || c.State != "refused" || c.Reason != "It is real." || c.DecidedBy != dee.ID {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := w.decide(t, mod, refused.ID, core.ActionRestore, ""); err != nil {
		t.Fatal(err)
	}
	own := w.send(t, mod, "A moderator’s own")
	theirs, err := w.decide(t, dee, own.ID, core.ActionReject, "No.")
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "undoing about one's own", w.undo(t, mod, own.ID, theirs), core.Forbidden, "not_allowed")
	wantError(t, "undoing by a member", w.undo(t, ada, own.ID, theirs), core.Forbidden, "not_allowed")
	wantError(t, "undoing by nobody", w.undo(t, core.Nobody(), own.ID, theirs), core.Unauthenticated, "unauthenticated")
	wantError(t, "undoing what is not there", w.undo(t, dee, pg.NewID(), theirs), core.NotFound, "not_found")
}

func TestWhoMayDecide(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, dee := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "dee")
	own := w.send(t, mod, "A moderator’s own")
	for _, action := range []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive} {
		_, err := w.decide(t, core.Nobody(), own.ID, action, "No")
		wantError(t, "nobody", err, core.Unauthenticated, "unauthenticated")
		for who, v := range map[string]core.Viewer{"a member": ada, "who sent it": mod} {
			_, err := w.decide(t, v, own.ID, action, "No")
			wantError(t, who, err, core.Forbidden, "not_allowed")
		}
		for _, id := range []string{pg.NewID(), "x"} {
			_, err := w.decide(t, dee, id, action, "No")
			wantError(t, "what is not there", err, core.NotFound, "not_found")
		}
	}
	if _, err := w.decide(t, dee, own.ID, core.ActionReject, "No."); err != nil {
		t.Fatal(err)
	}
	_, err := w.decide(t, mod, own.ID, core.ActionRestore, "")
	wantError(t, "restoring one's own", err, core.Forbidden, "not_allowed")
}

func TestRecent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	first := w.send(t, ada, "First\nof all")
	if _, err := w.Send(t.Context(), core.Nobody(), Input{Category: "other", Description: "buy now", SubmitterName: "Ida"}); err != nil {
		t.Fatal(err)
	}
	w.confirm(t, mod, first.ID)
	list, err := w.Recent(t.Context(), mod, 0)
	if err != nil || len(list) != 2 || list[0].SubmittedBy != "Ida" || list[0].Status != "spam" {
		t.Fatalf("%+v, %v", list, err)
	}
	if diff := cmp.Diff(core.Submission{Source: "fake_report", ID: first.ID, Title: "First of all", Status: "confirmed", SubmittedBy: "ada", CreatedAt: first.CreatedAt,
		Path: "/moderation?case=fake_report:" + first.ID}, list[1], cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list, err := w.Recent(t.Context(), mod, 1); err != nil || len(list) != 1 || list[0].SubmittedBy != "Ida" {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = w.Recent(t.Context(), ada, 1)
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	_, err = w.Recent(t.Context(), core.Nobody(), 1)
	wantError(t, "nobody", err, core.Unauthenticated, "unauthenticated")
}

func TestManyAtOnceOnTwoInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	there := w
	there.database = &pgtest.Database{DB: w.database.Instance(t), URL: w.database.URL}
	there.Service = New(there.database.DB, w.clock.read, Needs{Awards: w.till, Moderator: w.pipeline})
	sites := []world{w, there}
	ada, mods := w.member(t, "ada"), []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "dee")}
	race := func(n int, what func(site world, i int) error) int {
		var took atomic.Int64
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				switch err := what(sites[i%2], i); {
				case err == nil:
					took.Add(1)
				case core.KindOf(err) != core.Conflict && core.KindOf(err) != core.NotFound:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return int(took.Load())
	}
	sent := w.send(t, ada, "Decide me once")
	actions := []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	if got := race(12, func(site world, i int) error {
		_, err := site.decide(t, mods[i/2%2], sent.ID, actions[i%3], "Because.")
		return err
	}); got != 1 || w.waiting(t) != "" {
		t.Errorf("decided %d times, waiting: %s", got, w.waiting(t))
	}
	w.till.paid = nil
	for range 5 {
		taken := w.send(t, ada, "Confirmed or taken back")
		if got := race(8, func(site world, i int) error {
			if i < 4 {
				return site.Withdraw(t.Context(), ada, taken.ID)
			}
			_, err := site.decide(t, mods[i%2], taken.ID, core.ActionApprove, "")
			return err
		}); got != 1 {
			t.Errorf("taken back and decided %d times", got)
		}
	}
	if public := w.found(t, Filter{}); strings.Count(public, "Confirmed or taken back") != len(w.till.paid) {
		t.Errorf("public are %s, and %d were paid", public, len(w.till.paid))
	}
	undone := w.send(t, ada, "Undo me once")
	done := w.confirm(t, mods[0], undone.ID)
	if got := race(8, func(site world, i int) error { return site.undo(t, mods[i%2], undone.ID, done) }); got != 1 || len(w.till.revoked) != 1 {
		t.Errorf("undone %d times, taken back %d times", got, len(w.till.revoked))
	}
}
