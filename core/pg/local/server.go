// Package local runs a private PostgreSQL server for one directory: it finds the installed programs, makes the cluster at the first start, listens on
// a unix socket that nobody else can open, and ends with the process that started it, however that process ends.
//
// The directory holds
//
//	data/        the cluster; it gets this name only when it is complete
//	s/           the socket, unless the path is too long for one
//	socket       the path of the directory that holds the socket
//	lock         held (flock) as long as a process owns the directory
//	server.log   what the server says; server.log.1 is the part before it
//
// A process that runs as root gives up root for the server: PostgreSQL refuses to run as root.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	superuser = "homeplace"
	database  = "homeplace"

	fastLimit      = 20 * time.Second // a fast shutdown writes a checkpoint
	immediateLimit = 10 * time.Second // the server itself kills what has not ended after 5 s
	logCheck       = 10 * time.Minute
)

// Options says where and how the server runs.
type Options struct {
	// Dir is the server's own directory, created when absent. Where root started the process and the server's user cannot reach Dir (one below
	// /root, say), a directory below /var/lib/homeplace or /var/tmp takes its place, always the same one for the same Dir, and a warning says so.
	Dir string
	// Durable keeps every committed row, whatever crashes. False is for tests and benches: the last rows are lost with a server that is killed, and
	// a crash of the machine may leave nothing that can be used.
	Durable bool
	// MaxConnections is the server's limit; 0 means 100.
	MaxConnections int
	// Logger is told of unusual things, such as a server that an earlier process left behind. Nil discards them.
	Logger *slog.Logger
}

// Server is a running PostgreSQL server that this process owns.
type Server struct {
	dir     string
	socket  string
	logger  *slog.Logger
	lock    *os.File
	process *process

	ended    chan struct{}
	stopping atomic.Bool
	stopOnce sync.Once
	stopErr  error
}

// Start returns once the server answers queries and the database "homeplace" exists. The context bounds the start alone, not the server's life:
// end that with Stop. The error wraps ErrNotInstalled where PostgreSQL is missing and ErrInUse where another process owns the directory.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 100
	}
	installed, err := findPrograms(os.Getenv("PG_BIN"))
	if err != nil {
		return nil, err
	}
	home, err := openPlace(o.Dir, fallbackRoots, o.Logger)
	if err != nil {
		return nil, err
	}
	lock, err := acquire(home.dir)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: home.dir, logger: o.Logger, lock: lock, ended: make(chan struct{})}
	if err := s.start(ctx, o, home.account, installed); err != nil {
		// Without the caller's deadline, which may be what failed the start: a fast shutdown is bounded by itself.
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, o Options, as *account, installed []programs) error {
	c := cluster{dir: s.dir, account: as, logger: s.logger}
	if err := c.open(ctx, installed, o.Durable); err != nil {
		return err
	}
	var err error
	if s.socket, err = makeSocketDir(s.dir, as); err != nil {
		return err
	}
	out, err := openLog(s.dir)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := as.command(c.programs.postgres(), append([]string{"-D", c.data}, settings(o, s.socket)...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, out, out
	if s.process, err = launch(cmd, syscall.SIGINT); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	if err := awaitReady(ctx, s.process, c.data, s.socket); err != nil {
		if errors.Is(err, errExited) {
			return fmt.Errorf("start postgres: %w\n%s", err, logTail(s.dir))
		}
		return fmt.Errorf("start postgres: %w", err)
	}
	go s.watch()
	return ensureDatabase(ctx, s.URLFor(superuser, maintenance))
}

// watch reports a server that ends unasked, and keeps its log short.
func (s *Server) watch() {
	tick := time.NewTicker(logCheck)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := trimLog(s.dir); err != nil {
				s.logger.Warn("the PostgreSQL server's log could not be shortened", "error", err)
			}
		case <-s.process.exited:
			if !s.stopping.Load() {
				s.logger.Error("the PostgreSQL server ended by itself", "error", s.process.err, "log", logTail(s.dir))
				close(s.ended)
			}
			return
		}
	}
}

// URL is the address of the database "homeplace" for the superuser of the same name.
func (s *Server) URL() string { return s.URLFor(superuser, database) }

// URLFor is the address of another database or role on this server. No role has a password: the socket's directory keeps other accounts out.
func (s *Server) URLFor(user, database string) string { return socketURL(s.socket, user, database) }

func socketURL(socket, user, database string) string {
	// Port and sslmode are named so that no PG* variable of the environment decides them.
	query := url.Values{"host": {socket}, "port": {port}, "sslmode": {"disable"}}
	address := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: query.Encode()}
	return address.String()
}

// Done is closed when the server process has ended without Stop. The reason is in server.log.
func (s *Server) Done() <-chan struct{} { return s.ended }

// Stop ends the server, disconnecting its clients, and gives the directory free. It waits 20 s, or until the context ends, for an orderly shutdown; then it
// ends the server at once, which loses no committed row of a durable one, and returns an error. Further calls wait for the first and return what it returned.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		s.stopping.Store(true)
		if s.process != nil {
			s.stopErr = s.process.stop(ctx)
		}
		if s.socket != "" {
			removeSocketDir(s.dir, s.socket)
		}
		s.lock.Close()
	})
	return s.stopErr
}
