package llm

import (
	"errors"
	"sync"
	"time"

	"homeplace/core"
)

const (
	// tolerated is how many requests in a row may fail before the server is left
	// alone.
	tolerated = 5
	// rest is how long it is left alone; then one call tries it.
	rest = 30 * time.Second
)

// ErrPaused says that the server failed too often and is left alone for now.
var ErrPaused = errors.New("the language model failed several times in a row and is left alone for a moment")

// State is what a breaker lets through.
type State int

// The states of a breaker.
const (
	Closed   State = iota // every call
	HalfOpen              // one call, on which it depends
	Open                  // none
)

// String names the state.
func (s State) String() string { return [...]string{"closed", "half-open", "open"}[s] }

// result is what a call told about the server.
type result int

const (
	undecided result = iota // the caller gave up before anything was known
	succeeded
	failed
)

// breaker keeps calls from a server that fails. The zero value with a clock is
// closed.
type breaker struct {
	now core.Clock

	mu       sync.Mutex
	failures int       // in a row
	openedAt time.Time // zero: closed
	probing  bool      // the one call of the half-open state is under way
}

// enter lets a call through, which must tell its result to leave. leave is nil
// where the call may not be made; wait then says when to come again.
func (b *breaker) enter() (leave func(result), wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.current() {
	case Closed:
		return func(r result) { b.leave(r, false) }, 0
	case HalfOpen:
		if !b.probing {
			b.probing = true
			return func(r result) { b.leave(r, true) }, 0
		}
		return nil, time.Second
	}
	return nil, b.openedAt.Add(rest).Sub(b.now())
}

// leave takes the result of a call. What began before the breaker opened
// neither closes it nor keeps it open longer.
func (b *breaker) leave(r result, probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	} else if !b.openedAt.IsZero() {
		return
	}
	switch r {
	case succeeded:
		b.failures, b.openedAt = 0, time.Time{}
	case failed:
		if b.failures++; b.failures >= tolerated {
			b.openedAt = b.now()
		}
	}
}

// bears counts a failure amid a call and tells whether a second try is bearable.
func (b *breaker) bears() bool {
	if b.state() != Closed {
		return false
	}
	b.leave(failed, false)
	return b.state() == Closed
}

func (b *breaker) state() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current()
}

// current is state for who holds the lock.
func (b *breaker) current() State {
	switch {
	case b.openedAt.IsZero():
		return Closed
	case b.now().Sub(b.openedAt) < rest:
		return Open
	}
	return HalfOpen
}
