package shoutouts

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestDecisionsAndTheirUndoing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	id := w.post(t, ada, Input{BusinessName: "Blue Heron", City: "Atlanta", Body: "Warm bread"}).ID
	c := w.laidOut(t, mod, id)
	if c.Title != "Blue Heron, Atlanta" || c.Text != "Warm bread" || c.SenderID != ada.ID || c.Sender != "ada" || !c.Waiting || c.Appealable ||
		c.State != "waiting" || c.Facts[0] != (core.Fact{Label: "Stars", Text: "4.5 of 5"}) ||
		!slices.Equal(c.Actions, []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}) {
		t.Fatalf("the case is %+v", c)
	}
	approved := w.mustDecide(t, mod, id, core.ActionApprove, "")
	if diff := cmp.Diff(core.Ruling{Kind: "shoutout_approved", About: core.Target{Type: "shoutout", ID: id}, Title: "Blue Heron, Atlanta"}, approved.Ruling); diff != "" {
		t.Error(diff)
	}
	award := core.Award{AccountID: ada.ID, Reason: core.AwardShoutOut, Detail: "Blue Heron", RefType: "shoutout", RefID: id}
	if diff := cmp.Diff([]core.Award{award}, w.till.paid); diff != "" || w.feed(t, Filter{}) != "Blue Heron" {
		t.Errorf("approved: public are %q, paid %s", w.feed(t, Filter{}), diff)
	}
	if err := w.undo(t, mod, id, approved.Memo); err != nil || len(w.till.paid) != 0 || w.feed(t, Filter{}) != "" {
		t.Fatalf("undone: %v, paid %+v", err, w.till.paid)
	}
	wantError(t, "undoing twice", w.undo(t, mod, id, approved.Memo), core.Conflict, "cannot_undo")
	if n := w.count(t, `select count(*) from desk_queue where target_id = $1`, id); n != 1 {
		t.Error("it does not wait again")
	}
	w.mustDecide(t, mod, id, core.ActionReject, "Not a business.")
	if c := w.laidOut(t, other, id); c.State != "refused" || !c.Appealable || c.Reason != "Not a business." || c.DecidedBy != mod.ID ||
		!slices.Equal(c.Actions, []core.Action{core.ActionRestore}) {
		t.Errorf("refused: %+v", c)
	}
	restored := w.mustDecide(t, other, id, core.ActionRestore, "")
	if w.feed(t, Filter{}) != "Blue Heron" || len(w.till.paid) != 1 {
		t.Error("restored, it is not public or not paid")
	}
	if err := w.undo(t, other, id, restored.Memo); err != nil {
		t.Fatal(err)
	}
	if c := w.laidOut(t, mod, id); c.State != "refused" || c.Reason != "Not a business." || c.DecidedBy != mod.ID || len(w.till.paid) != 0 {
		t.Errorf("the restoring undone: %+v, paid %+v", c, w.till.paid)
	}
	w.mustDecide(t, other, id, core.ActionRestore, "")
	hidden := w.mustDecide(t, mod, id, core.ActionHide, "It closed.")
	if c := w.laidOut(t, mod, id); w.feed(t, Filter{}) != "" || c.State != "hidden" || !c.Appealable {
		t.Errorf("hidden: %+v", c)
	}
	if err := w.undo(t, mod, id, hidden.Memo); err != nil || w.feed(t, Filter{}) != "Blue Heron" || len(w.till.paid) != 1 {
		t.Errorf("the hiding undone: %v, paid %+v", err, w.till.paid)
	}
	abusive := w.mustDecide(t, mod, w.post(t, core.Nobody(), Input{BusinessName: "Rude"}).ID, core.ActionAbusive, "")
	if c := w.laidOut(t, mod, abusive.Ruling.About.ID); c.State != "spam" || c.SenderID != "" || len(w.till.paid) != 1 {
		t.Errorf("abuse: %+v", c)
	}
}

