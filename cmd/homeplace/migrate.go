package main

import (
	"fmt"
	"log/slog"

	"homeplace/core/pg"
)

type migrateCommand struct {
	Up     migrateUpCommand     `cmd:"" help:"Apply the steps that are missing."`
	Status migrateStatusCommand `cmd:"" help:"List the steps and when they were applied."`
}

type migrateUpCommand struct{}

// Run applies the steps.
func (c *migrateUpCommand) Run(e *environment) error {
	return e.withDatabaseURL(func(url string) error {
		if err := pg.Migrate(e, url); err != nil {
			return err
		}
		fmt.Fprintln(e.out, "the schema is up to date")
		return nil
	})
}

type migrateStatusCommand struct{}

// Run lists the steps.
func (c *migrateStatusCommand) Run(e *environment) error {
	return e.withDatabaseURL(func(url string) error {
		steps, err := pg.Migrations(e, url)
		if err != nil {
			return err
		}
		for _, step := range steps {
			state := "waiting"
			if !step.Applied.IsZero() {
				state = "applied " + step.Applied.UTC().Format("2006-01-02 15:04:05Z")
			}
			fmt.Fprintf(e.out, "%-28s %s\n", step.Name, state)
		}
		return nil
	})
}

// withDatabaseURL runs a command that needs the owner's address only.
func (e *environment) withDatabaseURL(run func(url string) error) error {
	d, err := openDatabase(e, e.cli, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer d.close()
	return run(d.url)
}
