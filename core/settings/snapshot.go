package settings

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Text returns the value of a text. Like the methods below it asks the
// snapshot in memory, never the database.
func (s *Service) Text(k Text) string { return s.values.get(k.definition).(string) }

// Number returns the value of a whole number.
func (s *Service) Number(k Number) int { return s.values.get(k.definition).(int) }

// Switch returns the value of a boolean.
func (s *Service) Switch(k Switch) bool { return s.values.get(k.definition).(bool) }

// Span returns the value of a duration.
func (s *Service) Span(k Span) time.Duration { return s.values.get(k.definition).(time.Duration) }

// Secret returns a secret in clear, for the code that needs it.
func (s *Service) Secret(k Secret) string { return s.values.get(k.definition).(string) }

// snapshot is the typed value of every setting at one moment. The map is
// replaced as a whole and never changed.
type snapshot struct {
	loading sync.Mutex
	current atomic.Pointer[map[*definition]any]
}

func (s *snapshot) get(d *definition) any { return (*s.current.Load())[d] }

func (s *snapshot) replace(values map[*definition]any) { s.current.Store(&values) }

// load lets one reading follow the other, so that an older one never replaces
// a newer.
func (s *snapshot) load(read func() (map[*definition]any, error)) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	values, err := read()
	if err != nil {
		return err
	}
	s.replace(values)
	return nil
}

func defaults(table []*definition) map[*definition]any {
	values := make(map[*definition]any, len(table))
	for _, d := range table {
		values[d], _, _ = d.parse(d.preset) // add saw to it that this cannot fail
	}
	return values
}

const (
	reloadLimit = 5 * time.Second // for one reading
	reloadTries = 5
	reloadPause = time.Second
)

// reloader runs one reload at a time beside the callers, and one more when a
// change came in meanwhile.
type reloader struct {
	mu      sync.Mutex
	running bool
	again   bool
}

func (r *reloader) start(load func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again = true
	if !r.running {
		r.running = true
		go r.run(load)
	}
}

func (r *reloader) run(load func(context.Context) error) {
	for r.next() {
		if err := attempt(load); err != nil {
			slog.Warn("changed settings could not be read; the earlier ones hold until the next change", "error", err)
		}
	}
}

func (r *reloader) next() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running, r.again = r.again, false
	return r.running
}

func attempt(load func(context.Context) error) (err error) {
	for try := range reloadTries {
		if try > 0 {
			time.Sleep(reloadPause)
		}
		ctx, cancel := context.WithTimeout(context.Background(), reloadLimit)
		err = load(ctx)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}