func TestWhoMayDecide(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	id := w.post(t, mod, Input{BusinessName: "My own"}).ID
	decide := func(v core.Viewer, id string, action core.Action, reason string) error {
		_, err := w.decide(t.Context(), v, id, action, reason)
		return err
	}
	wantError(t, "nobody", decide(core.Nobody(), id, core.ActionApprove, ""), core.Unauthenticated, "unauthenticated")
	wantError(t, "a member", decide(ada, id, core.ActionApprove, ""), core.Forbidden, "not_allowed")
	wantError(t, "who sent it", decide(mod, id, core.ActionApprove, ""), core.Forbidden, "not_allowed")
	wantError(t, "what is not there", decide(mod, pg.NewID(), core.ActionApprove, ""), core.NotFound, "not_found")
	wantError(t, "no id", decide(mod, "x", core.ActionApprove, ""), core.NotFound, "not_found")
	wantError(t, "an odd action", decide(other, id, "burn", ""), core.Invalid, "validation_failed")
	wantError(t, "hiding what waits", decide(other, id, core.ActionHide, "No"), core.Conflict, "already_decided")
	wantError(t, "no reason", decide(other, id, core.ActionReject, " "), core.Invalid, "validation_failed")
	wantError(t, "a long reason", decide(other, id, core.ActionReject, strings.Repeat("r", 501)), core.Invalid, "validation_failed")
	if c := w.laidOut(t, mod, id); len(c.Actions) != 0 || !c.Waiting {
		t.Errorf("one's own: %+v", c)
	}
	done := w.mustDecide(t, other, id, core.ActionApprove, "")
	wantError(t, "again", decide(other, id, core.ActionApprove, ""), core.Conflict, "already_decided")
	wantError(t, "undoing one's own", w.undo(t, mod, id, done.Memo), core.Forbidden, "not_allowed")
	wantError(t, "undoing as a member", w.undo(t, ada, id, done.Memo), core.Forbidden, "not_allowed")
	wantError(t, "undoing without a memo", w.undo(t, other, id, nil), core.Conflict, "cannot_undo")
	_, err := w.Recent(t.Context(), ada, 10)
	wantError(t, "recent ones", err, core.Forbidden, "not_allowed")
	w.post(t, core.Nobody(), Input{BusinessName: "Later", City: "Macon", SubmitterName: "Bea"})
	recent, err := w.Recent(t.Context(), mod, 10)
	if err != nil || len(recent) != 2 || recent[0].Title != "Later, Macon" || recent[0].SubmittedBy != "Bea" || recent[0].Source != "shoutout" ||
		recent[0].Path != "/moderation?case=shoutout:"+recent[0].ID || recent[1].SubmittedBy != "mod" || recent[1].Status != "approved" {
		t.Errorf("%+v, %v", recent, err)
	}
}

func TestManyDecideAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "other")}
	instances := []*Service{w.Service, w.second(t)}
	id := w.post(t, ada, Input{BusinessName: "Decide me once"}).ID
	var took atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			switch _, err := instances[i%2].decide(t.Context(), mods[i/2%2], id, core.ActionApprove, ""); {
			case err == nil:
				took.Add(1)
			case core.KindOf(err) != core.Conflict:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if took.Load() != 1 || len(w.till.paid) != 1 {
		t.Errorf("decided %d times, paid %d times", took.Load(), len(w.till.paid))
	}
}

