package httpx

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// streamPatience is how long a client may take to accept one piece of a
// stream; the server's own write limit would end every long stream.
const streamPatience = 30 * time.Second

// Stream writes the body of a streamed answer. Everything written is sent at
// once. It is not safe for concurrent use.
type Stream struct {
	w          http.ResponseWriter
	controller *http.ResponseController
}

// Line sends v as one line of JSON.
func (s *Stream) Line(v any) error {
	line, err := encodeJSON(v)
	if err != nil {
		return err
	}
	_, err = s.Write(append(line, '\n'))
	return err
}

// Write sends p.
func (s *Stream) Write(p []byte) (int, error) {
	deadline := time.Now().Add(streamPatience)
	if err := s.controller.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, fmt.Errorf("stream: %w", err)
	}
	n, err := s.w.Write(p)
	if err != nil {
		return n, fmt.Errorf("stream: %w", err)
	}
	if err := s.controller.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return n, fmt.Errorf("stream: %w", err)
	}
	return n, nil
}

func sendStream(w http.ResponseWriter, r *http.Request, a *Answer) {
	h := w.Header()
	h.Set("Content-Type", a.ContentType)
	h.Set("Cache-Control", a.Cache.header())
	// Some proxies collect an answer before they pass it on.
	h.Set("X-Accel-Buffering", "no")
	addVary(h, a.Cache.vary(false))
	w.WriteHeader(a.Status)
	if r.Method == http.MethodHead {
		return
	}
	err := a.Stream(r.Context(), &Stream{w: w, controller: http.NewResponseController(w)})
	switch {
	case err == nil:
	case r.Context().Err() != nil:
		logRequest(r, slog.LevelInfo, "client left during a stream")
	default:
		logRequest(r, slog.LevelError, "stream failed", slog.Any("error", err))
	}
}
