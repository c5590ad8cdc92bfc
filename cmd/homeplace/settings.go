package main

import (
	"fmt"

	"homeplace/core"
)

type settingsCommand struct {
	List settingsListCommand `cmd:"" help:"List every setting with its value, default and meaning."`
	Get  settingsGetCommand  `cmd:"" help:"Print the value of a setting."`
	Set  settingsSetCommand  `cmd:"" help:"Change a setting; the value \"default\" resets it."`
}

type settingsListCommand struct{}

// Run lists the settings, those that differ from their default marked.
func (c *settingsListCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error {
		rows, err := s.settings.List(e, core.TheSystem())
		if err != nil {
			return err
		}
		for _, r := range rows {
			mark := " "
			if r.Changed {
				mark = "*"
			}
			fmt.Fprintf(e.out, "%s %s = %s\n    %s", mark, r.Key, r.Value, r.Meaning)
			if r.Changed {
				fmt.Fprintf(e.out, " (default: %s)", r.Default)
			}
			fmt.Fprintln(e.out)
		}
		return nil
	})
}

type settingsGetCommand struct {
	Key string `arg:"" help:"Name of the setting."`
}

// Run prints the value alone.
func (c *settingsGetCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error {
		row, err := s.settings.Get(e, core.TheSystem(), c.Key)
		if err != nil {
			return err
		}
		fmt.Fprintln(e.out, row.Value)
		return nil
	})
}

type settingsSetCommand struct {
	Key   string `arg:"" help:"Name of the setting."`
	Value string `arg:"" help:"New value."`
}

// Run changes the setting on every running instance.
func (c *settingsSetCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error {
		return s.settings.Set(e, core.TheSystem(), c.Key, c.Value)
	})
}
