package polls

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func (w world) earned(t testing.TB, v core.Viewer) int {
	t.Helper()
	b, err := w.points.Balance(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return b.Balance
}

func (w world) draft(t testing.TB, author core.Viewer, question string) Poll {
	t.Helper()
	w.judge.says = core.DecisionReview
	p, err := w.Create(t.Context(), author, Input{Question: question, Description: "Tell.", Options: []string{"Tea", "Coffee"}, AllowComments: true})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.add(time.Second)
	return p
}

// comment makes one that waits.
func (w world) comment(t testing.TB, p Poll, v core.Viewer, body string) string {
	t.Helper()
	w.judge.says = core.DecisionReview
	full, err := w.Get(t.Context(), core.Nobody(), p.Slug)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Vote(t.Context(), v, p.Slug, VoteInput{OptionID: full.Options[0].ID, Comment: body, Voter: browser(body)}); err != nil {
		t.Fatal(err)
	}
	return pgtest.Value[string](t, w.database, core.TheSystem(), `select id::text from poll_comments where body = $1`, body)
}

func TestDeskOfPolls(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	p := w.draft(t, ada, "Tea or coffee?")
	c, err := w.laidOut(t, w.Desk(), mod, p.ID)
	want := core.Case{Target: core.Target{Type: "poll", ID: p.ID}, Heading: "A poll", Title: "Tea or coffee?", Text: "Tell.", Path: "/polls/tea-or-coffee",
		Facts:    []core.Fact{{Label: "Answer 1", Text: "Tea"}, {Label: "Answer 2", Text: "Coffee"}},
		SenderID: ada.ID, Sender: "ada", SentAt: p.CreatedAt, State: "waiting", Waiting: true,
		Actions: []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}}
	if diff := cmp.Diff(want, c); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	pays := w.points.Award(core.AwardPoll)
	for _, tt := range []struct {
		action                        core.Action
		reason, ruling, kept, becomes string
		pays                          int
	}{
		{core.ActionApprove, "", "poll_approved", "", "published", pays},
		{core.ActionReject, "We had this.", "poll_refused", "We had this.", "refused", 0},
		{core.ActionAbusive, "", "poll_abusive", spamReason, "refused", 0},
		{core.ActionApprove, "", "poll_approved", "", "published", pays},
	} {
		if got := w.queue(t); got != "poll Tea or coffee?" {
			t.Errorf("before %s %q waits", tt.action, got)
		}
		done := w.decided(t, w.Desk(), mod, p.ID, tt.action, tt.reason)
		c, _ := w.laidOut(t, w.Desk(), mod, p.ID)
		if done.Ruling.Kind != tt.ruling || done.Ruling.Reason != tt.kept || c.State != tt.becomes || c.Waiting || c.Reason != tt.kept ||
			c.DecidedBy != mod.ID || w.earned(t, ada) != tt.pays || w.queue(t) != "" {
			t.Errorf("%s gives %+v and leaves %+v, %q waits", tt.action, done.Ruling, c, w.queue(t))
		}
		_, err := decideAt(t, w.database.DB, w.Desk(), mod, p.ID, core.ActionReject, "Again")
		wantError(t, "deciding again", err, core.Conflict, "already_decided")
		if err := w.undo(t, w.Desk(), mod, p.ID, done); err != nil {
			t.Fatal(err)
		}
		if c, _ = w.laidOut(t, w.Desk(), mod, p.ID); !c.Waiting || c.DecidedBy != "" || c.Reason != "" || w.earned(t, ada) != 0 {
			t.Errorf("undone, %s leaves %+v", tt.action, c)
		}
		wantError(t, "undoing twice", w.undo(t, w.Desk(), mod, p.ID, done), core.Conflict, "cannot_undo")
	}
}

