package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/jackc/pgx/v5"

	"homeplace/api"
	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/search"
	"homeplace/web/httpx"
)

// baseURL is the address of the site that homeplace and rods write into their
// answers.
const baseURL = "http://bench.example"

// statement is SQL with its arguments by position.
type statement struct {
	sql  string
	args []any
}

// work is what the program does for one address: the statements of each round
// trip to the database, and what in its answer is not read from there.
type work struct {
	rounds         [][]statement
	answer         []byte          // the program's own
	next           json.RawMessage // address of the next page, or null
	interpretation json.RawMessage // of a search
	category       string          // of a list
	offset         int
}

// recorder writes down what the program asks the database, so that a rod can
// ask the very same.
type recorder struct {
	db      *pg.DB
	handler http.Handler
	rounds  [][]statement
	sql     map[string]string // every text once
	err     error
}

// newRecorder opens the program's API over the database.
func newRecorder(ctx context.Context, databaseURL string) (*recorder, error) {
	c := &recorder{sql: map[string]string{}}
	db, err := pg.Open(ctx, pg.Options{URL: databaseURL, MaxConns: 1, Tracer: c})
	if err != nil {
		return nil, err
	}
	addresses, err := httpx.NewAddresses(baseURL)
	if err != nil {
		return nil, err
	}
	cache, err := httpx.NewCache(noCache, httpx.OpenReadAge)
	if err != nil {
		return nil, err
	}
	entries := directory.New(db, core.Now, geo.Builtin)
	c.db = db
	c.handler = api.New(
		api.Services{Accounts: accounts.New(db, core.Now), Directory: entries, Search: search.New(db, entries, geo.Builtin), Places: geo.Builtin},
		api.Surface{Addresses: addresses, Cache: cache, SiteName: func() string { return "Homeplace" },
			Observe: httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)})})
	return c, nil
}

// record answers an address twice: the first answer also loads what the
// program keeps in memory.
func (c *recorder) record(address string) (work, error) {
	c.answer(address)
	c.rounds = nil
	w := work{answer: c.answer(address), rounds: c.rounds}
	if c.err != nil {
		return work{}, c.err
	}
	u, err := url.Parse(address)
	if err != nil {
		return work{}, err
	}
	var envelope struct {
		Next           json.RawMessage
		Interpretation json.RawMessage
		Offset         int
	}
	if err := json.Unmarshal(w.answer, &envelope); err != nil {
		return work{}, fmt.Errorf("%s: %w", address, err)
	}
	w.next, w.interpretation, w.offset, w.category = envelope.Next, envelope.Interpretation, envelope.Offset, u.Query().Get("category")
	return w, nil
}

func (c *recorder) answer(address string) []byte {
	response := httptest.NewRecorder()
	c.handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, address, nil))
	if response.Code != http.StatusOK && c.err == nil {
		c.err = fmt.Errorf("%s: status %d: %s", address, response.Code, response.Body)
	}
	return response.Body.Bytes()
}

// TraceQueryStart notes a statement that travels alone.
func (c *recorder) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	c.rounds = append(c.rounds, []statement{c.positional(ctx, conn, data.SQL, data.Args)})
	return ctx
}

// TraceQueryEnd has nothing to note.
func (c *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart notes the statements of a batch.
func (c *recorder) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	var round []statement
	for _, q := range data.Batch.QueuedQueries {
		round = append(round, c.positional(ctx, conn, q.SQL, q.Arguments))
	}
	c.rounds = append(c.rounds, round)
	return ctx
}

// TraceBatchQuery has nothing to note.
func (c *recorder) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd has nothing to note.
func (c *recorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (c *recorder) positional(ctx context.Context, conn *pgx.Conn, sql string, args []any) statement {
	if len(args) == 1 {
		if rewriter, ok := args[0].(pgx.QueryRewriter); ok {
			var err error
			if sql, args, err = rewriter.RewriteQuery(ctx, conn, sql, nil); err != nil && c.err == nil {
				c.err = err
			}
		}
	}
	if known, ok := c.sql[sql]; ok {
		sql = known
	}
	c.sql[sql] = sql
	return statement{sql, args}
}
