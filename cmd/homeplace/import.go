package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"homeplace/core"
	"homeplace/core/rowfile"
)

type importCommand struct {
	Type          string            `arg:"" enum:"directory,app,app-file,saying,poll,product,review,shoutout,fake-report" help:"What the rows are: directory, app, app-file, saying, poll, product, review, shoutout or fake-report."`
	File          string            `arg:"" help:"File to read; - is standard input."`
	Format        string            `help:"jsonl or csv; told from the contents when empty." enum:",jsonl,csv" default:""`
	Map           map[string]string `help:"Give a column the name of a field, such as --map title=name; may be repeated." placeholder:"COLUMN=FIELD" mapsep:","`
	Strict        bool              `help:"Import nothing if a single line is wrong."`
	AddCategories bool              `help:"Put unknown categories of the directory on the curated list instead of making them tags."`
}

// Run imports the file.
func (c *importCommand) Run(e *environment) error {
	source, size, err := c.open(e.in)
	if err != nil {
		return err
	}
	defer source.Close()
	return e.withServices(func(s *services) error {
		bar := newProgress(e.messages, size)
		defer bar.end()
		body := io.TeeReader(source, bar)
		rows, err := rowfile.NewReader(body, rowfile.Format(c.Format))
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		summary, err := rowTypes[c.Type].imports(e, s, rows, importOptions{AddCategories: c.AddCategories, Options: rowfile.Options{
			Strict: c.Strict, Map: c.Map, OwnerID: s.ownerID,
			Problem: func(line int, err error) {
				fmt.Fprintf(e.messages, "%sline %d: %s\n", bar.erase, line, explain(err))
			},
		}})
		bar.end()
		fmt.Fprintln(e.out, summary)
		return err
	})
}

func (c *importCommand) open(in *os.File) (io.ReadCloser, int64, error) {
	if c.File == "-" {
		return io.NopCloser(in), -1, nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// progress is a bar on a terminal and nothing anywhere else.
type progress struct {
	io.Writer        // counts what was read
	erase     string // clears the bar's line, before a message; the bar draws itself again
	end       func() // takes the bar away; may be called again
}

func newProgress(messages *os.File, size int64) progress {
	if !term.IsTerminal(int(messages.Fd())) {
		return progress{Writer: io.Discard, end: func() {}}
	}
	bar := progressbar.NewOptions64(size, progressbar.OptionSetWriter(messages), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("importing"), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetSpinnerChangeInterval(0)) // its ticker would race with what is read
	return progress{Writer: bar, erase: "\r\x1b[K", end: func() { bar.Exit() }}
}

// ownerID looks up whom a row belongs to.
func (s *services) ownerID(ctx context.Context, username string) (string, error) {
	account, err := s.accounts.ByUsername(ctx, core.TheSystem(), username)
	return account.ID, err
}

type exportCommand struct {
	Type   string `arg:"" enum:"directory,app,app-file,saying,poll,product,review,shoutout,fake-report" help:"What to export: directory, app, app-file, saying, poll, product, review, shoutout or fake-report."`
	Format string `help:"jsonl, or csv for the directory." enum:"jsonl,csv" default:"jsonl"`
}

// Run writes the rows to standard output.
func (c *exportCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error {
		count, err := rowTypes[c.Type].exports(e, s, e.out, rowfile.Format(c.Format))
		if err != nil {
			return err
		}
		fmt.Fprintf(e.messages, "%d rows\n", count)
		return nil
	})
}