// What Go forgot, the database refuses.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	public, waiting := w.post(t, ada, Input{BusinessName: "Public"}), w.post(t, ada, Input{BusinessName: "Waiting"})
	hidden, own := w.post(t, core.Nobody(), Input{BusinessName: "Hidden", Mark: "m"}), w.post(t, mod, Input{BusinessName: "Own"})
	w.mustDecide(t, mod, public.ID, core.ActionApprove, "")
	w.mustDecide(t, mod, hidden.ID, core.ActionApprove, "")
	w.mustDecide(t, mod, hidden.ID, core.ActionHide, "Closed")
	for _, tt := range []struct {
		v    core.Viewer
		want int
	}{{core.Nobody(), 1}, {ben, 1}, {ada, 2}, {mod, 4}} {
		if got := pgtest.Value[int](t, w.database, tt.v, `select count(*) from shoutouts`); got != tt.want {
			t.Errorf("%q sees %d shout-outs, want %d", tt.v.Username, got, tt.want)
		}
	}
	if got := pgtest.Value[int](t, w.database, ben, `select count(account_id) from shoutout_senders`); got != 0 {
		t.Errorf("another member sees %d senders", got)
	}
	contribution := pgtest.Value[string](t, w.database, core.TheSystem(), `select min(id::text) from directory_contributions where account_id = $1`, ada.ID)
	for what, tt := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"anon reads senders":            {core.Nobody(), `select shoutout_id from shoutout_senders`},
		"anon sends":                    {core.Nobody(), `insert into shoutouts (id, business_name, rating) values (gen_random_uuid(), 'x', 5)`},
		"a member reads browsers":       {ada, `select browser_hash from shoutout_senders`},
		"staff read browsers":           {mod, `select browser_hash from shoutout_senders`},
		"a member reads who decided":    {ada, `select decided_by from shoutout_senders`},
		"a member publishes":            {ada, `update shoutouts set status = 'approved'`},
		"a member brings an approved":   {ada, `insert into shoutouts (id, business_name, rating, status) values (gen_random_uuid(), 'x', 5, 'approved')`},
		"a member brings one of nobody": {ada, `insert into shoutouts (id, business_name, rating) values (gen_random_uuid(), 'x', 5)`},
		"a member sends for another":    {ada, `insert into shoutout_senders (shoutout_id, account_id) values (gen_random_uuid(), '` + ben.ID + `')`},
		"a member takes another's draft": {ben, `insert into shoutout_senders (shoutout_id, account_id, contribution_id)
			values (gen_random_uuid(), '` + ben.ID + `', '` + contribution + `')`},
		"a member adopts":               {ben, `update shoutout_senders set account_id = '` + ben.ID + `'`},
		"staff give a shout-out away":   {mod, `update shoutout_senders set account_id = null`},
		"staff rewrite what was said":   {mod, `update shoutouts set body = 'x'`},
		"a moderator decides for other": {mod, `update shoutout_senders set decided_by = '` + ada.ID + `' where shoutout_id = '` + waiting.ID + `'`},
	} {
		if _, err := w.database.Exec(t, tt.v, tt.sql); !pg.Denied(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := w.database.Exec(t, ben, `with s as (insert into shoutout_senders (shoutout_id, account_id) values ('`+own.ID+`', '`+ben.ID+`')) select`); err == nil {
		t.Error("a member takes a shout-out that has a sender")
	}
	for what, tt := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"another member deletes":          {ben, `delete from shoutouts where id = '` + waiting.ID + `'`},
		"staff delete what a member sent": {mod, `delete from shoutouts where id = '` + waiting.ID + `'`},
		"a moderator publishes their own": {mod, `update shoutouts set status = 'approved' where id = '` + own.ID + `'`},
		"a member deletes a public one":   {ada, `delete from shoutouts where id = '` + public.ID + `'`},
	} {
		if n, err := w.database.Exec(t, tt.v, tt.sql); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
	}
	// A member cannot show another's name.
	err := w.database.Write(t.Context(), ben, func(tx *pg.Tx) error {
		ctx, id := context.Background(), pg.NewID()
		if _, err := tx.Exec(ctx, `insert into shoutout_senders (shoutout_id, account_id) values ($1, $2)`, id, ben.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into shoutouts (id, business_name, rating, author_id) values ($1, 'x', 5, $2)`, id, ada.ID)
		return err
	})
	if !pg.Denied(err) {
		t.Errorf("under another's name: %v", err)
	}
}
