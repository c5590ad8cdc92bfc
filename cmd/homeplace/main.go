// Command homeplace is the whole service: the server and the operator's tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"homeplace/core"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program without its process: tests call it.
func run(ctx context.Context, args []string, in *os.File, out, messages *os.File) int {
	var cli commandLine
	parser, err := kong.New(&cli, kongOptions(out, messages)...)
	if err != nil {
		panic(err) // the grammar itself is wrong
	}
	command, err := parser.Parse(negativesLast(args))
	if err != nil {
		fmt.Fprintf(messages, "homeplace: %v\nRun \"homeplace --help\" to see the commands.\n", err)
		return 2
	}
	err = command.Run(&environment{Context: ctx, cli: &cli, in: in, out: out, messages: messages})
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(messages, "homeplace: interrupted before it was done")
	default:
		fmt.Fprintf(messages, "homeplace: %s\n", explain(err))
	}
	return 1
}

// explain shows a person the message and, where the fault is ours or the
// machine's, the cause.
func explain(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Error()
	}
	return err.Error()
}
