package pg_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

var silent = slog.New(slog.DiscardHandler)

// ears collects what a listener is told.
type ears struct {
	mu    sync.Mutex
	heard []string
}

func listenTo(db *pg.DB) *ears {
	e := &ears{}
	db.OnChange(func(area string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard = append(e.heard, area)
	})
	return e
}

func (e *ears) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.heard)
}

func (e *ears) count(area string) int {
	n := 0
	for _, heard := range e.all() {
		if heard == area {
			n++
		}
	}
	return n
}

func (e *ears) await(t *testing.T, within time.Duration, area string, times int) {
	t.Helper()
	for end := time.Now().Add(within); e.count(area) < times; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("heard %v within %v, want %q %d times", e.all(), within, area, times)
		}
	}
}

func touch(t *testing.T, db *pg.DB, areas ...string) {
	t.Helper()
	if err := db.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		for _, area := range areas {
			tx.Touch(area)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestChangesAreToldHereAtCommit(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	e := listenTo(d.DB)
	err := d.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		tx.Touch("sayings")
		tx.Touch("polls")
		tx.Touch("sayings")
		if heard := e.all(); len(heard) != 0 {
			t.Errorf("heard %v before the commit", heard)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.all(); !slices.Equal(got, []string{"polls", "sayings"}) {
		t.Errorf("when Write returns %v was heard, want each area once", got)
	}
}

func TestRolledBackChangesAreNotTold(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	other := d.Instance(t)
	here, there := listenTo(d.DB), listenTo(other)
	go other.Listen(t.Context(), silent)
	there.await(t, 5*time.Second, pg.Everything, 1)
	broken := errors.New("broken")
	if err := d.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		tx.Touch("sayings")
		return broken
	}); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	touch(t, d.DB, "polls")
	there.await(t, time.Second, "polls", 1)
	if here.count("sayings") != 0 || there.count("sayings") != 0 {
		t.Errorf("a change that was rolled back is told: here %v, there %v", here.all(), there.all())
	}
}

func TestChangesReachOtherInstances(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	other := d.Instance(t)
	e := listenTo(other)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		other.Listen(ctx, silent)
	}()
	e.await(t, 5*time.Second, pg.Everything, 1)
	touch(t, d.DB, "sayings", "polls")
	e.await(t, time.Second, "sayings", 1)
	e.await(t, time.Second, "polls", 1)
	cancel()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("Listen goes on after its context ended")
	}
}

func TestListenConnectsAgain(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	other := d.Instance(t)
	e := listenTo(other)
	go other.Listen(t.Context(), silent)
	for round := range 2 {
		e.await(t, 5*time.Second, pg.Everything, 1+round)
		execute(t, d.URL, `
			select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and query like 'listen %'`)
	}
	e.await(t, 5*time.Second, pg.Everything, 3)
	touch(t, d.DB, "sayings")
	e.await(t, time.Second, "sayings", 1)
}
