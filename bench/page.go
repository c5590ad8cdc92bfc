package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// pagesPerConnection is how many pages each connection goes round: fewer than
// answers of the API, since the rod holds every one of them.
const pagesPerConnection = 20

// pageAddresses are the pages of the lists, but for events: which of them are
// coming up changes from one moment to the next.
func pageAddresses(lists []string) ([]string, error) {
	var pages []string
	for _, list := range lists {
		u, err := url.Parse(strings.TrimPrefix(list, "/api"))
		if err != nil {
			return nil, err
		}
		if u.Path == "/directory/"+directory.KindEvent.Segment() {
			continue
		}
		parameters := u.Query()
		if parameters.Has("offset") {
			offset, err := strconv.Atoi(parameters.Get("offset"))
			if err != nil {
				return nil, err
			}
			parameters.Del("offset")
			parameters.Set("page", strconv.Itoa(offset/directory.ListRule.Default+1))
		}
		u.RawQuery = parameters.Encode()
		pages = append(pages, u.String())
	}
	return pages[:min(len(pages), connections*pagesPerConnection)], nil
}

// pageRod sends the program's own statements for each page, in as many round
// trips, and then writes the bytes that were recorded for that address: HTML by
// hand would be a second set of views. It neither decodes a row nor builds a
// page, so that its ratio is below that of a rod which did.
type pageRod struct {
	db    *pg.DB
	works map[string]work
}

func newPageRod(ctx context.Context, databaseURL string, pages []string, now core.Clock) (*pageRod, error) {
	recorder, err := newRecorder(ctx, databaseURL, now)
	if err != nil {
		return nil, err
	}
	defer recorder.db.Close()
	rod := &pageRod{works: map[string]work{}}
	for _, address := range pages {
		if rod.works[address], err = recorder.watch(address); err != nil {
			return nil, fmt.Errorf("record page: %w", err)
		}
	}
	rod.db, err = pg.Open(ctx, pg.Options{URL: databaseURL, MaxConns: poolSize})
	return rod, err
}

func (p *pageRod) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	work, ok := p.works[r.RequestURI]
	if !ok {
		http.NotFound(w, r)
		return
	}
	for _, round := range work.rounds {
		if err := p.ask(r.Context(), round); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	answer(w, work.contentType, work.answer)
}

// ask makes one round trip and reads past all rows.
func (p *pageRod) ask(ctx context.Context, round []statement) error {
	if len(round) == 1 {
		return readPast(p.db.Public().Query(ctx, round[0].sql, round[0].args...))
	}
	batch := &pgx.Batch{}
	for _, st := range round {
		batch.Queue(st.sql, st.args...)
	}
	results := p.db.Public().SendBatch(ctx, batch)
	defer results.Close()
	for range round {
		if err := readPast(results.Query()); err != nil {
			return err
		}
	}
	return nil
}

func readPast(rows pgx.Rows, err error) error {
	if err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}
