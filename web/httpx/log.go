package httpx

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	logFlushEvery = 200 * time.Millisecond
	logBuffer     = 1 << 20 // bytes; a writer that finds it full waits
)

// LogWriter collects log lines and writes them in batches, so that a request
// does not wait for the disk or the terminal. It holds at most 2 MiB and one
// line for each writer that waits. Its methods are safe for concurrent use.
type LogWriter struct {
	out io.Writer

	mu      sync.Mutex // guards pending and closed
	pending []byte
	closed  bool

	writing sync.Mutex // guards spare, lost and out
	spare   []byte
	lost    int
	lostErr error

	stop, done chan struct{}
}

// NewLogWriter starts a writer that must be closed.
func NewLogWriter(out io.Writer) *LogWriter {
	w := &LogWriter{out: out, stop: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *LogWriter) run() {
	defer close(w.done)
	tick := time.NewTicker(logFlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.Flush()
		case <-w.stop:
			return
		}
	}
}

// Write takes whole lines. It fails only for the caller's own line and only
// after Close; lines that the output refuses are counted and reported with the
// next batch that goes through.
func (w *LogWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	for len(w.pending) > 0 && len(w.pending)+len(p) > logBuffer {
		w.mu.Unlock()
		w.Flush()
		w.mu.Lock()
	}
	if w.closed {
		w.mu.Unlock()
		w.writing.Lock()
		defer w.writing.Unlock()
		return w.out.Write(p)
	}
	w.pending = append(w.pending, p...)
	w.mu.Unlock()
	return len(p), nil
}

// Flush writes what has been collected.
func (w *LogWriter) Flush() {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.mu.Lock()
	batch := w.pending
	w.pending = w.spare[:0]
	w.mu.Unlock()
	w.spare = batch
	if len(batch) == 0 {
		return
	}
	if w.lost > 0 {
		if _, err := fmt.Fprintf(w.out, "%d log lines were lost: %v\n", w.lost, w.lostErr); err == nil {
			w.lost, w.lostErr = 0, nil
		}
	}
	if n, err := w.out.Write(batch); err != nil {
		w.lost += bytes.Count(batch[n:], []byte("\n"))
		w.lostErr = err
	}
}

// Close writes the rest. Lines that come later are written one by one.
func (w *LogWriter) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	w.mu.Unlock()
	close(w.stop)
	<-w.done
	w.Flush()
	w.writing.Lock()
	defer w.writing.Unlock()
	return w.lostErr
}

// Handler wraps the handler that formats into w: a record at error level is
// written at once, so that it survives a crash.
func (w *LogWriter) Handler(inner slog.Handler) slog.Handler { return flushingHandler{inner, w} }

type flushingHandler struct {
	slog.Handler
	w *LogWriter
}

// Handle formats the record and flushes errors.
func (h flushingHandler) Handle(ctx context.Context, record slog.Record) error {
	err := h.Handler.Handle(ctx, record)
	if record.Level >= slog.LevelError {
		h.w.Flush()
	}
	return err
}

// WithAttrs keeps the flushing.
func (h flushingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return flushingHandler{h.Handler.WithAttrs(attrs), h.w}
}

// WithGroup keeps the flushing.
func (h flushingHandler) WithGroup(name string) slog.Handler {
	return flushingHandler{h.Handler.WithGroup(name), h.w}
}
