package sessions

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type world struct {
	*Service
	db  *pgtest.Database
	now *atomic.Pointer[time.Time]
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func setup(t *testing.T) world {
	t.Helper()
	w := world{db: pgtest.New(t), now: new(atomic.Pointer[time.Time])}
	w.at(0)
	w.Service = New(w.db.DB, func() time.Time { return *w.now.Load() })
	return w
}

// at moves the clock to d after the start.
func (w world) at(d time.Duration) {
	now := start.Add(d)
	w.now.Store(&now)
}

func (w world) member(t *testing.T, name string) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: core.Member}
	if _, err := w.db.Exec(t, core.TheSystem(), `insert into accounts (id, email) values ($1, $2)`, v.ID, name+"@example.org"); err != nil {
		t.Fatal(err)
	}
	return v
}

// hash stands for the hash of the token that is called name.
func hash(name string) string { return name + strings.Repeat("-", 43-len(name)) }

func (w world) open(t *testing.T, v core.Viewer, token string) (id string) {
	t.Helper()
	id, err := w.Open(t.Context(), Opening{TokenHash: hash(token), AccountID: v.ID, Data: []byte(token),
		ExpiresAt: start.Add(30 * 24 * time.Hour), UserAgent: "Browser of " + token, AddressKey: "192.0.2.1"})
	if err != nil {
		t.Fatalf("open %s: %v", token, err)
	}
	return id
}

