package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeplace/api"
	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/points"
	"homeplace/core/search"
	"homeplace/core/sessions"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/web"
	"homeplace/web/httpx"
	"homeplace/web/session"
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
	contentType    string
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

// newRecorder opens the program's API and pages over the database. What pages
// say of the moment, such as until when something is open, they take from now.
func newRecorder(ctx context.Context, databaseURL string, now core.Clock) (*recorder, error) {
	c := &recorder{sql: map[string]string{}}
	db, err := pg.Open(ctx, pg.Options{URL: databaseURL, MaxConns: 1, Tracer: c})
	if err != nil {
		return nil, err
	}
	c.db = db
	if c.handler, err = surfaces(ctx, db, now); err != nil {
		db.Close()
		return nil, err
	}
	return c, nil
}

// surfaces joins what the scenarios ask of API and pages, as the program does,
// without a cache that anything fits into.
func surfaces(ctx context.Context, db *pg.DB, now core.Clock) (http.Handler, error) {
	addresses, err := httpx.NewAddresses(baseURL)
	if err != nil {
		return nil, err
	}
	cache, err := httpx.NewCache(noCache, httpx.OpenReadAge)
	if err != nil {
		return nil, err
	}
	kept := settings.New(db)
	if err := kept.Load(ctx); err != nil {
		return nil, err
	}
	people, visits, entries := accounts.New(db, now), sessions.New(db, now), directory.New(db, now, geo.Builtin)
	found := search.New(db, entries, geo.Builtin)
	observe := httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)})
	ledger := points.New(db, now, kept)
	praise := shoutouts.New(db, now, shoutouts.Needs{Settings: kept})
	programs := api.New(
		api.Services{Accounts: people, Points: ledger, Directory: entries, ShoutOuts: praise, Search: found, Places: geo.Builtin},
		api.Surface{Addresses: addresses, Cache: cache, SiteName: func() string { return "Homeplace" }, Observe: observe})
	pages := web.New(
		web.Services{Accounts: people, Sessions: visits, Points: ledger, Directory: entries, ShoutOuts: praise, Search: found, Settings: kept, Places: geo.Builtin},
		web.Surface{Addresses: addresses, Cache: cache, Now: now, Contract: api.Contract, Observe: observe,
			Sessions: session.New(session.Options{Sessions: visits, Accounts: people, Addresses: addresses})})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			programs.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}), nil
}

// watch answers an address twice: the first answer also loads what the program
// keeps in memory.
func (c *recorder) watch(address string) (work, error) {
	c.answer(address)
	c.rounds = nil
	response := c.answer(address)
	return work{rounds: c.rounds, contentType: response.Header().Get("Content-Type"), answer: response.Body.Bytes()}, c.err
}

// record watches an address of the API and reads the answer.
func (c *recorder) record(address string) (work, error) {
	w, err := c.watch(address)
	if err != nil {
		return work{}, err
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

func (c *recorder) answer(address string) *httptest.ResponseRecorder {
	response := httptest.NewRecorder()
	c.handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, address, nil))
	if response.Code != http.StatusOK && c.err == nil {
		c.err = fmt.Errorf("%s: status %d: %s", address, response.Code, response.Body)
	}
	return response
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
