package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
)

// chunk is how many entries one COPY takes.
const chunk = 5000

// load makes a database of its own on the server and fills it with generated
// entries. The owner's address must be a superuser's.
func load(ctx context.Context, url string, entries int) error {
	categories, err := prepareSchema(ctx, url)
	if err != nil {
		return fmt.Errorf("prepare the schema: %w", err)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect as the owner: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	indexes, err := dropIndexes(ctx, conn)
	if err != nil {
		return fmt.Errorf("drop the indexes: %w", err)
	}
	if err := fill(ctx, conn, newGenerator(categories), categories, entries); err != nil {
		return fmt.Errorf("copy the entries: %w", err)
	}
	if err := createIndexes(ctx, url, indexes); err != nil {
		return fmt.Errorf("create the indexes again: %w", err)
	}
	_, err = conn.Exec(ctx, `vacuum (analyze) directory_entries, search_documents, search_words, directory_counts`)
	return err
}

// prepareSchema migrates and seeds the database as the service does.
func prepareSchema(ctx context.Context, url string) (map[directory.Kind][]directory.Category, error) {
	db, err := pg.Open(ctx, pg.Options{URL: url, MaxConns: 2})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s := directory.New(db, core.Now, geo.Builtin)
	if err := s.Seed(ctx); err != nil {
		return nil, err
	}
	return s.Categories(ctx)
}

// fill generates in one goroutine and copies in another.
func fill(ctx context.Context, conn *pgx.Conn, g *generator, categories map[directory.Kind][]directory.Category, entries int) error {
	group, ctx := errgroup.WithContext(ctx)
	ready := make(chan directory.BulkRows, 2)
	group.Go(func() error {
		defer close(ready)
		bulk := directory.NewBulk(categories, generated)
		for i := 1; i <= entries; i++ {
			if err := bulk.Add(g.next()); err != nil {
				return err
			}
			if i%chunk != 0 && i != entries {
				continue
			}
			select {
			case ready <- bulk.Take():
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	group.Go(func() error {
		// Keys are checked by the generator's test, and the counts below.
		if _, err := conn.Exec(ctx, `set session_replication_role = replica; set synchronous_commit = off`); err != nil {
			return err
		}
		for rows := range ready {
			if err := rows.Copy(ctx, conn); err != nil {
				return err
			}
		}
		_, err := conn.Exec(ctx, `
			insert into directory_counts (kind, category, initial, entries)
			select kind, category, initial, count(*) from search_documents group by 1, 2, 3`)
		return err
	})
	return group.Wait()
}

// dropIndexes removes what makes COPY slow and returns how to make it again.
func dropIndexes(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `
		select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
		from pg_index i
		where i.indrelid = any (array['directory_entries', 'search_documents', 'search_words']::regclass[])
		and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
		order by pg_get_indexdef(i.indexrelid) like '%gin_trgm_ops%' desc, 1`)
	if err != nil {
		return nil, err
	}
	var name, definition string
	var names, definitions []string
	if _, err := pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		names, definitions = append(names, name), append(definitions, definition)
		return nil
	}); err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, `drop index `+name); err != nil {
			return nil, err
		}
	}
	return definitions, nil
}

// createIndexes builds two at a time, the longest first.
func createIndexes(ctx context.Context, url string, definitions []string) error {
	queue := make(chan string, len(definitions))
	for _, d := range definitions {
		queue <- d
	}
	close(queue)
	group, ctx := errgroup.WithContext(ctx)
	for range 2 {
		group.Go(func() error {
			conn, err := pgx.Connect(ctx, url)
			if err != nil {
				return err
			}
			defer conn.Close(context.WithoutCancel(ctx))
			if _, err := conn.Exec(ctx, `set maintenance_work_mem = '512MB'`); err != nil {
				return err
			}
			for definition := range queue {
				if _, err := conn.Exec(ctx, definition); err != nil {
					return fmt.Errorf("%s: %w", definition, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
