package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
	"homeplace/core/shoutouts"
)

// poolSize is how many connections to the database homeplace and rods have.
const poolSize = 16

// rodCommand serves a measuring rod: plain net/http, with nothing between the
// connection and the work.
type rodCommand struct {
	Kind        string `arg:"" enum:"memory,memory-page,sql,sql-page" help:"memory writes the same bytes again and again; sql asks the database and writes JSON by hand; with -page for pages."`
	Addr        string `required:"" help:"Address to listen on."`
	DatabaseURL string `required:"" help:"The owner's address of a loaded database."`
}

// Run serves until it is told to stop.
func (c *rodCommand) Run(ctx context.Context) error {
	handler, err := c.handler(ctx)
	if err != nil {
		return fmt.Errorf("make the rod: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/", handler)
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, // with the time limits of the program's own
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (c *rodCommand) handler(ctx context.Context) (http.Handler, error) {
	switch c.Kind {
	case "memory":
		return newMemoryRod(ctx, c.DatabaseURL, cachedAddress, core.Now)
	case "memory-page":
		return newMemoryRod(ctx, c.DatabaseURL, cachedPage, core.Now)
	}
	chosen, err := chooseAddresses(ctx, c.DatabaseURL)
	if err != nil {
		return nil, err
	}
	if c.Kind == "sql-page" {
		return newPageRod(ctx, c.DatabaseURL, chosen.pages, core.Now)
	}
	return newSQLRod(ctx, c.DatabaseURL, chosen)
}

// memoryRod is the least that an answer from memory can cost.
type memoryRod struct{ work }

func newMemoryRod(ctx context.Context, databaseURL, address string, now core.Clock) (*memoryRod, error) {
	recorder, err := newRecorder(ctx, databaseURL, now)
	if err != nil {
		return nil, err
	}
	defer recorder.db.Close()
	w, err := recorder.watch(address)
	return &memoryRod{w}, err
}

func (m *memoryRod) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	answer(w, m.contentType, m.answer)
}

func answer(w http.ResponseWriter, contentType string, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.Write(body)
}

// sqlRod is the least that an answer from the database can cost: the
// program's own statements, as it was seen to send them for each address, and
// JSON by hand.
type sqlRod struct {
	db    *pg.DB
	works map[string]work
}

func newSQLRod(ctx context.Context, databaseURL string, chosen addresses) (*sqlRod, error) {
	recorder, err := newRecorder(ctx, databaseURL, core.Now)
	if err != nil {
		return nil, err
	}
	defer recorder.db.Close()
	rod := &sqlRod{works: map[string]work{}}
	for _, list := range [][]string{chosen.lists, chosen.details, chosen.searches} {
		for _, address := range list {
			w, err := recorder.record(address)
			if err != nil {
				return nil, err
			}
			w.answer = nil
			rod.works[address] = w
		}
	}
	rod.db, err = pg.Open(ctx, pg.Options{URL: databaseURL, MaxConns: poolSize})
	return rod, err
}

func (s *sqlRod) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	work, ok := s.works[r.RequestURI]
	if !ok {
		http.NotFound(w, r)
		return
	}
	write := s.list
	switch {
	case work.interpretation != nil:
		write = s.search
	case strings.Count(r.URL.Path, "/") > 3:
		write = s.detail
	}
	body, err := write(r.Context(), work)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, work.contentType, body)
}

func (s *sqlRod) list(ctx context.Context, w work) ([]byte, error) {
	batch := &pgx.Batch{}
	for _, st := range w.rounds[0] {
		batch.Queue(st.sql, st.args...)
	}
	results := s.db.Public().SendBatch(ctx, batch)
	defer results.Close()
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	items, err := appendItems(make([]byte, 0, 16<<10), rows)
	if err != nil {
		return nil, err
	}
	if rows, err = results.Query(); err != nil {
		return nil, err
	}
	defer rows.Close()
	facets := make([]byte, 0, 8<<10)
	total := 0
	for rows.Next() {
		var f directory.Facet
		if err := rows.Scan(&f.Slug, &f.Label, &f.Count); err != nil {
			return nil, err
		}
		if w.category == "" || w.category == f.Slug {
			total += f.Count
		}
		if f.Slug == "" {
			continue
		}
		facets = appendText(append(facets, `,{"slug":`...), f.Slug)
		facets = appendText(append(facets, `,"label":`...), f.Label)
		facets = append(strconv.AppendInt(append(facets, `,"count":`...), int64(f.Count), 10), '}')
	}
	b := appendEnvelope(make([]byte, 0, len(items)+len(facets)+256), w, total, directory.ListRule.Default)
	b = append(append(b, `,"entries":[`...), items...)
	b = append(append(b, `],"available_categories":[`...), facets[min(1, len(facets)):]...)
	return append(b, `],"filtered_by_zip":null}`...), rows.Err()
}

