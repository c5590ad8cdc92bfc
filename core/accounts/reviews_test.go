package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/provider"
)

// judge is a pipeline that tells by a word of the text.
type judge struct {
	mu    sync.Mutex
	texts []core.Text
}

func (j *judge) Judge(_ context.Context, _ core.Viewer, t core.Text) (core.Verdict, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.texts = append(j.texts, t)
	switch {
	case strings.Contains(t.Body, "vile"):
		return core.Verdict{Decision: core.DecisionReject}, nil
	case strings.Contains(t.Body, "odd"):
		return core.Verdict{Decision: core.DecisionReview}, nil
	case strings.Contains(t.Body, "broken"):
		return core.Verdict{}, errors.New("the pipeline is away")
	}
	return core.Verdict{Decision: core.DecisionApprove}, nil
}

func judgedWorld(t *testing.T) (world, *judge) {
	t.Helper()
	w, j := setup(t), &judge{}
	w.Service = w.WithModerator(j)
	return w, j
}

func patchOf(name, bio string) ProfilePatch {
	return ProfilePatch{DisplayName: &name, Bio: &bio, From: core.Origin{AddressKey: "192.0.2.1"}}
}

func (w world) save(t *testing.T, v core.Viewer, name, bio string) Account {
	t.Helper()
	a, err := w.UpdateProfile(t.Context(), v, patchOf(name, bio))
	if err != nil {
		t.Fatalf("save %q, %q: %v", name, bio, err)
	}
	return a
}

// seen is the profile as everybody sees it: name, then bio.
func (w world) seen(t *testing.T, username string) string {
	t.Helper()
	p, err := w.PublicProfile(t.Context(), username)
	if err != nil {
		t.Fatal(err)
	}
	return orEmpty(p.DisplayName) + "|" + p.Bio
}

func TestProfileTextsAreJudged(t *testing.T) {
	t.Parallel()
	w, j := judgedWorld(t)
	ada := w.account(t, "ada", RoleMember)
	a := w.save(t, ada, "Ada", "I bake.")
	if a.Review != nil || w.seen(t, "ada") != "Ada|I bake." {
		t.Errorf("what is approved: %+v, seen %s", a, w.seen(t, "ada"))
	}
	if got := j.texts[0]; got.Scope != "profile" || got.Body != "Ada\nI bake." || got.About != (core.Target{Type: "profile", ID: ada.ID}) || got.From.AddressKey != "192.0.2.1" {
		t.Errorf("the pipeline got %+v", got)
	}
	_, err := w.UpdateProfile(t.Context(), ada, patchOf("Ada", "I am vile."))
	wantCode(t, "what is rejected", err, "spam")
	if e := core.AsError(err); e.Kind != core.Invalid || e.Fields["bio"] == "" || e.Fields["display_name"] != "" {
		t.Errorf("it says %+v", e)
	}
	if w.seen(t, "ada") != "Ada|I bake." {
		t.Errorf("after a refusal everybody sees %s", w.seen(t, "ada"))
	}
	judged := len(j.texts)
	picture := "https://example.org/ada.png"
	same := patchOf("Ada", "I bake.")
	same.AvatarURL = &picture
	if _, err := w.UpdateProfile(t.Context(), ada, same); err != nil || len(j.texts) != judged {
		t.Errorf("without a new text: %v, judged %d more", err, len(j.texts)-judged)
	}
}

