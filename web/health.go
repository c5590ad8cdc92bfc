package web

import (
	"context"
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/web/httpx"
)

type health struct {
	Status string `json:"status"`
}

// healthz tells that the process answers.
func healthz(*http.Request) (*httpx.Answer, error) {
	return httpx.JSON(http.StatusOK, health{Status: "ok"})
}

// readyz tells that requests can be served: the database answers.
func readyz(ready func(context.Context) error) httpx.Handler {
	return func(r *http.Request) (*httpx.Answer, error) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := ready(ctx); err != nil {
			return nil, (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: 2 * time.Second,
				Msg: "The service is not ready: the database cannot be reached."}).Wrap(err)
		}
		return httpx.JSON(http.StatusOK, health{Status: "ready"})
	}
}