func (s *sqlRod) detail(ctx context.Context, w work) ([]byte, error) {
	st := w.rounds[0][0]
	var e directory.Entry
	err := s.db.Public().QueryRow(ctx, st.sql, st.args...).Scan(append(targets(&e.Summary),
		&e.Description, &e.DescriptionHTML, &e.Email, &e.Links, &e.Tags, &e.Hours, &e.Status, &e.Hidden, &e.OwnerID, &e.CreatedAt)...)
	if err != nil {
		return nil, err
	}
	var praise shoutouts.Summary
	if len(w.rounds) > 1 { // businesses alone have any
		st = w.rounds[1][0]
		if err := s.db.Public().QueryRow(ctx, st.sql, st.args...).Scan(&praise.Count, &praise.Average); err != nil {
			return nil, err
		}
	}
	return appendDetail(make([]byte, 0, 2<<10), &e, praise), nil
}

// search ranks as often as the program did, and reads the entries that the
// best ranking found.
func (s *sqlRod) search(ctx context.Context, w work) ([]byte, error) {
	var ids []string
	total := 0
	last := len(w.rounds) - 1
	for _, round := range w.rounds[:last] {
		found, n, err := s.rank(ctx, round[0])
		if err != nil {
			return nil, err
		}
		if n > total {
			ids, total = found, n
		}
	}
	rows, err := s.db.Public().Query(ctx, w.rounds[last][0].sql, ids)
	if err != nil {
		return nil, err
	}
	b := appendEnvelope(make([]byte, 0, 16<<10), w, total, searchLimit)
	if b, err = appendItems(append(b, `,"results":[`...), rows); err != nil {
		return nil, err
	}
	b = append(append(b, `],"interpretation":`...), w.interpretation...)
	return append(b, `,"filtered_by_zip":null}`...), nil
}

// rank reads a ranking, or, where words had to be mended, the known words.
func (s *sqlRod) rank(ctx context.Context, st statement) (ids []string, total int, err error) {
	rows, err := s.db.Public().Query(ctx, st.sql, st.args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var named bool
		if len(rows.FieldDescriptions()) == 1 {
			err = rows.Scan(&id)
		} else if err = rows.Scan(&id, &total, &named); err == nil {
			ids = append(ids, id)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return ids, total, rows.Err()
}

func appendEnvelope(b []byte, w work, total, limit int) []byte {
	b = strconv.AppendInt(append(b, `{"total":`...), int64(total), 10)
	b = strconv.AppendInt(append(b, `,"limit":`...), int64(limit), 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), int64(w.offset), 10)
	return append(append(b, `,"next":`...), w.next...)
}

func appendItems(b []byte, rows pgx.Rows) ([]byte, error) {
	defer rows.Close()
	for first := true; rows.Next(); first = false {
		var e directory.Summary
		if err := rows.Scan(targets(&e)...); err != nil {
			return nil, err
		}
		if !first {
			b = append(b, ',')
		}
		b = appendItem(b, &e)
	}
	return b, rows.Err()
}

// targets are a summary's fields in the order of the program's columns.
func targets(e *directory.Summary) []any {
	return []any{&e.ID, &e.Slug, &e.Kind, &e.Name, &e.Summary, &e.Category, &e.CategoryLabel, &e.Address, &e.City, &e.Region, &e.Country,
		&e.Zip, &e.Lat, &e.Lng, &e.Website, &e.Phone, &e.ImageURL, &e.Verified, &e.StartsAt, &e.EndsAt, &e.YearStart, &e.YearEnd, &e.UpdatedAt}
}