func TestHeldProfile(t *testing.T) {
	t.Parallel()
	for _, bio := range []string{"An odd one.", "broken"} {
		w, _ := judgedWorld(t)
		ada := w.account(t, "ada", RoleMember)
		w.save(t, ada, "Ada", "I bake.")
		a := w.save(t, ada, "Ada", bio)
		if !a.Review.Waiting() || a.Bio != bio || orEmpty(a.DisplayName) != "Ada" {
			t.Errorf("the member sees %+v", a)
		}
		if got := w.seen(t, "ada"); got != "|" {
			t.Errorf("everybody sees %s, want the username alone", got)
		}
		if me, err := w.Me(t.Context(), ada); err != nil || me.Bio != bio || !me.Review.Waiting() {
			t.Errorf("later the member sees %+v, %v", me, err)
		}
		queue := pgtest.Value[string](t, w.db, core.TheSystem(), `select target_type || ' ' || title || ' ' || (sender_id = target_id) from desk_queue`)
		if queue != "profile Ada true" {
			t.Errorf("the queue has %s", queue)
		}
		w.save(t, ada, "Ada", "I bake again.")
		if got := w.seen(t, "ada"); got != "Ada|I bake again." {
			t.Errorf("once it is changed everybody sees %s", got)
		}
		if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select (select count(*) from desk_queue) + (select count(*) from profile_reviews)`); n != 0 {
			t.Errorf("%d rows still wait", n)
		}
	}
}

func (w world) decide(t *testing.T, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = w.db.Write(t.Context(), v, func(tx *pg.Tx) (err error) {
		done, err = w.Desk().DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) undo(t *testing.T, v core.Viewer, id string, memo json.RawMessage) error {
	t.Helper()
	return w.db.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, memo) })
}

func (w world) reviewCase(t *testing.T, v core.Viewer, id string) (c core.Case, err error) {
	t.Helper()
	err = w.db.Read(t.Context(), v, func(q pg.Querier) (err error) {
		c, err = w.Desk().CaseTx(t.Context(), q, v, id)
		return err
	})
	return c, err
}

func (w world) waiting(t *testing.T) int {
	t.Helper()
	return pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from desk_queue`)
}

func TestProfileDesk(t *testing.T) {
	t.Parallel()
	w, _ := judgedWorld(t)
	ada, mod := w.account(t, "ada", RoleMember), w.account(t, "mod", RoleModerator)
	w.save(t, ada, "Odd Ada", "I am odd.")
	c, err := w.reviewCase(t, mod, ada.ID)
	if err != nil || !c.Waiting || c.Title != "Odd Ada" || c.Text != "I am odd." || c.Sender != "ada" || len(c.Actions) != 3 || c.Actions[0] != core.ActionApprove || c.Appealable {
		t.Errorf("the case is %+v, %v", c, err)
	}
	done, err := w.decide(t, mod, ada.ID, core.ActionApprove, "")
	if err != nil || done.Ruling.Kind != "profile_approved" || w.seen(t, "ada") != "Odd Ada|I am odd." || w.waiting(t) != 0 {
		t.Errorf("approved: %+v, %v, seen %s", done, err, w.seen(t, "ada"))
	}
	_, err = w.decide(t, mod, ada.ID, core.ActionReject, "Too late.")
	wantCode(t, "deciding twice", err, "already_decided")
	if err := w.undo(t, mod, ada.ID, done.Memo); err != nil || w.seen(t, "ada") != "|" || w.waiting(t) != 1 {
		t.Errorf("undone: %v, seen %s", err, w.seen(t, "ada"))
	}
	_, err = w.decide(t, mod, ada.ID, core.ActionReject, " ")
	wantCode(t, "refusing without a reason", err, "validation_failed")
	done, err = w.decide(t, mod, ada.ID, core.ActionReject, "Please be kind.")
	if err != nil || w.seen(t, "ada") != "|" || w.waiting(t) != 0 {
		t.Errorf("refused: %v, seen %s", err, w.seen(t, "ada"))
	}
	me, err := w.Me(t.Context(), ada)
	if err != nil || !me.Review.Refused() || me.Review.Reason != "Please be kind." || me.Bio != "" || me.DisplayName != nil {
		t.Errorf("the member sees %+v, %v", me, err)
	}
	if c, _ := w.reviewCase(t, mod, ada.ID); !c.Appealable || len(c.Actions) != 1 || c.Actions[0] != core.ActionRestore || c.DecidedBy != mod.ID {
		t.Errorf("a refused case is %+v", c)
	}
	restored, err := w.decide(t, mod, ada.ID, core.ActionRestore, "")
	if err != nil || restored.Ruling.Kind != "profile_restored" || w.seen(t, "ada") != "Odd Ada|I am odd." {
		t.Errorf("restored: %+v, %v", restored, err)
	}
	if err := w.undo(t, mod, ada.ID, restored.Memo); err != nil || w.seen(t, "ada") != "|" {
		t.Errorf("undone again: %v", err)
	}
	if me, _ := w.Me(t.Context(), ada); !me.Review.Refused() || me.Review.Reason != "Please be kind." {
		t.Errorf("after undoing a restoration the member sees %+v", me.Review)
	}
	w.save(t, ada, "Ada", "I bake.")
	wantCode(t, "undoing what has moved on", w.undo(t, mod, ada.ID, done.Memo), "cannot_undo")
	_, err = w.reviewCase(t, mod, ada.ID)
	wantCode(t, "the case of a profile that is fine", err, "not_found")
}

