package settings

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var silent = slog.New(slog.DiscardHandler)

// await fails the test when the condition does not come true within a second.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Second); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not arrive within a second", what)
		}
	}
}

func TestReloaderNeverMissesTheLastChange(t *testing.T) {
	t.Parallel()
	var r reloader
	var truth, seen atomic.Int64
	load := func(context.Context) error {
		seen.Store(truth.Load())
		return nil
	}
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 500 {
				truth.Add(1)
				r.start(load)
			}
		})
	}
	writers.Wait()
	await(t, "the last change", func() bool { return seen.Load() == 4000 })
}

func TestReloaderTriesAgainWithinBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		failing := func(context.Context) error {
			tries.Add(1)
			return errors.New("the database is away")
		}
		if err := attempt(failing); err == nil {
			t.Error("five failures count as a success")
		}
		if tries.Load() != reloadTries {
			t.Errorf("%d tries, want %d", tries.Load(), reloadTries)
		}
	})
}

func TestWriteSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		15 * time.Minute: "15m", time.Hour: "1h", 90 * time.Second: "1m30s", 90 * time.Minute: "1h30m",
		10 * time.Second: "10s", 20 * time.Minute: "20m", 10 * time.Hour: "10h", time.Hour + time.Second: "1h0m1s", 0: "0s",
	} {
		if got := writeSpan(d); got != want {
			t.Errorf("writeSpan(%v) = %s, want %s", d, got, want)
		}
	}
}
