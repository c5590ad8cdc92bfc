package web_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/desk"
	"homeplace/core/pg"
	"homeplace/web"
)

// shelf is an area whose things wait at the desk, without tables of its own.
type shelf struct {
	mu     sync.Mutex
	things map[string]*core.Case
}

func (s *shelf) CaseTx(_ context.Context, _ pg.Querier, v core.Viewer, id string) (core.Case, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.things[id]
	if !ok {
		return core.Case{}, core.NotFoundf("There is no such thing.")
	}
	c := *found
	c.Appealable = c.State == "refused" || c.State == "marked as spam"
	switch {
	case !v.IsStaff() || c.SenderID == v.ID:
	case c.Waiting:
		c.Actions = []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	case c.Appealable:
		c.Actions = []core.Action{core.ActionRestore}
	}
	return c, nil
}

var shelfStates = map[core.Action]string{core.ActionApprove: "published", core.ActionReject: "refused", core.ActionAbusive: "marked as spam", core.ActionRestore: "published"}

func (s *shelf) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	c, err := s.CaseTx(ctx, tx, v, id)
	switch {
	case err != nil:
		return core.Done{}, err
	case !slices.Contains(c.Actions, action) && !c.Waiting:
		return core.Done{}, core.Conflictf("already_decided", "This was decided already: it is %s.", c.State)
	case !slices.Contains(c.Actions, action):
		return core.Done{}, core.InvalidField("action", "is none of this")
	case action == core.ActionReject && reason == "":
		return core.Done{}, core.InvalidField("reason", "is required")
	case action == core.ActionApprove && c.Title == "Half a thing":
		return core.Done{}, core.InvalidField("other_half", "is required")
	}
	memo, err := json.Marshal(c.State)
	if err != nil {
		return core.Done{}, err
	}
	return core.Done{Ruling: core.Ruling{Kind: "thing_" + string(action), About: c.Target, Title: c.Title}, Memo: memo}, s.move(ctx, tx, v, id, shelfStates[action], reason)
}

func (s *shelf) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, memo json.RawMessage) error {
	var was string
	if err := json.Unmarshal(memo, &was); err != nil {
		return err
	}
	return s.move(ctx, tx, v, id, was, "")
}

// move brings a thing into another state, and into the queue or out of it.
func (s *shelf) move(ctx context.Context, tx *pg.Tx, v core.Viewer, id, state, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.things[id]
	c.State, c.Waiting, c.Reason, c.DecidedBy = state, state == "waiting", reason, v.ID
	return tx.AsSystem(ctx, func(tx *pg.Tx) error { return enqueue(ctx, tx, *c) })
}

func enqueue(ctx context.Context, tx *pg.Tx, c core.Case) error {
	if !c.Waiting {
		_, err := tx.Exec(ctx, `delete from desk_queue where target_type = $1 and target_id = $2`, c.Type, c.ID)
		return err
	}
	_, err := tx.Exec(ctx, `
		insert into desk_queue (target_type, target_id, title, sender_id, since)
		values ($1, $2, $3, nullif($4, '')::uuid, $5)`, c.Type, c.ID, c.Title, c.SenderID, c.SentAt)
	return err
}

// rules judge everything alike.
type rules struct{}

func (rules) VerdictTx(context.Context, pg.Querier, core.Target) (core.Verdict, core.Origin, bool, error) {
	return core.Verdict{Decision: core.DecisionReview, Score: 0.62, Reasons: []core.Reason{{Code: "denied_word", Detail: "shucks"}}},
		core.Origin{AddressKey: "192.0.2.77"}, true, nil
}

// deskWorld is a site whose desk has things on it.
type deskWorld struct {
	world
	shelf *shelf
}

func newDeskWorld(t testing.TB) deskWorld {
	t.Helper()
	w := deskWorld{newWorld(t), &shelf{things: map[string]*core.Case{}}}
	w.Desk = desk.New(w.db.DB, w.surface.Now, desk.Needs{Audit: w.AuditLog, Blocks: w.Blocks, Judge: rules{},
		Queues: []desk.Queue{{Type: "thing", Label: "Things", Cases: w.shelf}}})
	w.handler = web.New(w.Services, w.surface)
	return w
}

// put lets a thing wait, sent that long ago, and returns how forms name it.
func (w deskWorld) put(t testing.TB, title string, by accounts.Account, ago time.Duration) string {
	t.Helper()
	c := core.Case{Target: core.Target{Type: "thing", ID: pg.NewID()}, Heading: "A thing", Title: title, SenderID: by.ID, Sender: by.Username,
		SentAt: w.surface.Now().Add(-ago), State: "waiting", Waiting: true}
	w.shelf.things[c.ID] = &c
	err := w.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error { return enqueue(t.Context(), tx, c) })
	if err != nil {
		t.Fatal(err)
	}
	return "thing:" + c.ID
}

func (w deskWorld) thing(target string) *core.Case {
	return w.shelf.things[strings.TrimPrefix(target, "thing:")]
}

// batchOf is what an answer leads on with to undo.
func batchOf(t testing.TB, location string) string {
	t.Helper()
	u, err := url.Parse(location)
	if err != nil || !core.ValidID(u.Query().Get("undo")) {
		t.Fatalf("%q names no batch: %v", location, err)
	}
	return u.Query().Get("undo")
}
