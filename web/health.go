package web

import (
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/web/httpx"
)

type health struct {
	Status string `json:"status"`
}

// healthy tells that the process answers.
func healthy(*http.Request) (*httpx.Answer, error) {
	return httpx.JSON(http.StatusOK, health{"ok"})
}

// ready tells that requests can be served: database and migrations.
func (h *handlers) ready(r *http.Request) (*httpx.Answer, error) {
	if err := h.Ready(r.Context()); err != nil {
		return nil, (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: 2 * time.Second,
			Msg: "The service is not ready yet. Please try again in a moment."}).Wrap(err)
	}
	return httpx.JSON(http.StatusOK, health{"ready"})
}
