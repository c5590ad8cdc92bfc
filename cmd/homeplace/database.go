package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"homeplace/core/pg"
	"homeplace/core/pg/local"
)

// databaseDir is where the private server lives below the data directory.
const databaseDir = "postgres"

// patience is how long a command waits for a server that is just starting or
// stopping under the same data directory.
const patience = 15 * time.Second

// watchEvery is how often a server that another process runs is looked after.
const watchEvery = 500 * time.Millisecond

// database is an address, and the private server behind it when this process
// runs one.
type database struct {
	url    string
	dir    string        // of the private server; empty for a given database
	server *local.Server // nil when another process runs it
}

// openDatabase finds the database: the given one, or the private one.
func openDatabase(ctx context.Context, cli *commandLine, log *slog.Logger) (*database, error) {
	if cli.DatabaseURL != "" {
		return &database{url: cli.DatabaseURL}, nil
	}
	d, err := openPrivate(ctx, filepath.Join(cli.DataDir, databaseDir), log)
	if err != nil {
		return nil, fmt.Errorf("start the private database: %w", err)
	}
	return d, nil
}

// openPrivate finds the private server that another process has started, or
// starts it.
func openPrivate(ctx context.Context, dir string, log *slog.Logger) (*database, error) {
	for deadline := time.Now().Add(patience); ; {
		url, running, err := local.Attach(dir)
		if err == nil && running {
			return &database{url: url, dir: dir}, nil
		}
		var server *local.Server
		if err == nil {
			server, err = startServer(ctx, dir, log)
		}
		if err == nil {
			return &database{url: server.URL(), dir: dir, server: server}, nil
		}
		if !errors.Is(err, local.ErrInUse) || time.Now().After(deadline) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// awaitLoss waits until the private server is gone; false when ctx ends first.
func (d *database) awaitLoss(ctx context.Context) bool {
	if d.server != nil {
		select {
		case <-ctx.Done():
			return false
		case <-d.server.Done():
			d.close()
			return true
		}
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if owned, err := local.Owned(d.dir); err == nil && !owned {
			return true
		}
	}
}

// startServer starts the private server of a data directory, with nothing
// that was committed ever lost.
func startServer(ctx context.Context, dir string, log *slog.Logger) (*local.Server, error) {
	return local.Start(ctx, local.Options{Dir: dir, Durable: true, Logger: log})
}

func (d *database) close() {
	if d.server != nil {
		d.server.Stop(context.Background())
	}
}

// withServices runs one command against the database, migrated and connected.
func (e *environment) withServices(run func(s *services) error) error {
	log := slog.New(slog.NewTextHandler(e.messages, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := openDatabase(e, e.cli, log)
	if err != nil {
		return err
	}
	defer d.close()
	db, err := pg.Open(e, pg.Options{URL: d.url, MaxConns: 4})
	if err != nil {
		return err
	}
	defer db.Close()
	s := wire(db)
	if err := s.prepare(e); err != nil {
		return err
	}
	return run(s)
}
