// Package recent reads the latest of what was sent in, across all areas, as
// staff follow it (SERVICE.md §4 Admin). It owns no table: each area brings its
// own rows, and one that fails or is slow is left out and named.
package recent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"homeplace/core"
)

// Rule is the paging of the list (SERVICE.md §8).
var Rule = core.PageRule{Default: 80, Max: 200}

const (
	// Depth is how many of its latest rows each source brings: the list ends
	// there, and what is older stands in the area's own lists.
	Depth = 500
	// patience is how long one source may take.
	patience = 2 * time.Second
	// atOnce bounds how many sources are read at a time, so that one visit does
	// not take every connection to the database.
	atOnce = 4
)

// Keys of all sources, in the order in which they are listed (CONTRACT.md §3).
var keys = []string{"app_file", "app", "directory_entry", "saying", "poll", "poll_comment", "yard_item", "report", "fake_report",
	"shoutout", "review", "job"}

// Source is an area, or a part of one, that things are sent in to.
type Source struct {
	Key string // one of Keys
	// Read returns at most limit rows, latest first, for staff.
	Read func(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error)
}

// Keys are the sources that can be asked for, in their order. One that no area
// brings yet is empty, and not a failure.
func Keys() []string { return slices.Clone(keys) }

// Filter narrows List.
type Filter struct {
	Source string // one of Keys; "" = all
	Page   core.Page
}

// List is a page of what was sent in; Total counts the Depth latest of each
// source.
type List struct {
	core.List[core.Submission]
	Skipped []string // sources that could not be read this time
}

// Service reads the sources.
type Service struct {
	sources []Source
	log     *slog.Logger
}

// New makes the service. It panics where two sources share a key, or one has a
// key that is not among Keys: that is a mistake in the wiring.
func New(log *slog.Logger, sources ...Source) *Service {
	seen := map[string]bool{}
	for _, s := range sources {
		if !slices.Contains(keys, s.Key) || seen[s.Key] {
			panic(fmt.Sprintf("recent: the source %q is unknown, or there twice", s.Key))
		}
		seen[s.Key] = true
	}
	return &Service{sources: sources, log: log}
}

// List merges the sources, latest first. What a source cannot bring within two
// seconds is skipped; only the end of the request itself fails the list. For
// staff. Errors: Unauthenticated, Forbidden, Invalid at source.
func (s *Service) List(ctx context.Context, v core.Viewer, f Filter) (List, error) {
	l := List{List: core.List[core.Submission]{Page: Rule.Clamp(f.Page)}, Skipped: []string{}}
	switch {
	case !v.IsStaff() && !v.SignedIn():
		return l, core.Unauthenticatedf("Sign in as a moderator, or send a bearer token, to see what was sent in.")
	case !v.IsStaff():
		return l, core.Forbiddenf("Only moderators see what was sent in.")
	case f.Source != "" && !slices.Contains(keys, f.Source):
		return l, core.InvalidField("source", "must be one of %s", strings.Join(keys, ", "))
	}
	all := s.readAll(ctx, v, f.Source, &l)
	if err := ctx.Err(); err != nil {
		return l, fmt.Errorf("list recent submissions: %w", err)
	}
	slices.SortFunc(all, func(a, b core.Submission) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.Source, b.Source), cmp.Compare(b.ID, a.ID))
	})
	l.Total = len(all)
	from := min(l.Page.Offset, l.Total)
	l.Items = all[from:min(from+l.Page.Limit, l.Total)]
	return l, nil
}

// readAll reads each source on its own and notes those that failed.
func (s *Service) readAll(ctx context.Context, v core.Viewer, only string, l *List) []core.Submission {
	found, failed := make([][]core.Submission, len(s.sources)), make([]error, len(s.sources))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, source := range s.sources {
		if only != "" && source.Key != only {
			continue
		}
		group.Go(func() error {
			found[i], failed[i] = source.within(ctx, v)
			return nil
		})
	}
	_ = group.Wait() // no source fails the others
	var all []core.Submission
	for i, source := range s.sources {
		if failed[i] == nil {
			all = append(all, found[i]...)
			continue
		}
		l.Skipped = append(l.Skipped, source.Key)
		if ctx.Err() == nil {
			s.log.WarnContext(ctx, "recent submissions could not be read", "source", source.Key, "error", failed[i])
		}
	}
	slices.SortFunc(l.Skipped, func(a, b string) int { return cmp.Compare(slices.Index(keys, a), slices.Index(keys, b)) })
	return all
}

var errSlow = errors.New("it took more than two seconds")

// within waits for the source as long as one may take, also where it does not
// heed its context.
func (s Source) within(ctx context.Context, v core.Viewer) ([]core.Submission, error) {
	type answer struct {
		list []core.Submission
		err  error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	answers := make(chan answer, 1)
	go func() {
		list, err := s.Read(ctx, v, Depth)
		answers <- answer{list, err}
	}()
	select {
	case a := <-answers:
		return a.list, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
