package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	readyPoll   = 5 * time.Millisecond
	maintenance = "postgres" // the database that initdb makes for work on the others
)

var errExited = errors.New("the server ended while starting")

// awaitReady returns when the server accepts queries, also after a long crash recovery: only the context bounds it.
func awaitReady(ctx context.Context, p *process, data, socket string) error {
	for {
		if acceptsQueries(p, data, socket) {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%w: %w", errExited, p.err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readyPoll):
		}
	}
}

// acceptsQueries reads postmaster.pid: its first line must be our server's, its eighth the word "ready".
func acceptsQueries(p *process, data, socket string) bool {
	content, err := os.ReadFile(pidPath(data))
	if err != nil {
		return false
	}
	lines := bytes.Split(content, []byte("\n"))
	if len(lines) < 8 || string(bytes.TrimSpace(lines[0])) != strconv.Itoa(p.pid()) || string(bytes.TrimSpace(lines[7])) != "ready" {
		return false
	}
	conn, err := net.Dial("unix", filepath.Join(socket, socketName))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// ensureDatabase creates the database where it is missing: at the first start, and after a first start that was killed before this step.
func ensureDatabase(ctx context.Context, url string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create the database: %w", err)
		}
	}()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	// One simple statement is answered in one round trip, and unlike a failed connection it leaves no alarming line in server.log.
	found, err := conn.PgConn().Exec(ctx, "select from pg_database where datname = '"+database+"'").ReadAll()
	if err != nil || len(found[0].Rows) == 1 {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+database)
	return err
}
