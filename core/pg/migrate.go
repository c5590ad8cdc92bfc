package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"homeplace/core"
	"homeplace/migrations"
)

// Migration is one numbered step of the schema.
type Migration struct {
	Version int64
	Name    string
	Applied time.Time // zero while it waits
}

// Migrate brings the schema of the database at url up to date, as its owner.
// Several instances may start at once: one migrates, the others wait.
func Migrate(ctx context.Context, url string) error {
	return withProvider(ctx, url, func(p *goose.Provider) error {
		if pending, err := p.HasPending(ctx); err == nil && !pending {
			return nil
		}
		if _, err := p.Up(ctx); err != nil {
			if cfg, parseErr := pgx.ParseConfig(url); parseErr == nil && Denied(err) {
				return mayNotSetUp(cfg, err)
			}
			return fmt.Errorf("migrate the schema: %w", err)
		}
		return nil
	})
}

// Migrations lists every step, in order, and when it was applied.
func Migrations(ctx context.Context, url string) ([]Migration, error) {
	var list []Migration
	err := withProvider(ctx, url, func(p *goose.Provider) error {
		states, err := p.Status(ctx)
		if err != nil {
			return fmt.Errorf("read the schema's state: %w", err)
		}
		for _, s := range states {
			list = append(list, Migration{Version: s.Source.Version, Name: s.Source.Path, Applied: s.AppliedAt})
		}
		return nil
	})
	return list, err
}

func withProvider(ctx context.Context, url string, fn func(*goose.Provider) error) error {
	db, err := openOwner(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("schema lock: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	return fn(p)
}

func openOwner(ctx context.Context, url string) (*sql.DB, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, core.InvalidField("database-url", "is not a PostgreSQL address (postgres://user:password@host:5432/name): %v", err)
	}
	db := stdlib.OpenDB(*cfg)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(translate(fmt.Errorf("reach the database: %w", err)), db.Close())
	}
	return db, nil
}