func TestAbusiveProfile(t *testing.T) {
	t.Parallel()
	w, _ := judgedWorld(t)
	ada, mod := w.account(t, "ada", RoleMember), w.account(t, "mod", RoleModerator)
	w.save(t, ada, "", "odd")
	if _, err := w.decide(t, mod, ada.ID, core.ActionAbusive, ""); err != nil {
		t.Fatal(err)
	}
	list, err := w.Recent(t.Context(), mod, 10)
	if err != nil || len(list) != 1 || list[0].Status != "spam" || list[0].SubmittedBy != "ada" || list[0].Path != "/moderation?case=profile:"+ada.ID {
		t.Errorf("recent: %+v, %v", list, err)
	}
	w.save(t, ada, "", "odd in another way") // sends it in once more
	if c, err := w.reviewCase(t, mod, ada.ID); err != nil || !c.Waiting || c.Reason != "" {
		t.Errorf("sent in again: %+v, %v", c, err)
	}
}

func TestWhoDecidesAboutProfiles(t *testing.T) {
	t.Parallel()
	w, _ := judgedWorld(t)
	ada, mod := w.account(t, "ada", RoleMember), w.account(t, "mod", RoleModerator)
	w.save(t, ada, "", "odd")
	w.save(t, mod, "", "odd")
	for name, c := range map[string]struct {
		viewer core.Viewer
		id     string
		code   string
	}{"nobody": {core.Nobody(), ada.ID, "unauthenticated"}, "a member": {ada, ada.ID, "not_allowed"}, "about their own": {mod, mod.ID, "not_allowed"},
		"about nobody": {mod, pg.NewID(), "not_found"}, "without an id": {mod, "x", "not_found"}} {
		_, err := w.decide(t, c.viewer, c.id, core.ActionApprove, "")
		wantCode(t, name, err, c.code)
	}
	_, err := w.decide(t, mod, ada.ID, core.ActionHide, "x")
	wantCode(t, "another action", err, "validation_failed")
	if c, _ := w.reviewCase(t, mod, mod.ID); len(c.Actions) != 0 {
		t.Errorf("their own case offers %v", c.Actions)
	}
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		_, err := w.Recent(t.Context(), v, 10)
		if err == nil {
			t.Errorf("%s reads what was sent in", v.DatabaseRole())
		}
	}
}

// What the Go code never asks for, the database refuses all the same.
func TestProfileReviewsRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w, _ := judgedWorld(t)
	ada, bea, mod := w.account(t, "ada", RoleMember), w.account(t, "bea", RoleMember), w.account(t, "mod", RoleModerator)
	w.save(t, ada, "", "odd")
	w.save(t, mod, "", "odd")
	if _, err := w.db.Exec(t, core.Nobody(), `select bio from profile_reviews`); !pg.Denied(err) {
		t.Errorf("anybody reads what waits: %v", err)
	}
	if n := pgtest.Value[int](t, w.db, bea, `select count(*) from profile_reviews`); n != 0 {
		t.Errorf("another member sees %d rows", n)
	}
	if n := pgtest.Value[int](t, w.db, ada, `select count(*) from profile_reviews`); n != 1 {
		t.Errorf("a member sees %d rows of their own", n)
	}
	for _, sql := range []string{`update profile_reviews set status = 'approved'`, `select decided_by from profile_reviews`, `delete from profile_reviews`} {
		if _, err := w.db.Exec(t, ada, sql); !pg.Denied(err) {
			t.Errorf("a member may %q: %v", sql, err)
		}
	}
	n, err := w.db.Exec(t, mod, `update profile_reviews set status = 'refused', decided_at = now()`)
	if err != nil || n != 1 {
		t.Errorf("a moderator decides about %d rows, %v; want 1, not their own", n, err)
	}
	if _, err := w.db.Exec(t, mod, `update profile_reviews set bio = 'x'`); !pg.Denied(err) {
		t.Errorf("a moderator writes for a member: %v", err)
	}
}

