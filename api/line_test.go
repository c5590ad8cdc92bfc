package api_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core/pg"
)

// line is a connection to the database that can be cut and mended.
type line struct {
	config   *pgx.ConnConfig
	listener net.Listener

	mu    sync.Mutex
	dead  bool
	ends  map[net.Conn]bool
	tasks sync.WaitGroup
}

func newLine(t *testing.T, url string) *line {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{config: config, listener: listener, ends: map[net.Conn]bool{}}
	l.tasks.Go(l.accept)
	t.Cleanup(func() {
		listener.Close()
		l.cut()
		l.tasks.Wait()
	})
	return l
}

// open opens the database over the line.
func (l *line) open(t *testing.T) *pg.DB {
	t.Helper()
	url := fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable", l.config.User, l.config.Password, l.listener.Addr(), l.config.Database)
	db, err := pg.Open(context.WithoutCancel(t.Context()), pg.Options{URL: url, MaxConns: 4})
	if err != nil {
		t.Fatalf("open over the line: %v", err)
	}
	t.Cleanup(db.Close)
	return db
}

func (l *line) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		network, address := pgconn.NetworkAddress(l.config.Host, l.config.Port)
		far, err := net.Dial(network, address)
		if err != nil || !l.hold(near, far) {
			near.Close()
			continue
		}
		l.tasks.Go(func() { io.Copy(near, far); near.Close() })
		l.tasks.Go(func() { io.Copy(far, near); far.Close() })
	}
}

// hold remembers both ends, unless the line is cut.
func (l *line) hold(near, far net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		far.Close()
		return false
	}
	l.ends[near], l.ends[far] = true, true
	return true
}

// cut ends every connection and refuses new ones.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
	for end := range l.ends {
		end.Close()
	}
	clear(l.ends)
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = false
}
