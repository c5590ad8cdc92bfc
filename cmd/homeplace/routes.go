package main

import (
	"net/http"
	"strings"

	"homeplace/api"
	"homeplace/core"
	"homeplace/core/settings"
	"homeplace/web"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// routes joins the surfaces: everything below /api is the API, everything else
// the pages.
func (a *app) routes() http.Handler {
	s := a.services
	observe := httpx.Observe(httpx.Observation{Log: a.log, Proxies: a.proxies, Record: a.metrics.record})
	siteName := func() string { return s.settings.Text(settings.SiteName) }
	cookies := session.New(session.Options{Sessions: s.sessions, Accounts: s.accounts, Addresses: a.addresses})
	programs := api.New(
		api.Services{Accounts: s.accounts, Directory: s.directory, Search: s.search, Places: s.geography.Current},
		api.Surface{Addresses: a.addresses, Cache: a.cache, SiteName: siteName, Observe: observe, Cookie: cookies.FromCookie,
			Writes: api.Writes{
				Limiter: limiter{s.limits}, PerHour: func() int { return s.settings.Number(settings.WritesPerHour) },
				Idempotency: newIdempotency(s.idempotency),
			}},
	)
	people := web.New(
		web.Services{Accounts: s.accounts, Access: s.access, Sessions: s.sessions, Directory: s.directory,
			Contributions: s.contributions, Takeout: s.takeout, Search: s.search, Settings: s.settings, Places: s.geography.Current},
		web.Surface{Addresses: a.addresses, Cache: a.cache, Now: core.Now, Contract: api.Contract, Dev: a.config.Dev,
			Sessions: cookies, Ready: s.db.Ping, Observe: observe},
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/") {
			programs.ServeHTTP(w, r)
			return
		}
		people.ServeHTTP(w, r)
	})
}