// Many moderators decide at once on two instances: one of them does.
func TestOneDecidesAboutAProfile(t *testing.T) {
	t.Parallel()
	w, _ := judgedWorld(t)
	ada, mod := w.account(t, "ada", RoleMember), w.account(t, "mod", RoleModerator)
	w.save(t, ada, "Odd", "odd")
	instances := []*pg.DB{w.db.DB, w.db.Instance(t)}
	var wg sync.WaitGroup
	var mu sync.Mutex
	decided := 0
	for i := range 20 {
		wg.Go(func() {
			err := instances[i%2].Write(t.Context(), mod, func(tx *pg.Tx) error {
				_, err := w.Desk().DecideTx(t.Context(), tx, mod, ada.ID, core.ActionApprove, "")
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				decided++
			} else if core.AsError(err).Code != "already_decided" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if decided != 1 {
		t.Errorf("%d decided", decided)
	}
}

func TestNamesAtSignUp(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	j := &judge{}
	h.Moderator = j
	in := input("ada")
	in.DisplayName = "vile Ada"
	_, err := h.SignUp(t.Context(), in)
	wantCode(t, "a name that is rejected", err, "spam")
	if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from accounts`); n != 0 {
		t.Error("the account is there")
	}
	in.DisplayName = "odd Ada"
	if _, err := h.SignUp(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	a, err := h.Verify(t.Context(), h.mailed(t, "ada@example.org", VerifyPage))
	if err != nil || h.seen(t, "ada") != "|" {
		t.Errorf("everybody sees %s, %v", h.seen(t, "ada"), err)
	}
	me, err := h.Me(t.Context(), a.Viewer())
	if err != nil || orEmpty(me.DisplayName) != "odd Ada" || !me.Review.Waiting() {
		t.Errorf("the member sees %+v, %v", me, err)
	}
	if j.texts[1].About != (core.Target{Type: "profile", ID: a.ID}) || j.texts[1].From.AddressKey != somewhere {
		t.Errorf("the pipeline got %+v", j.texts[1])
	}
	if err := h.Leave(t.Context(), a.Viewer(), LeaveInput{Contributions: KeepContributions, Password: password}); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select (select count(*) from profile_reviews) + (select count(*) from desk_queue)`); n != 0 {
		t.Errorf("%d rows are left of who left", n)
	}

	in = input("bea")
	in.DisplayName = "odd Bea"
	if _, err := h.SignUp(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	h.clock.forward(8 * 24 * time.Hour)
	if n, err := h.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("a sign-up that nobody confirmed: %d, %v", n, err)
	}
}

// A name that a provider tells is left out where the rules have a doubt.
func TestNamesFromOutside(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.Moderator = &judge{}
	for name, want := range map[string]string{"odd Cleo": "", "vile Cleo": "", "Cleo": "Cleo"} {
		a, err := h.Admit(t.Context(), provider.Subject{Issuer: "https://idp.example.org", Subject: name, Name: name, Username: "cleo",
			Email: strings.ReplaceAll(name, " ", ".") + "@example.org", EmailVerified: true}, somewhere)
		if err != nil || orEmpty(a.DisplayName) != want {
			t.Errorf("%q becomes %q, %v", name, orEmpty(a.DisplayName), err)
		}
	}
}
