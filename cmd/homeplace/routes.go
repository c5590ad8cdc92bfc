package main

import (
	"net/http"
	"strings"

	"homeplace/api"
	"homeplace/api/gotrue"
	"homeplace/core"
	"homeplace/core/settings"
	"homeplace/web"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// routes joins the surfaces by their prefixes: the API, the identity interface
// for programs, and everything else the pages.
func (a *app) routes() http.Handler {
	observe := httpx.Observe(httpx.Observation{Log: a.log, Proxies: a.proxies, Record: a.metrics.record})
	cookies := session.New(session.Options{Sessions: a.services.sessions, Accounts: a.services.accounts, Addresses: a.addresses})
	programs := a.apiSurface(observe, cookies)
	identity := a.identitySurface(observe)
	people := a.pages(observe, cookies)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/api" || strings.HasPrefix(path, "/api/"):
			programs.ServeHTTP(w, r)
		case strings.HasPrefix(path, gotrue.Prefix+"/"):
			identity.ServeHTTP(w, r)
		default:
			people.ServeHTTP(w, r)
		}
	})
}

// middleware is what goes around every request of a surface.
type middleware = func(http.Handler) http.Handler

func (a *app) apiSurface(observe middleware, cookies *session.Manager) http.Handler {
	s := a.services
	return api.New(
		api.Services{Accounts: s.accounts, Bearer: s.bearer, Programs: s.programs, Apps: s.apps, Points: s.points, Polls: s.polls, Reviews: s.reviews, Sayings: s.sayings, ShoutOuts: s.shoutOuts, Directory: s.directory,
			Blocks: s.blocks, Reports: s.reports, FakeReports: s.fakeReports, Recent: s.recent, Search: s.search, Places: s.geography.Current},
		api.Surface{Addresses: a.addresses, Cache: a.cache, SiteName: a.siteName, Observe: observe,
			Cookie: cookies.FromCookie, Browser: cookies.Browser, Ballots: ballot.New(s.secret, a.addresses),
			Writes: api.Writes{
				Limiter: limiter{s.limits}, PerHour: func() int { return s.settings.Number(settings.WritesPerHour) }, Votes: a.votesPerHour,
				Anonymous:   func() int { return s.settings.Number(settings.AnonymousSubmissionsPerHour) },
				Idempotency: newIdempotency(s.idempotency),
			}},
	)
}

func (a *app) identitySurface(observe middleware) http.Handler {
	s := a.services
	return gotrue.New(
		gotrue.Services{Accounts: s.accounts, Access: s.access, Sessions: s.sessions, Programs: s.programs, Blocks: s.blocks},
		gotrue.Surface{Addresses: a.addresses, Observe: observe, Limiter: limiter{s.limits},
			Refreshes: func() int { return s.settings.Number(settings.RefreshesPerHour) }},
	)
}

func (a *app) pages(observe middleware, cookies *session.Manager) http.Handler {
	s := a.services
	return web.New(
		web.Services{Accounts: s.accounts, Access: s.access, Sessions: s.sessions, Points: s.points, Polls: s.polls, Apps: s.apps, Reviews: s.reviews, Sayings: s.sayings, ShoutOuts: s.shoutOuts, Directory: s.directory,
			Contributions: s.contributions, Takeout: s.takeout, Search: s.search, Settings: s.settings, Provider: a.signIn,
			Reports: s.reports, FakeReports: s.fakeReports, Blocks: s.blocks, Desk: s.desk, AuditLog: s.auditLog, Moderation: s.moderation, Recent: s.recent, Places: s.geography.Current},
		web.Surface{Addresses: a.addresses, Cache: a.cache, Now: core.Now, Secret: s.secret, Contract: api.Contract, Dev: a.config.Dev,
			Sessions: cookies, Ready: s.db.Ping, Observe: observe, Ballots: ballot.New(s.secret, a.addresses),
			Limiter: limiter{s.limits}, Proxies: a.proxies},
	)
}

func (a *app) votesPerHour() int { return a.services.settings.Number(settings.VotesPerHour) }