func TestDeskRestoresPolls(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	p := w.draft(t, ada, "Tea?")
	_, err := decideAt(t, w.database.DB, w.Desk(), mod, p.ID, core.ActionRestore, "")
	wantError(t, "restoring a draft", err, core.Invalid, "validation_failed")
	w.decided(t, w.Desk(), mod, p.ID, core.ActionReject, "No.")
	restored := w.decided(t, w.Desk(), other, p.ID, core.ActionRestore, "It is fine.")
	if got, err := w.Get(t.Context(), core.Nobody(), p.Slug); err != nil || got.State != Open || restored.Ruling.Kind != "poll_restored" {
		t.Errorf("%+v, %v, %+v", got, err, restored.Ruling)
	}
	if err := w.undo(t, w.Desk(), other, p.ID, restored); err != nil {
		t.Fatal(err)
	}
	if c, _ := w.laidOut(t, w.Desk(), mod, p.ID); c.State != "refused" || c.Reason != "No." || c.DecidedBy != mod.ID || !c.Appealable || w.earned(t, ada) != 0 {
		t.Errorf("%+v", c)
	}
	restored = w.decided(t, w.Desk(), other, p.ID, core.ActionRestore, "")
	if _, err := w.SetHidden(t.Context(), mod, p.Slug, true); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what was hidden since", w.undo(t, w.Desk(), other, p.ID, restored), core.Conflict, "cannot_undo")
	c, _ := w.laidOut(t, w.Desk(), mod, p.ID)
	if c.State != "hidden" || !c.Appealable || !cmp.Equal(c.Actions, []core.Action{core.ActionRestore}) {
		t.Errorf("%+v", c)
	}
	shown := w.decided(t, w.Desk(), other, p.ID, core.ActionRestore, "")
	if _, err := w.Get(t.Context(), core.Nobody(), p.Slug); err != nil {
		t.Errorf("shown again: %v", err)
	}
	if err := w.undo(t, w.Desk(), other, p.ID, shown); err != nil || w.earned(t, ada) != w.points.Award(core.AwardPoll) {
		t.Errorf("hidden again: %v, and ada has %d", err, w.earned(t, ada))
	}
	if c, _ := w.laidOut(t, w.Desk(), mod, p.ID); c.State != "hidden" {
		t.Errorf("%+v", c)
	}
}

func TestDeskOfComments(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod, other := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod"), w.moderator(t, "other")
	w.judge.says = core.DecisionApprove
	p := w.poll(t, ada, "Tea?")
	id := w.comment(t, p, ben, "With  milk")
	if text := w.judge.judged[1]; text.About != (core.Target{Type: "poll_comment", ID: id}) {
		t.Errorf("judged as %+v", text.About)
	}
	c, err := w.laidOut(t, w.CommentDesk(), mod, id)
	want := core.Case{Target: core.Target{Type: "poll_comment", ID: id}, Heading: "A comment on a poll", Title: "With milk", Text: "With  milk",
		Path: "/polls/tea", Facts: []core.Fact{{Label: "On the poll", Text: "Tea?", Href: "/polls/tea"}}, SenderID: ben.ID, Sender: "ben", SentAt: c.SentAt,
		State: "waiting", Waiting: true, Actions: []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}}
	if diff := cmp.Diff(want, c); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	_, err = decideAt(t, w.database.DB, w.CommentDesk(), mod, id, core.ActionReject, "")
	wantError(t, "without a reason", err, core.Invalid, "validation_failed")
	for _, tt := range []struct {
		action                  core.Action
		reason, ruling, becomes string
	}{
		{core.ActionApprove, "", "poll_comment_approved", "published"},
		{core.ActionReject, "Off the topic.", "poll_comment_refused", "refused"},
		{core.ActionAbusive, "Rude.", "poll_comment_abusive", "refused"},
	} {
		done := w.decided(t, w.CommentDesk(), mod, id, tt.action, tt.reason)
		c, _ := w.laidOut(t, w.CommentDesk(), mod, id)
		if done.Ruling.Kind != tt.ruling || c.State != tt.becomes || c.Reason != tt.reason || c.DecidedBy != mod.ID || w.queue(t) != "" {
			t.Errorf("%s gives %+v and leaves %+v", tt.action, done.Ruling, c)
		}
		if err := w.undo(t, w.CommentDesk(), mod, id, done); err != nil {
			t.Fatal(err)
		}
		if c, _ = w.laidOut(t, w.CommentDesk(), mod, id); !c.Waiting || w.queue(t) != "poll_comment With milk" {
			t.Errorf("undone, %s leaves %+v, %q", tt.action, c, w.queue(t))
		}
	}
	rejected := w.decided(t, w.CommentDesk(), mod, id, core.ActionReject, "No.")
	restored := w.decided(t, w.CommentDesk(), other, id, core.ActionRestore, "")
	wantError(t, "the decision before the last", w.undo(t, w.CommentDesk(), mod, id, rejected), core.Conflict, "cannot_undo")
	if err := w.undo(t, w.CommentDesk(), other, id, restored); err != nil {
		t.Fatal(err)
	}
	if c, _ := w.laidOut(t, w.CommentDesk(), mod, id); c.State != "refused" || c.DecidedBy != mod.ID || c.Reason != "No." {
		t.Errorf("%+v", c)
	}
}

func TestWhoDecidesAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	w.judge.says = core.DecisionApprove
	comment := w.comment(t, w.poll(t, ada, "Coffee?"), mod, "Mine")
	for _, thing := range []struct {
		desk desk
		id   string
	}{{w.Desk(), w.draft(t, mod, "Tea?").ID}, {w.CommentDesk(), comment}} {
		for _, tt := range []struct {
			what string
			v    core.Viewer
			id   string
			kind core.Kind
			code string
		}{
			{"nobody", core.Nobody(), thing.id, core.Unauthenticated, "unauthenticated"},
			{"a member", ada, thing.id, core.Forbidden, "not_allowed"},
			{"whose it is", mod, thing.id, core.Forbidden, "not_allowed"},
			{"nothing", mod, pg.NewID(), core.NotFound, "not_found"},
			{"no id", mod, "x", core.NotFound, "not_found"},
		} {
			_, err := decideAt(t, w.database.DB, thing.desk, tt.v, tt.id, core.ActionApprove, "")
			wantError(t, tt.what, err, tt.kind, tt.code)
			wantError(t, tt.what+" undoing", w.undo(t, thing.desk, tt.v, tt.id, core.Done{Memo: json.RawMessage(`{}`)}), tt.kind, tt.code)
		}
		if c, err := w.laidOut(t, thing.desk, mod, thing.id); err != nil || c.Actions != nil || !c.Waiting {
			t.Errorf("one's own: %+v, %v", c, err)
		}
		_, err := w.laidOut(t, thing.desk, mod, "x")
		wantError(t, "no case", err, core.NotFound, "not_found")
	}
}

func TestQueueFollows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.draft(t, ada, "Tea?")
	w.judge.says = core.DecisionApprove
	p := w.poll(t, ben, "Coffee?")
	w.comment(t, p, ada, "Black")
	if got := w.queue(t); got != "poll Tea? | poll_comment Black" {
		t.Errorf("%q waits", got)
	}
	leave := func(v core.Viewer, remove bool) {
		t.Helper()
		if err := w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, v.ID, remove) }); err != nil {
			t.Fatal(err)
		}
	}
	leave(ada, false)
	if n := w.count(t, `select count(*) from desk_queue where sender_id is not null`); n != 0 || w.queue(t) != "poll_comment Black" {
		t.Errorf("left: %q waits, %d with a name", w.queue(t), n)
	}
	leave(ben, true) // the comment goes with the poll
	if got := w.queue(t); got != "" {
		t.Errorf("%q waits", got)
	}
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		for _, sql := range []string{`delete from desk_queue`, `update desk_queue set title = 'x'`,
			`insert into desk_queue (target_type, target_id, title, since) values ('poll', gen_random_uuid(), 'x', now())`} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s: %v", v.DatabaseRole(), sql, err)
			}
		}
	}
}

func TestOneDecisionAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	other := w.database.Instance(t)
	second, _, _ := w.instance(t, other)
	dbs := []*pg.DB{w.database.DB, other}
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "mona")}
	w.judge.says = core.DecisionApprove
	comment := w.comment(t, w.poll(t, ada, "Coffee?"), ada, "Black")
	before := w.earned(t, ada)
	for _, thing := range []struct {
		desks []desk
		id    string
	}{
		{[]desk{w.Desk(), second.Desk()}, w.draft(t, ada, "Tea?").ID},
		{[]desk{w.CommentDesk(), second.CommentDesk()}, comment},
	} {
		var took atomic.Int32
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				_, err := decideAt(t, dbs[i%2], thing.desks[i%2], mods[i/2%2], thing.id, []core.Action{core.ActionApprove, core.ActionReject}[i/4%2], "Because")
				switch {
				case err == nil:
					took.Add(1)
				case core.AsError(err).Code != "already_decided":
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took.Load() != 1 {
			t.Errorf("%d decisions about %s", took.Load(), thing.id)
		}
	}
	if earned := w.earned(t, ada) - before; earned != 0 && earned != w.points.Award(core.AwardPoll) || w.queue(t) != "" {
		t.Errorf("it paid %d, and %q waits", earned, w.queue(t))
	}
}
