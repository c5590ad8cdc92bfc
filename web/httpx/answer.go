// Package httpx is the HTTP plumbing that the JSON API and the pages share:
// finished answers and how they are sent, the table from error kind to status,
// decoding of bodies and queries, paging, addresses, the caller's address, the
// cache of anonymous answers, rate limits, idempotency keys and the middleware
// in front of all routes. It knows no area and no SQL.
//
// A handler returns an Answer or an error and never touches the connection;
// Adapt turns it into an http.Handler, and Send is the one place that writes.
package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Handler answers a request. An error that is not a *core.Error counts as
// internal and is shown to nobody.
type Handler func(r *http.Request) (*Answer, error)

// Answer is a finished answer. Once it is handed to Send or to a Cache it must
// not be changed, since other requests may share it.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
	Header      http.Header // beyond what Send sets itself; may be nil
	Cache       Policy      // the zero value forbids storing
	Plain       bool        // never compressed: the body holds a secret beside what a caller can choose
	File        *File       // when set, parts of the body can be asked for

	// Stream, when set, writes the body bit by bit instead of Body. It runs
	// after the headers are sent, so its error can only be logged.
	Stream func(ctx context.Context, s *Stream) error

	ready *rendition // made once by a Cache
}

// File is what is known of a body that stands for a stored file.
type File struct {
	Tag string // its ETag without quotes, such as the SHA-256 of its bytes
}

// Policy says who may keep an answer.
type Policy struct {
	public  bool
	private bool
	maxAge  time.Duration
}

// Public lets everyone keep the answer for maxAge, in whole seconds.
func Public(maxAge time.Duration) Policy {
	return Policy{public: true, maxAge: max(maxAge, 0).Truncate(time.Second)}
}

// Private marks an answer that depends on the caller: nobody keeps it.
func Private() Policy { return Policy{private: true} }

// OpenReadAge is how long open reads may be kept (SERVICE.md §1.4).
const OpenReadAge = 60 * time.Second

// JSON encodes v as the whole body.
func JSON(status int, v any) (*Answer, error) {
	body, err := encodeJSON(v)
	if err != nil {
		return nil, err
	}
	return &Answer{Status: status, ContentType: "application/json", Body: body}, nil
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// HTML renders a page into a buffer, so that a failure half way shows an error
// page and not half a page.
func HTML(status int, render func(w io.Writer) error) (*Answer, error) {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return nil, fmt.Errorf("render page: %w", err)
	}
	return &Answer{Status: status, ContentType: "text/html; charset=utf-8", Body: b.Bytes()}, nil
}

// Redirect sends the caller to url. A permanent redirect may be kept like an
// open read, any other is not stored.
func Redirect(code int, url string) *Answer {
	a := &Answer{Status: code, Header: http.Header{"Location": {url}}}
	if code == http.StatusMovedPermanently || code == http.StatusPermanentRedirect {
		a.Cache = Public(OpenReadAge)
	}
	return a
}

// NoContent is an answer without a body.
func NoContent() *Answer { return &Answer{Status: http.StatusNoContent} }

// NDJSON streams one JSON object a line.
func NDJSON(stream func(ctx context.Context, s *Stream) error) *Answer {
	return &Answer{Status: http.StatusOK, ContentType: "application/x-ndjson", Cache: Private(), Stream: stream}
}

// SetHeader sets a further header before the answer is returned.
func (a *Answer) SetHeader(name, value string) {
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set(name, value)
}
