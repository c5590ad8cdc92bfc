package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"homeplace/core/pg"
	"homeplace/core/provider"
	"homeplace/core/secret"
	"homeplace/core/settings"
	"homeplace/web"
	"homeplace/web/httpx"
)

const (
	// answerAge is how long the cache of answers may keep one.
	answerAge = httpx.OpenReadAge
	// drainTime is how long requests under way may take after a stop: short of
	// what the managers of services wait before they kill.
	drainTime = 3 * time.Second
	// sweepEvery is how often what has expired is removed.
	sweepEvery = 10 * time.Minute
)

// app is a running instance of the service: end-to-end tests run it too.
type app struct {
	log       *slog.Logger
	config    *serveCommand
	database  *database
	services  *services
	addresses httpx.Addresses
	proxies   *httpx.Proxies
	cache     *httpx.Cache
	metrics   *metrics
	handler   http.Handler

	// The outside identity provider; nil where none is configured.
	jwts   *provider.Verifier
	signIn *provider.SignIn
}

// openApp opens everything up to the point where requests can be answered.
// addr is the address listened on.
func openApp(ctx context.Context, cli *environment, c *serveCommand, addr string, log *slog.Logger) (*app, error) {
	a := &app{log: log, config: c}
	if err := a.open(ctx, cli, addr); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *app) open(ctx context.Context, cli *environment, addr string) (err error) {
	if err := a.configure(addr); err != nil {
		return err
	}
	if a.database, err = openDatabase(ctx, cli.cli, a.log); err != nil {
		return err
	}
	db, err := pg.Open(ctx, pg.Options{URL: a.database.url, ReadURL: a.config.DatabaseReadURL, MaxConns: a.config.DatabaseConns})
	if err != nil {
		return err
	}
	a.services = wire(db)
	if err := a.services.prepare(ctx); err != nil {
		return err
	}
	post, err := newMailer(cli.cli, a.siteName, a.log)
	if err != nil {
		return err
	}
	installation, err := secret.Open(cli.cli.DataDir, cli.cli.Secret)
	if err != nil {
		return err
	}
	a.services.letIn(post, installation, a.addresses, a.jwts, a.log)
	if err := a.services.keys.Prepare(ctx); err != nil {
		return err
	}
	if a.config.Demo {
		if err := a.loadDemo(ctx); err != nil {
			return fmt.Errorf("load the demonstration content: %w", err)
		}
	}
	db.OnChange(func(area string) {
		if area == pg.Everything {
			a.cache.InvalidateAll()
		} else {
			a.cache.Invalidate(area)
		}
	})
	a.handler = a.routes()
	return nil
}

func (a *app) configure(addr string) (err error) {
	base := a.config.BaseURL
	if base == "" {
		if base, err = defaultBaseURL(addr); err != nil {
			return err
		}
	}
	if a.addresses, err = httpx.NewAddresses(base); err != nil {
		return err
	}
	if a.proxies, err = httpx.NewProxies(a.config.TrustedProxies); err != nil {
		return err
	}
	if a.cache, err = httpx.NewCache(a.config.CacheSize, answerAge); err != nil {
		return err
	}
	a.metrics = newMetrics(a)
	if a.jwts, err = a.config.verifier(a.log); err != nil {
		return err
	}
	a.signIn, err = a.config.signIn(a.addresses.Base()+web.ProviderCallback, a.log)
	return err
}

// listenForMetrics opens the metrics' own address; nil when none is set.
func (a *app) listenForMetrics() (net.Listener, error) {
	if a.config.MetricsAddr == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", a.config.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics on %s: %w", a.config.MetricsAddr, err)
	}
	a.log.Info("metrics are served", "addr", listener.Addr().String())
	return listener, nil
}

// run answers on the listeners until ctx ends, then lets the requests under
// way finish. metrics may be nil.
func (a *app) run(ctx context.Context, listener, metrics net.Listener) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.serve(ctx, newServer(a.handler, a.log), listener) })
	if metrics != nil {
		group.Go(func() error { return a.serve(ctx, newServer(a.metrics.handler(), a.log), metrics) })
	}
	group.Go(func() error { a.services.db.Listen(ctx, a.log); return nil })
	group.Go(func() error { a.sweep(ctx); return nil })
	group.Go(func() error { return a.keepDatabase(ctx) })
	group.Go(func() error { a.services.geography.Current().City("Atlanta", "GA"); return nil }) // decoded before someone waits for it
	return group.Wait()
}

func (a *app) serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if server.Shutdown(drain) != nil {
			server.Close() // whoever is left has had their time
		}
	}()
	if err := server.Serve(listener); !serverClosed(err) {
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	}
	<-stopped
	return nil
}

func (a *app) siteName() string { return a.services.settings.Text(settings.SiteName) }

// sweep removes what has expired: rate-limit windows, idempotency keys,
// sessions, links in mails, sign-ups that nobody confirmed, texts of old
// judgements, and signing keys, which it also renews.
func (a *app) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := a.services.limits.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("sweep rate limits", "error", err)
		}
		if _, err := a.services.idempotency.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("sweep idempotency keys", "error", err)
		}
		if _, err := a.services.sessions.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("sweep sessions", "error", err)
		}
		if _, err := a.services.access.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("sweep sign-ups", "error", err)
		}
		if _, err := a.services.moderation.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("sweep judgements", "error", err)
		}
		if _, err := a.services.keys.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("sweep signing keys", "error", err)
		}
	}
}

// keepDatabase sees to it that a private server runs: it starts it again when
// it died under us, or when it was another process's and went with that one.
// Until it is back, requests are answered with 503.
func (a *app) keepDatabase(ctx context.Context) error {
	for a.database.dir != "" && a.database.awaitLoss(ctx) {
		a.log.Error("the private database server ended; starting it again")
		next, err := openPrivate(ctx, a.database.dir, a.log)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("bring the private database back: %w", err)
		}
		if next.url != a.database.url { // only where the path was too long for a socket
			next.close()
			return errors.New("the private database came back at another address; start the service again")
		}
		a.database = next
	}
	return nil
}

// finishMails lets the mails on their way arrive.
func (a *app) finishMails() {
	if a.services.access == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := a.services.access.Wait(ctx); err != nil {
		a.log.Warn("some mails were not sent before the stop; people can ask for them again")
	}
}

// close gives everything back, in the reverse order of opening.
func (a *app) close() {
	if a.services != nil {
		a.finishMails()
		a.services.db.Close()
	}
	if a.database != nil {
		a.database.close()
	}
	if a.cache != nil {
		a.cache.Close()
	}
}
