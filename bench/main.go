// Command bench measures Homeplace beside two measuring rods: plain net/http
// handlers that do the least for the same bytes, from memory or by the same
// SQL. It runs everything on this machine, over loopback, and leaves nothing
// behind. Read the ratios: the rates are those of whatever else runs here.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type commandLine struct {
	Run runCommand `cmd:"" default:"withargs" help:"Measure and print the tables; fails when a target is missed."`
	Rod rodCommand `cmd:"" hidden:"" help:"Serve a measuring rod."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var cli commandLine
	command := kong.Parse(&cli, kong.Name("bench"), kong.Description("Measures Homeplace beside two measuring rods."))
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		stop()
		os.Exit(1)
	}
}
