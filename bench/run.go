package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg/local"
	"homeplace/core/search"
)

const (
	// noCache is a cache size in bytes that no answer fits into.
	noCache = 1024
	// million is what --million loads.
	million = 1_000_000
	// superuser owns every database of the private server.
	superuser = "homeplace"
)

var searchLimit = search.Rule.Default

// runCommand is the whole measurement.
type runCommand struct {
	timing
	Homeplace string `help:"The built program." default:"bin/homeplace" type:"existingfile" placeholder:"FILE"`
	Entries   int    `help:"Generated entries." default:"100000" placeholder:"N"`
	Million   bool   `help:"Measure how the processor time grows to a million entries, and nothing else."`
	NoFail    bool   `help:"Only print; do not fail for a missed target."`
}

// stand is everything that a measurement runs on.
type stand struct {
	*runCommand
	dir     string
	server  *local.Server
	servers []*server
	report  report
}

// Run measures and prints.
func (c *runCommand) Run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "homeplace-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // the database's user must be able to enter
		return err
	}
	s := &stand{runCommand: c, dir: dir, report: report{out: os.Stdout}}
	defer s.stop()
	if s.server, err = local.Start(ctx, local.Options{Dir: filepath.Join(dir, "postgres"), Durable: true}); err != nil {
		return err
	}
	if c.Million {
		err = s.measureGrowth(ctx)
	} else {
		err = s.measureAll(ctx)
	}
	if err == nil && s.report.missed > 0 && !c.NoFail {
		err = fmt.Errorf("%d targets were missed", s.report.missed)
	}
	return err
}

func (s *stand) stop() {
	for _, server := range s.servers {
		server.stop()
	}
	if s.server != nil {
		s.server.Stop(context.Background())
	}
}

// measureAll is the default run.
func (s *stand) measureAll(ctx context.Context) error {
	url, err := s.load(ctx, s.Entries)
	if err != nil {
		return err
	}
	chosen, err := chooseAddresses(ctx, url)
	if err != nil {
		return err
	}
	db, err := findPostgres(ctx, url)
	if err != nil {
		return err
	}
	rivals, err := s.startRivals(ctx, url, chosen)
	if err != nil {
		return err
	}
	var duels []duel
	for _, r := range rivals {
		d, err := s.fight(ctx, r, db)
		if err != nil {
			return err
		}
		duels = append(duels, d)
	}
	weights, err := weigh(ctx, rivals[0].program, chosen)
	if err != nil {
		return err
	}
	for _, server := range s.servers {
		server.stop()
	}
	s.server.Stop(ctx)
	s.report.duels(duels)
	s.report.weights(weights)
	started, err := measureStartup(ctx, s.Homeplace, s.dir)
	if err == nil {
		s.report.startup(started)
	}
	return err
}

// startRivals starts the program with and without a cache, and the rods.
func (s *stand) startRivals(ctx context.Context, url string, chosen addresses) ([]rival, error) {
	cached, err := s.homeplace(ctx, url)
	if err != nil {
		return nil, err
	}
	fresh, err := s.homeplace(ctx, url, "--cache-size", strconv.Itoa(noCache))
	if err != nil {
		return nil, err
	}
	memory, err := s.rod(ctx, url, "memory")
	if err != nil {
		return nil, err
	}
	memoryPage, err := s.rod(ctx, url, "memory-page")
	if err != nil {
		return nil, err
	}
	sql, err := s.rod(ctx, url, "sql")
	if err != nil {
		return nil, err
	}
	// A process of its own: the pages that it holds would spare the other rod
	// most of its garbage collections.
	sqlPage, err := s.rod(ctx, url, "sql-page")
	return []rival{
		{"cached list", 0.85, []string{cachedAddress}, cached, memory},
		{"list", 0.75, chosen.lists, fresh, sql},
		{"detail", 0.70, chosen.details, fresh, sql},
		{"search", 0.80, chosen.searches, fresh, sql},
		{"cached page", 0.85, []string{cachedPage}, cached, memoryPage},
		{"list page", 0.35, chosen.pages, fresh, sqlPage},
	}, err
}

// measureGrowth compares the same scenarios on two directories.
func (s *stand) measureGrowth(ctx context.Context) error {
	list := []growth{{name: "list", target: 1.5}, {name: "detail", target: 1.5}, {name: "search", target: 3}}
	for _, entries := range []int{s.Entries, million} {
		url, err := s.load(ctx, entries)
		if err != nil {
			return err
		}
		chosen, err := chooseAddresses(ctx, url)
		if err != nil {
			return err
		}
		db, err := findPostgres(ctx, url)
		if err != nil {
			return err
		}
		program, err := s.homeplace(ctx, url, "--cache-size", strconv.Itoa(noCache))
		if err != nil {
			return err
		}
		for i, addresses := range [][]string{chosen.lists, chosen.details, chosen.searches} {
			samples := &list[i].usual
			if entries == million {
				samples = &list[i].large
			}
			for range s.Rounds {
				if err := take(samples)(s.measure(ctx, program, db, addresses)); err != nil {
					return fmt.Errorf("%s at %d entries: %w", list[i].name, entries, err)
				}
			}
		}
		program.stop()
	}
	s.report.growth(list, s.Entries, million)
	return nil
}

// load fills a database of its own and returns the owner's address.
func (s *stand) load(ctx context.Context, entries int) (string, error) {
	name := fmt.Sprintf("entries_%d", entries)
	owner, err := pgx.Connect(ctx, s.server.URL())
	if err != nil {
		return "", err
	}
	defer owner.Close(context.WithoutCancel(ctx))
	if _, err := owner.Exec(ctx, `create database `+name); err != nil {
		return "", err
	}
	begun := time.Now()
	url := s.server.URLFor(superuser, name)
	if err := load(ctx, url, entries); err != nil {
		return "", fmt.Errorf("load %d entries: %w", entries, err)
	}
	fmt.Fprintf(s.report.out, "loaded %d generated entries in %.1f s\n\n", entries, time.Since(begun).Seconds())
	_, err = owner.Exec(ctx, `checkpoint`) // not in the middle of a measurement
	return url, err
}

func (s *stand) homeplace(ctx context.Context, url string, flags ...string) (*server, error) {
	return s.start(ctx, s.Homeplace, append([]string{"serve", "--database-url", url, "--data-dir", s.dir, "--base-url", baseURL,
		"--database-conns", strconv.Itoa(poolSize)}, flags...)...)
}

func (s *stand) rod(ctx context.Context, url, kind string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return s.start(ctx, self, "rod", kind, "--database-url", url)
}

func (s *stand) start(ctx context.Context, program string, args ...string) (*server, error) {
	server, err := startProcess(ctx, filepath.Join(s.dir, fmt.Sprintf("server-%d.log", len(s.servers))), program, args...)
	if err != nil {
		return nil, err
	}
	s.servers = append(s.servers, server)
	return server, server.awaitReady(ctx)
}
