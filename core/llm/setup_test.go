package llm_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/llm"
	"homeplace/core/llm/llmtest"
)

// clock is the real time and what tests add to it.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

type world struct {
	*llm.Client
	model   *llmtest.Server
	clock   *clock
	options llm.Options // changed before a call only
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{model: llmtest.New(t), clock: &clock{}}
	w.options = w.model.Options()
	w.Client = llm.New(func() llm.Options { return w.options }, w.clock.now)
	return w
}

// secretText is what people write in these tests; it must stay out of errors.
const secretText = "Whisper whisper, all of this is private"

var question = llm.Request{System: "Be brief.", User: secretText, MaxTokens: 50}

// asked checks how many requests the server has had.
func (w *world) asked(t *testing.T, want int) {
	t.Helper()
	if got := len(w.model.Questions()); got != want {
		t.Errorf("the server was asked %d times, want %d", got, want)
	}
}

// wantUnavailable checks that an error says so, names the cause, and holds
// nothing private.
func wantUnavailable(t *testing.T, err error, cause string) {
	t.Helper()
	if err == nil || core.KindOf(err) != core.Unavailable || !strings.Contains(err.Error(), cause) {
		t.Errorf("the error is %v, want Unavailable with %q", err, cause)
	}
	wantDiscreet(t, err)
}

func wantDiscreet(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, private := range []string{llmtest.Key, "the-key", secretText, "hisper"} {
			if strings.Contains(err.Error(), private) {
				t.Errorf("the error holds %q: %v", private, err)
			}
		}
	}
}
