package httpx

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"homeplace/core"
)

// Render turns an error into the answer of one surface. It calls Report.
type Render func(r *http.Request, err error) *Answer

// API adapts a handler of the JSON API.
func API(h Handler) http.Handler { return Adapt(h, ErrorAnswer) }

// Adapt runs a handler, survives its panics, renders its errors and sends the
// answer.
func Adapt(h Handler, render Render) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Send(w, r, run(r, h, render))
	})
}

var errNoAnswer = errors.New("handler returned neither an answer nor an error")

func run(r *http.Request, h Handler, render Render) (a *Answer) {
	defer func() {
		if v := recover(); v != nil {
			a = render(r, panicError(r, v))
		}
	}()
	a, err := h(r)
	if err == nil && a == nil {
		err = errNoAnswer
	}
	if err == nil {
		return a
	}
	return failure(r, err, render)
}

func failure(r *http.Request, err error, render Render) *Answer {
	if clientGone(r, err) {
		return &Answer{Status: StatusClientGone}
	}
	return render(r, err)
}

// panicError logs a recovered value with the stack of the panic, once, and
// returns the error to show. http.ErrAbortHandler goes on its way, since it
// asks for the connection to be cut.
func panicError(r *http.Request, v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	logRequest(r, slog.LevelError, "panic", slog.String("error", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
	return core.AsError(errLogged)
}

// Recover survives panics outside of adapted handlers. Where the answer has
// begun already the connection is cut, so that the client cannot take half an
// answer for a whole one. It belongs inside Observe.
func Recover(render Render) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				err := panicError(r, v)
				if x, ok := w.(*exchange); ok && x.status != 0 {
					panic(http.ErrAbortHandler)
				}
				Send(w, r, render(r, err))
			}()
			next.ServeHTTP(w, r)
		})
	}
}
