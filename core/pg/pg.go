// Package pg opens PostgreSQL for the areas: the public pool, whose
// connections are anonymous and read only for life, and transactions that run
// as one viewer under row-level security.
//
// The program logs in as a role that owns nothing and inherits nothing: a
// query that forgets to say for whom it runs fails with "permission denied".
// Schema changes run over a separate connection as the owner; see Migrate.
package pg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeplace/core"
)

// Querier is what store functions need: both a pool and a transaction have it.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Options says where the database is and how many connections may be open.
type Options struct {
	URL      string // the owner's address: migrations, and the login role's making
	ReadURL  string // a streaming replica for public reads; empty = the primary
	MaxConns int32  // for each of the two pools; 0 = 16
	// Tracer is told of every statement, for traces and measurements; nil = none.
	Tracer pgx.QueryTracer
}

// DB holds the pools. Its methods are safe for concurrent use.
type DB struct {
	public  *pgxpool.Pool
	private *pgxpool.Pool
	changes *changes
	replica bool
}

// Open makes sure that the schema is migrated and the login role exists, and
// connects. It fails at once when the database cannot be reached.
func Open(ctx context.Context, o Options) (*DB, error) {
	if err := Migrate(ctx, o.URL); err != nil {
		return nil, err
	}
	login, err := ensureLogin(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	return connect(ctx, o, login)
}

func connect(ctx context.Context, o Options, login credentials) (*DB, error) {
	if o.MaxConns == 0 {
		o.MaxConns = 16
	}
	db := &DB{changes: newChanges(), replica: o.ReadURL != ""}
	private, err := poolConfig(o, o.URL, login)
	if err != nil {
		return nil, err
	}
	if db.private, err = pgxpool.NewWithConfig(ctx, private); err != nil {
		return nil, fmt.Errorf("open private pool: %w", err)
	}
	readURL := o.ReadURL
	if readURL == "" {
		readURL = o.URL
	}
	public, err := poolConfig(o, readURL, login)
	if err != nil {
		return nil, err
	}
	public.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		scanUTC(c)
		_, err := c.Exec(ctx, `set role anon; set default_transaction_read_only = on`)
		return err
	}
	if db.public, err = pgxpool.NewWithConfig(ctx, public); err != nil {
		db.private.Close()
		return nil, fmt.Errorf("open public pool: %w", err)
	}
	if err := db.Ping(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func poolConfig(o Options, url string, login credentials) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	cfg.ConnConfig.User, cfg.ConnConfig.Password = login.user, login.password
	cfg.ConnConfig.RuntimeParams["application_name"] = "homeplace"
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	cfg.ConnConfig.Tracer = o.Tracer
	cfg.MaxConns = o.MaxConns
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.AfterConnect = func(_ context.Context, c *pgx.Conn) error {
		scanUTC(c)
		return nil
	}
	return cfg, nil
}

// scanUTC makes times arrive in UTC and not in the zone of this machine.
func scanUTC(c *pgx.Conn) {
	moment := &pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}}
	c.TypeMap().RegisterType(moment)
	c.TypeMap().RegisterType(&pgtype.Type{Name: "_timestamptz", OID: pgtype.TimestamptzArrayOID, Codec: &pgtype.ArrayCodec{ElementType: moment}})
}

// Close ends both pools and waits for the connections in use.
func (db *DB) Close() {
	db.private.Close()
	db.public.Close()
}

// Ping checks that both pools reach their server.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.private.Ping(ctx); err != nil {
		return translate(fmt.Errorf("reach the database: %w", err))
	}
	if err := db.public.Ping(ctx); err != nil {
		return translate(fmt.Errorf("reach the read replica: %w", err))
	}
	return nil
}

// Public is the door for public reads: every connection behind it is the role
// anon and read only, so a plain query costs a single round trip. Callers pass
// what it returns through Err.
func (db *DB) Public() Querier { return db.public }

// Err translates an error of a query on Public the way Read and Write do.
func Err(err error) error { return translate(err) }

// Read runs fn in a read-only transaction as the viewer.
func (db *DB) Read(ctx context.Context, v core.Viewer, fn func(tx Querier) error) error {
	return db.run(ctx, v, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx *Tx) error { return fn(tx) })
}

// Write runs fn in a transaction as the viewer and commits when fn returns
// nil. A deadlock or a serialisation failure runs fn again, up to three times
// in all, so fn must have no effect but through tx. No network call belongs
// inside.
func (db *DB) Write(ctx context.Context, v core.Viewer, fn func(tx *Tx) error) error {
	const tries = 3
	for try := 1; ; try++ {
		err := db.run(ctx, v, pgx.TxOptions{AccessMode: pgx.ReadWrite}, fn)
		if err == nil || try == tries || !isRetryable(err) {
			return err
		}
		// A moment for the other side of the deadlock to get its locks; at once,
		// both would often meet again.
		select {
		case <-time.After(time.Duration(try) * (20*time.Millisecond + rand.N(20*time.Millisecond))):
		case <-ctx.Done():
			return err
		}
	}
}

func (db *DB) run(ctx context.Context, v core.Viewer, o pgx.TxOptions, fn func(tx *Tx) error) error {
	inner, err := db.private.BeginTx(ctx, o)
	if err != nil {
		return translate(fmt.Errorf("begin: %w", err))
	}
	// A cancelled request must still give its transaction back.
	defer inner.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after commit it is a no-op
	tx := &Tx{Tx: inner}
	if err := tx.become(ctx, v); err != nil {
		return err
	}
	var claim *Claim
	if o.AccessMode == pgx.ReadWrite {
		claim = claimFrom(ctx)
	}
	if claim != nil {
		if err := claim.insert(ctx, tx); err != nil {
			return err
		}
	}
	if err := fn(tx); err != nil {
		return translate(err)
	}
	if err := tx.announce(ctx); err != nil {
		return translate(err)
	}
	if err := inner.Commit(ctx); err != nil {
		return translate(fmt.Errorf("commit: %w", err))
	}
	if claim != nil {
		claim.stored = true
	}
	db.changes.publish(tx.touched)
	return nil
}

// InUse is how many connections are at work at the moment, for metrics.
func (db *DB) InUse() int {
	return int(db.private.Stat().AcquiredConns() + db.public.Stat().AcquiredConns())
}
