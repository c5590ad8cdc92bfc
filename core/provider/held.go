package provider

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"homeplace/core"
)

// held is a document of the provider that is kept in memory. It is fetched
// when it is first asked for, again once it is old, and never more often than
// every pause, whatever is asked. What was fetched once goes on counting while
// the provider cannot be reached.
type held[T any] struct {
	what  string // for the log
	fetch func(ctx context.Context) (T, error)
	lasts time.Duration // until it is old
	pause time.Duration // the least from one fetch to the next
	now   core.Clock
	log   *slog.Logger

	mu      sync.Mutex
	value   T
	gotAt   time.Time     // zero: never
	triedAt time.Time     // zero: never
	failure error         // of the last fetch
	running chan struct{} // closed at the end of the fetch under way; nil without one
}

// get returns the document. Only the first callers wait for it: an old one is
// returned at once, while a newer one is on its way.
func (h *held[T]) get(ctx context.Context) (T, error) {
	h.mu.Lock()
	if h.gotAt.IsZero() {
		running := h.begin()
		h.mu.Unlock()
		return h.wait(ctx, running)
	}
	defer h.mu.Unlock()
	if h.now().Sub(h.gotAt) >= h.lasts {
		h.begin()
	}
	return h.value, nil
}

// renew returns the document as it is now, for who misses something in it. It
// is no newer than get's where the last fetch was less than a pause ago.
func (h *held[T]) renew(ctx context.Context) (T, error) {
	h.mu.Lock()
	running := h.begin()
	h.mu.Unlock()
	return h.wait(ctx, running)
}

// begin starts a fetch, or joins the one under way. It is nil where it is too
// early for another. The caller holds the lock.
func (h *held[T]) begin() (running chan struct{}) {
	if h.running != nil || !h.triedAt.IsZero() && h.now().Sub(h.triedAt) < h.pause {
		return h.running
	}
	h.triedAt, h.running = h.now(), make(chan struct{})
	go h.run()
	return h.running
}

// run fetches for everybody who waits, so that it does not end with the
// request of the first.
func (h *held[T]) run() {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	value, err := h.fetch(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure = err; err == nil {
		h.value, h.gotAt = value, h.now()
	} else if !h.gotAt.IsZero() {
		h.log.Warn("the identity provider cannot be asked; what it said before still counts", "about", h.what, "error", err)
	}
	close(h.running)
	h.running = nil
}

func (h *held[T]) wait(ctx context.Context, running chan struct{}) (T, error) {
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gotAt.IsZero() {
		return h.value, away(h.failure, h.pause)
	}
	return h.value, nil
}

// check fetches at once and tells how that went: for an operator.
func (h *held[T]) check(ctx context.Context) error {
	_, err := h.fetch(ctx)
	return err
}
