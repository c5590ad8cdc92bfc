package web

import (
	"net/http"

	"homeplace/core"
	"homeplace/static"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/woven"
	"homeplace/web/httpx"
)

// offlinePath is the page that static/sw.js shows where the network is gone.
const offlinePath = "/offline"

// offline is the same for everyone, since browsers keep it.
func (h *handlers) offline(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p := views.OfflineProps{Frame: h.frame(r, v, layout.FrameProps{Title: "You are offline", NoIndex: true})}
	return show(r, http.StatusOK, views.Offline(p))
}

// worker keeps what the offline page is made of. Fonts are left out: they are
// in the browser's own store, and the page can be read without them.
var worker = static.Worker(static.URL("app.css"), static.URL("app.js"), static.URL("favicon.svg"), woven.Mark.Address(views.OfflineSeed))

// serveWorker answers the service worker. Browsers keep it, and ask each time,
// so that a new one is never late.
func serveWorker(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	worker.Send(w, r)
}
