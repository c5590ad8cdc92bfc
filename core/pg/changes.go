package pg

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is the NOTIFY channel on which instances tell each other which area
// changed. The payload is the area's name.
const channel = "homeplace_changes"

// Everything is what a change listener hears when it may have missed
// something: after a lost connection every area counts as changed.
const Everything = "*"

// replicaLag is how long after a change public caches are dropped once more
// when a replica serves them: by then it has replayed the change.
const replicaLag = 2 * time.Second

// changes hands the names of changed areas to whoever listens in this process.
type changes struct {
	mu        sync.RWMutex
	listeners []func(area string)
}

func newChanges() *changes { return &changes{} }

func (c *changes) publish(areas []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, area := range areas {
		for _, tell := range c.listeners {
			tell(area)
		}
	}
}

// OnChange registers fn to be called with the name of every area that changed
// on any instance, or with Everything. It must return quickly. The same change
// may be told more than once.
func (db *DB) OnChange(fn func(area string)) {
	db.changes.mu.Lock()
	defer db.changes.mu.Unlock()
	db.changes.listeners = append(db.changes.listeners, fn)
}

// Listen hears the changes of other instances until ctx ends. It holds a
// connection of its own and connects again when that is lost.
func (db *DB) Listen(ctx context.Context, log *slog.Logger) {
	for ctx.Err() == nil {
		err := db.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		log.Warn("listening for changes was interrupted; connecting again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (db *DB) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, db.private.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	db.changes.publish([]string{Everything})
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait for a notification: %w", err)
		}
		db.changes.publish([]string{n.Payload})
		if db.replica {
			time.AfterFunc(replicaLag, func() { db.changes.publish([]string{n.Payload}) })
		}
	}
}
