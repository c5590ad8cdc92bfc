package core

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind classes an error by what the caller can do about it. The one table
// from Kind to HTTP status stands in web/httpx.
type Kind int

// The kinds of error. A plain error that is not an *Error counts as Internal.
const (
	Internal         Kind = iota // our fault; the cause is logged, never shown
	Invalid                      // the input breaks a rule; Fields says which
	Unauthenticated              // no valid credential
	Insufficient                 // not enough points
	Forbidden                    // known caller, not allowed
	NotFound                     // no such thing, or not for this viewer
	MethodNotAllowed             // the address exists, not with this method
	Conflict                     // the state of the thing does not allow it
	TooLarge                     // body or file over its limit
	UnsupportedMedia             // a content type that is not taken here
	Unsatisfiable                // a range outside of the file
	Unprocessable                // an Idempotency-Key that came with another body
	RateLimited                  // too many; RetryAfter says when again
	Unavailable                  // the database or another need cannot be reached
)

// Error is the only error type that reaches a person. Msg and Fields may be
// shown as they are; Err is for the log.
type Error struct {
	Kind       Kind
	Code       string            // stable word of the API, such as "not_found"
	Msg        string            // sentence for a person
	Fields     map[string]string // input field → what is wrong with it
	Details    map[string]any    // further members of the JSON error, such as "required"
	RetryAfter time.Duration     // RateLimited and Unavailable only
	Err        error
}

// Error joins the message, the fields and the cause, for logs and terminals.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Msg)
	if len(e.Fields) > 1 { // a single one is the message
		for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
			fmt.Fprintf(&b, "; %s: %s", name, e.Fields[name])
		}
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Wrap returns a copy of e with the cause that the log should show.
func (e *Error) Wrap(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// AsError finds the *Error in err's chain; an error without one is wrapped as
// Internal with a message that gives nothing away. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Code: "internal", Msg: "Something went wrong on our side. Please try again.", Err: err}
}

// KindOf is AsError(err).Kind.
func KindOf(err error) Kind {
	if err == nil {
		return Internal
	}
	return AsError(err).Kind
}

// NotFoundf says that a thing does not exist, or not for this viewer.
func NotFoundf(format string, args ...any) *Error {
	return &Error{Kind: NotFound, Code: "not_found", Msg: fmt.Sprintf(format, args...)}
}

// Forbiddenf says that the viewer is known but may not do this.
func Forbiddenf(format string, args ...any) *Error {
	return &Error{Kind: Forbidden, Code: "not_allowed", Msg: fmt.Sprintf(format, args...)}
}

// Unauthenticatedf asks for a valid credential.
func Unauthenticatedf(format string, args ...any) *Error {
	return &Error{Kind: Unauthenticated, Code: "unauthenticated", Msg: fmt.Sprintf(format, args...)}
}

// Conflictf says that the state of a thing does not allow the action; code is
// the stable word that tells the cases apart.
func Conflictf(code, format string, args ...any) *Error {
	return &Error{Kind: Conflict, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// InvalidField is a validation error about one field.
func InvalidField(field, format string, args ...any) *Error {
	var p Problems
	p.Add(field, format, args...)
	return p.Err().(*Error)
}
