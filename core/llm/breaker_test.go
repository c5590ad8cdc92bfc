package llm_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/llm"
	"homeplace/core/llm/llmtest"
)

// down makes the server fail until the breaker opens.
func (w *world) down(t *testing.T) {
	t.Helper()
	w.model.Down(llmtest.Status(401))
	for i := range 5 {
		if s := w.Stats().State; s != llm.Closed {
			t.Fatalf("after %d failures the breaker is %v", i, s)
		}
		if _, err := w.Complete(t.Context(), question); err == nil {
			t.Fatal("a server that is down answers")
		}
	}
	if s := w.Stats().State; s != llm.Open {
		t.Fatalf("after 5 failures the breaker is %v", s)
	}
}

// crowd asks 64 times at once and counts the answers and the refusals.
func (w *world) crowd(t *testing.T) (answered, refused int64) {
	t.Helper()
	var group sync.WaitGroup
	var yes, no atomic.Int64
	for range 64 {
		group.Go(func() {
			switch _, err := w.Complete(t.Context(), question); {
			case err == nil:
				yes.Add(1)
			case errors.Is(err, llm.ErrPaused):
				no.Add(1)
			default:
				wantDiscreet(t, err)
			}
		})
	}
	group.Wait()
	return yes.Load(), no.Load()
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.down(t)
	w.asked(t, 5)
	if answered, refused := w.crowd(t); answered != 0 || refused != 64 {
		t.Errorf("while it is open %d are answered and %d refused", answered, refused)
	}
	w.asked(t, 5)
	if _, err := w.Complete(t.Context(), question); core.KindOf(err) != core.Unavailable || core.AsError(err).RetryAfter <= 20*time.Second {
		t.Errorf("the refusal is %v after %v", err, core.AsError(err).RetryAfter)
	}

	w.clock.forward(30 * time.Second)
	if s := w.Stats().State; s != llm.HalfOpen {
		t.Errorf("after 30 s it is %v", s)
	}
	if answered, refused := w.crowd(t); answered != 0 || refused != 63 {
		t.Errorf("while it is half-open and the server down, %d are answered and %d refused", answered, refused)
	}
	w.asked(t, 6)
	if s := w.Stats().State; s != llm.Open {
		t.Errorf("after the failed probe it is %v", s)
	}

	w.clock.forward(30 * time.Second)
	w.model.Down(nil)
	if _, err := w.Complete(t.Context(), question); err != nil {
		t.Errorf("the probe fails: %v", err)
	}
	if answered, _ := w.crowd(t); answered != 64 {
		t.Errorf("when it is closed again %d are answered", answered)
	}
	want := llm.Stats{State: llm.Closed, Calls: 5 + 1 + 1 + 64, Failures: 6, Refused: 64 + 1 + 63}
	if s := w.Stats(); s != want {
		t.Errorf("Stats = %+v, want %+v", s, want)
	}
}

// A server that fails for all at once is asked twice by each caller at most,
// and no more once the breaker has opened.
func TestBreaker_crowdAtAServerThatFails(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Down(llmtest.Status(500))
	w.crowd(t)
	if n := len(w.model.Questions()); n > 64+4 {
		t.Errorf("64 callers asked %d times; at most the first four failures may be followed by a second try", n)
	}
}

func TestBreaker_countsInARowOnly(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for range 3 {
		w.model.Fail(llmtest.Status(401), llmtest.Status(401), llmtest.Status(401), llmtest.Status(401))
		for range 5 {
			_, err := w.Complete(t.Context(), question)
			wantDiscreet(t, err)
		}
	}
	if s := w.Stats(); s.State != llm.Closed || s.Failures != 12 {
		t.Errorf("four failures and a success, three times: %+v", s)
	}
}

// Nobody can take the model away from all by a text that it cannot answer.
func TestBreaker_isNotOpenedByAText(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Down(llmtest.Status(400))
	for range 10 {
		_, err := w.Complete(t.Context(), question)
		wantUnavailable(t, err, "400")
	}
	w.model.Down(llmtest.Whole("I would rather not."))
	for range 10 {
		if _, err := w.Moderate(t.Context(), secretText); !errors.Is(err, llm.ErrNoVerdict) {
			t.Errorf("Moderate fails with %v", err)
		}
	}
	if s := w.Stats(); s.State != llm.Closed || s.Failures != 0 {
		t.Errorf("Stats = %+v", s)
	}
}

func TestBreaker_newOptionsBeginAnew(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.down(t)
	w.model.Down(nil)
	w.options.Key = "sk-another"
	_, err := w.Complete(t.Context(), question)
	wantUnavailable(t, err, "check llm_api_key")
	w.options.Key = llmtest.Key
	if _, err := w.Complete(t.Context(), question); err != nil {
		t.Errorf("with the options put right: %v", err)
	}
}

func TestBreaker_survivesPanic(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.down(t)
	w.clock.forward(30 * time.Second)
	w.model.Down(nil)
	func() {
		defer func() { _ = recover() }()
		_, err := w.Stream(t.Context(), question, func(string) error { panic("no") })
		t.Errorf("a panic is lost: %v", err)
	}()
	if _, err := w.Complete(t.Context(), question); err != nil {
		t.Errorf("after a panic of the probe: %v", err)
	}
}