func (w world) alive(t *testing.T, token string) bool {
	t.Helper()
	_, found, err := w.Find(t.Context(), hash(token))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFind(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	id := w.open(t, ada, "one")
	visitor := w.open(t, core.Nobody(), "visitor")
	f, found, err := w.Find(t.Context(), hash("one"))
	if err != nil || !found || f.ID != id || f.AccountID != ada.ID || string(f.Data) != "one" {
		t.Errorf("Find = %+v, %t, %v", f, found, err)
	}
	if f, found, err = w.Find(t.Context(), hash("visitor")); err != nil || !found || f.ID != visitor || f.AccountID != "" {
		t.Errorf("Find(visitor) = %+v, %t, %v", f, found, err)
	}
	if w.alive(t, "other") {
		t.Error("a token that nobody has is alive")
	}
	w.at(30*24*time.Hour - time.Second)
	if !w.alive(t, "one") {
		t.Error("a session ends before its time")
	}
	w.at(30 * 24 * time.Hour)
	if w.alive(t, "one") {
		t.Error("a session lives after its time")
	}
}

func TestVisitsAreNotedOnceAnHour(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.open(t, w.member(t, "ada"), "one")
	for _, c := range []struct{ at, want time.Duration }{
		{59 * time.Minute, 0}, {time.Hour, time.Hour}, {119 * time.Minute, time.Hour}, {5 * time.Hour, 5 * time.Hour},
	} {
		w.at(c.at)
		w.alive(t, "one")
		if got := pgtest.Value[time.Time](t, w.db, core.TheSystem(), `select last_seen_at from web_sessions`); !got.Equal(start.Add(c.want)) {
			t.Errorf("after a visit at %v the last one is %v, want %v", c.at, got.Sub(start), c.want)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.open(t, w.member(t, "ada"), "one")
	until := start.Add(time.Hour)
	if err := w.Replace(t.Context(), Replacement{OldHash: hash("one"), NewHash: hash("two"), Data: []byte("new"), ExpiresAt: until}); err != nil {
		t.Fatal(err)
	}
	f, found, err := w.Find(t.Context(), hash("two"))
	if err != nil || !found || f.ID != id || string(f.Data) != "new" || w.alive(t, "one") {
		t.Errorf("the new token has %+v, %t, %v; the old one is alive: %t", f, found, err, w.alive(t, "one"))
	}
	if err := w.Replace(t.Context(), Replacement{OldHash: hash("two"), Data: []byte("again"), ExpiresAt: until}); err != nil {
		t.Fatal(err)
	}
	if f, _, _ = w.Find(t.Context(), hash("two")); string(f.Data) != "again" {
		t.Errorf("the data is %q", f.Data)
	}
	if err := w.Close(t.Context(), hash("two")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context(), hash("two")); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	err = w.Replace(t.Context(), Replacement{OldHash: hash("two"), NewHash: hash("three"), ExpiresAt: until})
	if core.KindOf(err) != core.Unauthenticated || w.alive(t, "three") {
		t.Errorf("replacing a closed session gives %v", err)
	}
}

func TestListAndEnd(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, eve := w.member(t, "ada"), w.member(t, "eve")
	first := w.open(t, ada, "first")
	w.at(2 * time.Hour)
	w.open(t, ada, "second")
	w.open(t, eve, "eve")
	list, err := w.List(t.Context(), ada)
	if err != nil || len(list) != 2 || list[1] != (Session{ID: first, CreatedAt: start, LastSeenAt: start,
		ExpiresAt: start.Add(30 * 24 * time.Hour), UserAgent: "Browser of first", AddressKey: "192.0.2.1"}) {
		t.Fatalf("List = %+v, %v", list, err)
	}
	for name, id := range map[string]string{"another's": first, "one that is not there": pg.NewID(), "no id": "x"} {
		if err := w.End(t.Context(), eve, id); core.KindOf(err) != core.NotFound {
			t.Errorf("ending %s gives %v", name, err)
		}
	}
	if err := w.End(t.Context(), core.Nobody(), first); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("nobody ends a session with %v", err)
	}
	if err := w.End(t.Context(), ada, first); err != nil {
		t.Fatal(err)
	}
	if w.alive(t, "first") || !w.alive(t, "second") || !w.alive(t, "eve") {
		t.Error("End did not end the one that was named")
	}
}

func TestEndOthersOnASecondInstance(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := New(w.db.Instance(t), w.Service.now)
	ada, eve := w.member(t, "ada"), w.member(t, "eve")
	keep := w.open(t, ada, "kept")
	w.open(t, ada, "one")
	w.open(t, ada, "two")
	w.open(t, eve, "eve")
	if n, err := w.EndOthers(t.Context(), ada, keep); err != nil || n != 2 {
		t.Fatalf("EndOthers = %d, %v, want 2", n, err)
	}
	for token, want := range map[string]bool{"kept": true, "one": false, "two": false, "eve": true} {
		if _, found, err := other.Find(t.Context(), hash(token)); found != want || err != nil {
			t.Errorf("%s is alive on another instance: %t, %v, want %t", token, found, err, want)
		}
	}
	if n, err := w.EndOthers(t.Context(), ada, ""); err != nil || n != 1 || w.alive(t, "kept") {
		t.Errorf("EndOthers without one to keep = %d, %v", n, err)
	}
}

// Whatever runs beside the end of a session, the session does not come back.
func TestEndedSessionsStayEnded(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	for round := range 20 {
		w.open(t, ada, "old")
		var both sync.WaitGroup
		both.Go(func() {
			w.Replace(t.Context(), Replacement{OldHash: hash("old"), NewHash: hash("new"), ExpiresAt: start.Add(time.Hour)}) //nolint:errcheck // either order is right
		})
		both.Go(func() {
			if _, err := w.EndOthers(t.Context(), ada, ""); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from web_sessions`); n != 0 {
			t.Fatalf("round %d: %d sessions are left", round, n)
		}
	}
}

func TestSweepAndAccountsThatGo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.open(t, ada, "one")
	w.at(time.Hour)
	if n, err := w.Sweep(t.Context()); err != nil || n != 0 {
		t.Errorf("Sweep = %d, %v, want 0", n, err)
	}
	w.at(31 * 24 * time.Hour)
	if n, err := w.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("Sweep = %d, %v, want 1", n, err)
	}
	w.at(0)
	w.open(t, ada, "two")
	if _, err := w.db.Exec(t, core.TheSystem(), `delete from accounts`); err != nil {
		t.Fatal(err)
	}
	if w.alive(t, "two") {
		t.Error("a session outlives its account")
	}
}

func TestUserAgentIsCut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	if _, err := w.Open(t.Context(), Opening{TokenHash: hash("one"), AccountID: ada.ID, Data: []byte{}, ExpiresAt: start.Add(time.Hour),
		UserAgent: "\xff" + strings.Repeat("é", 400)}); err != nil {
		t.Fatal(err)
	}
	list, err := w.List(t.Context(), ada)
	if err != nil || len(list) != 1 || list[0].UserAgent != "\uFFFD"+strings.Repeat("é", 299) {
		t.Errorf("List = %+v, %v", list, err)
	}
}

// What only the policies stand in the way of.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, eve := w.member(t, "ada"), w.member(t, "eve")
	w.open(t, ada, "ada")
	w.open(t, core.Nobody(), "visitor")
	staff := core.Viewer{ID: eve.ID, Role: core.Staff, Moderator: true}
	for name, v := range map[string]core.Viewer{"member": eve, "staff": staff} {
		if n := pgtest.Value[int](t, w.db, v, `select count(id) from web_sessions`); n != 0 {
			t.Errorf("%s sees %d sessions of others", name, n)
		}
		if n, err := w.db.Exec(t, v, `delete from web_sessions`); err != nil || n != 0 {
			t.Errorf("%s deletes %d sessions of others, %v", name, n, err)
		}
	}
	for _, sql := range []string{
		`select token_hash from web_sessions`, `select data from web_sessions`, `update web_sessions set expires_at = now()`,
		`insert into web_sessions (token_hash, id, data, created_at, last_seen_at, expires_at) values (repeat('x', 43), gen_random_uuid(), '', now(), now(), now())`,
	} {
		for name, v := range map[string]core.Viewer{"member": ada, "staff": staff, "anonymous": core.Nobody()} {
			if _, err := w.db.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v, want 42501", name, sql, err)
			}
		}
	}
	if _, err := w.db.Exec(t, core.Nobody(), `select id from web_sessions`); !pg.Denied(err) {
		t.Errorf("anonymous reads sessions: %v", err)
	}
	if n, err := w.db.Exec(t, ada, `delete from web_sessions`); err != nil || n != 1 {
		t.Errorf("the owner deletes %d sessions, %v, want 1", n, err)
	}
}

func TestNobodyHasNoSessions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if _, err := w.List(t.Context(), core.Nobody()); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("List for nobody: %v", err)
	}
	if _, err := w.EndOthers(context.Background(), core.Nobody(), ""); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("EndOthers for nobody: %v", err)
	}
}

func TestStarted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, bea := w.member(t, "ada"), w.member(t, "bea")
	id := w.open(t, ada, "one")
	w.at(time.Hour)
	if err := w.Replace(t.Context(), Replacement{OldHash: hash("one"), NewHash: hash("two"), Data: []byte{}, ExpiresAt: start.Add(2 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	started := func(v core.Viewer, id string) (at time.Time, found bool) {
		t.Helper()
		err := w.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) (err error) {
			at, found, err = w.StartedTx(t.Context(), tx, v.ID, id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return at, found
	}
	if at, found := started(ada, id); !found || !at.Equal(start) {
		t.Errorf("the session with another token began at %v, %t", at, found)
	}
	for what, c := range map[string]struct {
		v  core.Viewer
		id string
	}{"another's": {bea, id}, "no session": {ada, ""}, "one that is not there": {ada, pg.NewID()}} {
		if _, found := started(c.v, c.id); found {
			t.Errorf("%s was found", what)
		}
	}
	w.at(2 * time.Hour)
	if _, found := started(ada, id); found {
		t.Error("an expired session was found")
	}
}
