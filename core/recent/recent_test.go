package recent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"homeplace/core"
)

var (
	moderator = core.Viewer{ID: "0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b22", Username: "mod", Role: core.Staff, Moderator: true}
	noon      = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// rows are n submissions of a source, a minute apart, the latest at noon.
func rows(key string, n int) Source {
	return Source{key, func(_ context.Context, _ core.Viewer, limit int) (list []core.Submission, err error) {
		for i := range min(n, limit) {
			list = append(list, core.Submission{Source: key, ID: fmt.Sprintf("%s-%03d", key, n-i), CreatedAt: noon.Add(-time.Duration(i) * time.Minute)})
		}
		return list, nil
	}}
}

func failing(key string) Source {
	return Source{key, func(context.Context, core.Viewer, int) ([]core.Submission, error) {
		return []core.Submission{{Source: key, ID: "half"}}, errors.New("the table is away")
	}}
}

func ids(l List) (list []string) {
	for _, s := range l.Items {
		list = append(list, s.ID)
	}
	return list
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestMergedLatestFirst(t *testing.T) {
	t.Parallel()
	s := New(quiet(), rows("saying", 3), rows("app", 2), rows("poll", 0))
	l, err := s.List(t.Context(), moderator, Filter{})
	// Of one minute the sources come by name: an order that never changes.
	want := []string{"app-002", "saying-003", "app-001", "saying-002", "saying-001"}
	if err != nil || !slices.Equal(ids(l), want) || l.Total != 5 || l.Page.Limit != 80 || l.Skipped == nil || len(l.Skipped) != 0 {
		t.Fatalf("the list is %v of %d, skipped %v, %v", ids(l), l.Total, l.Skipped, err)
	}
	var walked []string
	for offset := 0; offset < 6; offset += 2 {
		l, err := s.List(t.Context(), moderator, Filter{Page: core.Page{Limit: 2, Offset: offset}})
		if err != nil || l.Total != 5 {
			t.Fatalf("at %d: %d, %v", offset, l.Total, err)
		}
		walked = append(walked, ids(l)...)
	}
	if !slices.Equal(walked, want) {
		t.Errorf("page by page it is %v", walked)
	}
	if l, err := s.List(t.Context(), moderator, Filter{Source: "app", Page: core.Page{Limit: 1000, Offset: 9}}); err != nil || l.Total != 2 || len(l.Items) != 0 || l.Page.Limit != 200 {
		t.Errorf("past the end of one source: %+v, %v", l, err)
	}
}

func TestSourcesThatNobodyBringsAreEmpty(t *testing.T) {
	t.Parallel()
	s := New(quiet(), rows("saying", 1))
	for _, key := range Keys() {
		l, err := s.List(t.Context(), moderator, Filter{Source: key})
		if want := map[bool]int{true: 1}[key == "saying"]; err != nil || l.Total != want || len(l.Skipped) != 0 {
			t.Errorf("%s: %+v, %v", key, l, err)
		}
	}
	_, err := s.List(t.Context(), moderator, Filter{Source: "sayings"})
	if e := core.AsError(err); e == nil || e.Kind != core.Invalid || !strings.Contains(e.Fields["source"], "app_file, app, directory_entry") {
		t.Errorf("an unknown source gives %v", err)
	}
}

func TestOnlyDepthIsRead(t *testing.T) {
	t.Parallel()
	l, err := New(quiet(), rows("saying", Depth+7), rows("app", 1)).List(t.Context(), moderator, Filter{})
	if err != nil || l.Total != Depth+1 {
		t.Errorf("the list has %d rows, %v", l.Total, err)
	}
}

func TestForStaffAlone(t *testing.T) {
	t.Parallel()
	read := 0
	s := New(quiet(), Source{"saying", func(context.Context, core.Viewer, int) ([]core.Submission, error) { read++; return nil, nil }})
	for name, c := range map[string]struct {
		v    core.Viewer
		want core.Kind
	}{
		"nobody":      {core.Nobody(), core.Unauthenticated},
		"zero viewer": {core.Viewer{}, core.Unauthenticated},
		"a member":    {core.Viewer{ID: moderator.ID, Role: core.Member}, core.Forbidden},
	} {
		if _, err := s.List(t.Context(), c.v, Filter{Source: "nonsense"}); err == nil || core.KindOf(err) != c.want {
			t.Errorf("%s gets %v", name, err)
		}
	}
	if read != 0 {
		t.Error("a source was read for somebody who may not see it")
	}
}

// A source that fails, one that is slow and one that hears nothing of its end
// cost two seconds and are named; the others are there.
func TestOneSourceNeverFailsTheList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		release := make(chan struct{})
		slow := Source{"poll", func(ctx context.Context, _ core.Viewer, _ int) ([]core.Submission, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		deaf := Source{"app", func(context.Context, core.Viewer, int) ([]core.Submission, error) {
			<-release
			return []core.Submission{{ID: "too late"}}, nil
		}}
		s := New(slog.New(slog.NewTextHandler(&log, nil)), slow, rows("saying", 2), failing("report"), deaf)
		began := time.Now()
		l, err := s.List(t.Context(), moderator, Filter{})
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
		if err != nil || !slices.Equal(ids(l), []string{"saying-002", "saying-001"}) || l.Total != 2 {
			t.Errorf("the list is %v, %v", ids(l), err)
		}
		if !slices.Equal(l.Skipped, []string{"app", "poll", "report"}) {
			t.Errorf("skipped are %v", l.Skipped)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 3 || !strings.Contains(log.String(), "the table is away") || !strings.Contains(log.String(), "more than two seconds") {
			t.Errorf("the log has %d lines: %s", lines, &log)
		}
		close(release)
	})
}

func TestEndOfTheRequestEndsTheList(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := New(quiet(), Source{"app", func(ctx context.Context, _ core.Viewer, _ int) ([]core.Submission, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if _, err := s.List(ctx, moderator, Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("it gives %v", err)
	}
}

func TestWiringMistakesShowAtOnce(t *testing.T) {
	t.Parallel()
	for name, sources := range map[string][]Source{"twice": {rows("app", 1), rows("app", 1)}, "unknown": {rows("apps", 1)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it is taken", name)
				}
			}()
			New(quiet(), sources...)
		}()
	}
}
