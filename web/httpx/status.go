package httpx

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeplace/core"
)

// statuses is the one table from kind of error to HTTP status.
var statuses = map[core.Kind]int{
	core.Internal:         http.StatusInternalServerError,
	core.Invalid:          http.StatusBadRequest,
	core.Unauthenticated:  http.StatusUnauthorized,
	core.Insufficient:     http.StatusPaymentRequired,
	core.Forbidden:        http.StatusForbidden,
	core.NotFound:         http.StatusNotFound,
	core.MethodNotAllowed: http.StatusMethodNotAllowed,
	core.Conflict:         http.StatusConflict,
	core.TooLarge:         http.StatusRequestEntityTooLarge,
	core.UnsupportedMedia: http.StatusUnsupportedMediaType,
	core.Unsatisfiable:    http.StatusRequestedRangeNotSatisfiable,
	core.Unprocessable:    http.StatusUnprocessableEntity,
	core.RateLimited:      http.StatusTooManyRequests,
	core.Unavailable:      http.StatusServiceUnavailable,
}

// Status gives the HTTP status of a kind of error.
func Status(k core.Kind) int {
	if status, ok := statuses[k]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// errLogged marks a cause that stands in the log already.
var errLogged = errors.New("logged before")

// Report logs the cause of an error as far as it is worth a line, and returns
// what may be shown. Every surface calls it once for each failed request.
func Report(r *http.Request, err error) *core.Error {
	e := core.AsError(err)
	switch {
	case errors.Is(err, errLogged):
	case e.Kind == core.Internal:
		logRequest(r, slog.LevelError, "request failed", slog.Any("error", err))
	case e.Kind == core.Unavailable:
		logRequest(r, slog.LevelWarn, "request could not be served", slog.Any("error", err))
	case e.Err != nil:
		logRequest(r, slog.LevelInfo, "request refused", slog.Any("error", err))
	}
	return e
}

// clientGone tells whether a request failed only because its client left.
func clientGone(r *http.Request, err error) bool {
	return errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled)
}

// ErrorHeader gives the headers that an error asks for on every surface:
// WWW-Authenticate with 401, Retry-After with 429 and 503.
func ErrorHeader(r *http.Request, e *core.Error) http.Header {
	h := http.Header{}
	switch e.Kind {
	case core.Unauthenticated:
		challenge := `Bearer realm="api"`
		if HasBearer(r) {
			challenge += `, error="invalid_token"`
		}
		h["Www-Authenticate"] = []string{challenge}
	case core.RateLimited, core.Unavailable:
		h["Retry-After"] = []string{strconv.Itoa(retrySeconds(e))}
	}
	return h
}

// HasBearer tells whether the request carries a bearer token, valid or not.
func HasBearer(r *http.Request) bool {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer")
}

func retrySeconds(e *core.Error) int {
	return max(1, int((e.RetryAfter+time.Second-1)/time.Second))
}

// ErrorAnswer renders an error for the API and logs its cause.
func ErrorAnswer(r *http.Request, err error) *Answer {
	e := Report(r, err)
	members := []member{{"error", e.Msg}, {"code", e.Code}, {"request_id", RequestID(r)}}
	if len(e.Fields) > 0 {
		members = append(members, member{"fields", e.Fields})
	}
	if e.Kind == core.RateLimited || (e.Kind == core.Unavailable && e.RetryAfter > 0) {
		members = append(members, member{"retry_after", retrySeconds(e)})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			members = append(members, member{name, e.Details[name]})
		}
	}
	body, err := encodeMembers(members)
	if err != nil {
		logRequest(r, slog.LevelError, "error details could not be encoded", slog.Any("error", err))
		body = []byte(`{"error":"Something went wrong on our side. Please try again.","code":"internal"}`)
	}
	return &Answer{Status: Status(e.Kind), ContentType: "application/json", Body: body, Header: ErrorHeader(r, e)}
}

// member is a member of a JSON object whose order matters to a human reader.
type member struct {
	name  string
	value any
}

func encodeMembers(members []member) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encodeJSON(m.name)
		if err != nil {
			return nil, err
		}
		value, err := encodeJSON(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
