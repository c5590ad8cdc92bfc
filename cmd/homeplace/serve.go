package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"homeplace/web/httpx"
)

type serveCommand struct {
	Addr            string   `help:"Address to listen on." default:"127.0.0.1:8080"`
	BaseURL         string   `help:"Address under which people reach the site; http:// and --addr when empty." placeholder:"URL"`
	DatabaseReadURL string   `help:"Address of a streaming replica for public reads." placeholder:"URL"`
	Demo            bool     `help:"Load demonstration content into an empty database."`
	TrustedProxies  []string `help:"Networks whose forwarding headers are believed, such as 10.0.0.0/8." placeholder:"CIDR"`
	MetricsAddr     string   `help:"Address for Prometheus metrics; none when empty." placeholder:"ADDR"`
	LogFormat       string   `help:"text or json." enum:"text,json" default:"text"`
	Dev             bool     `help:"Add the page /kit, which shows every part of the pages."`
	CacheSize       int64    `help:"Bytes of finished answers kept in memory." default:"33554432" placeholder:"BYTES"`
	DatabaseConns   int32    `help:"Connections to the database for each of public reads and everything else." default:"16" placeholder:"N"`

	outsideFlags `embed:""`
}

// Run serves until it is told to stop.
func (c *serveCommand) Run(e *environment) error {
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.Addr, err)
	}
	defer listener.Close()
	lines := httpx.NewLogWriter(e.messages)
	defer lines.Close()
	app, err := openApp(e, e, c, listener.Addr().String(), newLogger(lines, c.LogFormat))
	if err != nil {
		if e.Err() != nil { // told to stop while it started
			return nil
		}
		return err
	}
	defer app.close()
	metrics, err := app.listenForMetrics()
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "Homeplace is ready at %s\n", app.addresses.Base())
	return app.run(e, listener, metrics)
}

func newLogger(lines *httpx.LogWriter, format string) *slog.Logger {
	var handler slog.Handler = slog.NewTextHandler(lines, nil)
	if format == "json" {
		handler = slog.NewJSONHandler(lines, nil)
	}
	return slog.New(lines.Handler(handler))
}

// newServer sets the time limits that keep slow clients from holding on to
// connections.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// defaultBaseURL is where a browser on this machine finds the listener.
func defaultBaseURL(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			host = "localhost"
		}
	}
	if host == "127.0.0.1" || host == "::1" {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

// serverClosed tells the ordinary end of a server from a failure.
func serverClosed(err error) bool { return err == nil || errors.Is(err, http.ErrServerClosed) }
