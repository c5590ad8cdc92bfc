package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/secret"
	"homeplace/core/signing"
)

type doctorCommand struct {
	outsideFlags `embed:""`
}

// examination gathers findings, good and bad.
type examination struct {
	env      *environment
	troubles int
}

func (x *examination) good(format string, args ...any) {
	fmt.Fprintf(x.env.out, "ok    "+format+"\n", args...)
}

func (x *examination) bad(mend, format string, args ...any) {
	x.troubles++
	fmt.Fprintf(x.env.out, "WRONG "+format+"\n      to mend it: %s\n", append(args, mend)...)
}

// Run checks everything and fails when something is wrong.
func (c *doctorCommand) Run(e *environment) error {
	x := &examination{env: e}
	x.configuration()
	x.mail()
	x.outside(c.outsideFlags)
	x.database()
	if x.troubles > 0 {
		return fmt.Errorf("%d things need mending", x.troubles)
	}
	fmt.Fprintln(e.out, "everything is in order")
	return nil
}

func (x *examination) configuration() {
	dir := x.env.cli.DataDir
	if x.env.cli.DatabaseURL != "" {
		x.good("the database is the one that --database-url names")
		return
	}
	probe := filepath.Join(dir, ".doctor")
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(probe, nil, 0o600)
	}
	if err != nil {
		x.bad("give --data-dir a directory that you may write to", "the data directory cannot be written: %v", err)
		return
	}
	os.Remove(probe)
	x.good("the data directory %s can be written", dir)
}

// mail checks that the mail server answers; it sends nothing.
func (x *examination) mail() {
	post, err := newMailer(x.env.cli, func() string { return "Homeplace" }, slog.New(slog.DiscardHandler))
	if err != nil {
		x.bad("see the message", "mail is not set up right: %s", explain(err))
		return
	}
	if !post.Configured() {
		x.good("no mail server: mails go to files below %s, and accounts need no confirmed address", filepath.Join(x.env.cli.DataDir, mailDir))
		return
	}
	server, err := url.Parse(x.env.cli.SMTPURL)
	if err == nil {
		port := server.Port()
		if port == "" {
			port = "587"
		}
		var conn net.Conn
		if conn, err = net.DialTimeout("tcp", net.JoinHostPort(server.Hostname(), port), 5*time.Second); err == nil {
			conn.Close()
		}
	}
	if err != nil {
		x.bad("check --smtp-url and the way to the server", "the mail server does not answer: %v", err)
		return
	}
	x.good("the mail server answers")
}

func (x *examination) database() {
	d, err := openDatabase(x.env, x.env.cli, slog.New(slog.DiscardHandler))
	if err != nil {
		x.bad("see the message, and server.log below the data directory", "no database: %s", explain(err))
		return
	}
	defer d.close()
	waiting, err := waitingMigrations(x.env, d.url)
	switch {
	case err != nil:
		x.bad("check the address, the user and the server", "the database cannot be used: %s", explain(err))
		return
	case waiting > 0:
		x.bad(`run "homeplace migrate up"`, "%d migrations wait", waiting)
		return
	}
	x.good("the schema is up to date")
	db, err := pg.Open(x.env, pg.Options{URL: d.url, MaxConns: 2})
	if err != nil {
		x.bad("see the message", "the program cannot log in: %s", explain(err))
		return
	}
	defer db.Close()
	x.good("the program logs in as a role that owns nothing")
	x.keys(db)
	x.contents(wire(db))
}

// keys checks that the tokens of programs can be signed; it makes no secret.
func (x *examination) keys(db *pg.DB) {
	installation, found, err := secret.Find(x.env.cli.DataDir, x.env.cli.Secret)
	if err != nil {
		x.bad("see the message", "the secret cannot be used: %s", explain(err))
		return
	}
	err = signing.New(db, installation, core.Now).Check(x.env)
	switch {
	case errors.Is(err, signing.ErrOtherSecret):
		x.bad(`give --secret the text of the file "secret" of the instance that made the keys; where that is lost, run "homeplace keys reset"`,
			"the signing keys were sealed with another secret than the one here")
	case err != nil:
		x.bad("see the message", "the signing keys cannot be read: %s", explain(err))
	case !found:
		x.good("there is no secret yet: the first start makes it")
	default:
		x.good("the signing keys can be read with the secret")
	}
}

func waitingMigrations(ctx context.Context, url string) (waiting int, err error) {
	steps, err := pg.Migrations(ctx, url)
	for _, step := range steps {
		if step.Applied.IsZero() {
			waiting++
		}
	}
	return waiting, err
}

func (x *examination) contents(s *services) {
	state, err := s.directory.CheckIndex(x.env, core.TheSystem())
	switch {
	case err != nil:
		x.bad("see the message", "the directory cannot be read: %s", explain(err))
	case state.Public != state.Documents || state.Stray > 0 || state.Miscount > 0:
		x.bad(`run "homeplace search reindex"`, "the search index disagrees with the entries: %d public entries, %d documents, %d stray, %d miscounted",
			state.Public, state.Documents, state.Stray, state.Miscount)
	default:
		x.good("%d public entries are in the search index, and counted right", state.Public)
	}
	x.points(s)
	imported, err := s.geography.Imported(x.env)
	switch {
	case err != nil:
		x.bad("import it again with \"homeplace geo import\", or go back with \"homeplace geo reset\"", "the gazetteer cannot be read: %s", explain(err))
	case imported:
		x.good("an imported gazetteer is in use")
	default:
		x.good("the built-in gazetteer is in use")
	}
	if _, err := s.settings.List(x.env, core.TheSystem()); err != nil {
		x.bad("see the message", "the settings cannot be read: %s", explain(err))
	} else {
		x.good("the settings can be read")
	}
	x.model(s)
}

// model asks the language model, where there is one, about a greeting.
func (x *examination) model(s *services) {
	if err := s.settings.Load(x.env); err != nil {
		x.bad("see the message", "the settings cannot be loaded: %s", explain(err))
		return
	}
	o := s.modelOptions()
	err := s.model.Check(x.env)
	switch {
	case o.BaseURL == "" && o.Model == "":
		x.good("no language model: people decide about borderline texts")
	case o.BaseURL == "" || o.Model == "":
		x.bad("set both llm_base_url and llm_model, or neither", "the language model is set up by half")
	case err != nil:
		x.bad(`change llm_base_url, llm_api_key, llm_model or llm_timeout with "homeplace settings set"; until then people decide`,
			"the language model %s gives no verdicts: %s", o.Model, explain(err))
	case o.Key != "" && readable(o.BaseURL):
		x.bad("set llm_base_url to an address that begins with https://", "the key of the language model goes out unencrypted")
	default:
		x.good("the language model %s gives verdicts as it should", o.Model)
	}
}

func (x *examination) points(s *services) {
	proof, err := s.points.Check(x.env, core.TheSystem())
	if err != nil {
		x.bad("see the message", "the points cannot be checked: %s", explain(err))
		return
	}
	for _, fault := range proof.Faults {
		x.bad("restore a backup from before; the program itself never writes this", "points: %s", fault)
	}
	if len(proof.Faults) == 0 {
		x.good("the points add up: %d transactions, each proved", proof.Transactions)
	}
}
