package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"homeplace/core"
	"homeplace/core/secret"
	"homeplace/core/signing"
)

type keysCommand struct {
	List   keysListCommand   `cmd:"" help:"List the signing keys, the newest first."`
	Rotate keysRotateCommand `cmd:"" help:"Publish the next key; it signs after 15 minutes. Happens by itself every 90 days."`
	Reset  keysResetCommand  `cmd:"" help:"Drop the keys that were sealed with a lost secret and make a new one; signed-in programs have to sign in again."`
}

// withKeys runs a command on the signing keys, with the secret that serve
// would use.
func (e *environment) withKeys(run func(s *services, keys *signing.Service) error) error {
	installation, err := secret.Open(e.cli.DataDir, e.cli.Secret)
	if err != nil {
		return err
	}
	return e.withServices(func(s *services) error { return run(s, signing.New(s.db, installation, core.Now)) })
}

type keysListCommand struct{}

// Run prints a line for each key.
func (c *keysListCommand) Run(e *environment) error {
	return e.withKeys(func(_ *services, keys *signing.Service) error {
		list, err := keys.List(e)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "KEY\tSIGNS FROM\tVERIFIES UNTIL\tSTATE")
		for _, key := range list {
			until := "-"
			if key.ExpiresAt != nil {
				until = key.ExpiresAt.UTC().Format(time.RFC3339)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", key.ID, key.ActiveFrom.UTC().Format(time.RFC3339), until, keyState(key, core.Now()))
		}
		return table.Flush()
	})
}

func keyState(k signing.Key, now time.Time) string {
	switch {
	case k.Expired(now):
		return "expired"
	case !k.Readable:
		return "sealed with another secret"
	case k.ActiveFrom.After(now):
		return "published, signs next"
	case k.RetiredAt == nil || k.RetiredAt.After(now):
		return "signs"
	}
	return "retired, still verifies"
}

type keysRotateCommand struct{}

// Run publishes the next key and says when it signs.
func (c *keysRotateCommand) Run(e *environment) error {
	return e.withKeys(func(_ *services, keys *signing.Service) error {
		if err := keys.Prepare(e); err != nil {
			return err
		}
		next, err := keys.Rotate(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s is published and signs from %s on\n", next.ID, next.ActiveFrom.UTC().Format(time.RFC3339))
		return nil
	})
}

type keysResetCommand struct{}

// Run drops what cannot be used any more: keys, and the sessions whose refresh
// tokens were made with the lost secret.
func (c *keysResetCommand) Run(e *environment) error {
	return e.withKeys(func(s *services, keys *signing.Service) error {
		dropped, err := keys.Reset(e)
		if err != nil {
			return err
		}
		if dropped == 0 {
			fmt.Fprintln(e.out, "every key can be read with this secret; nothing was dropped")
			return nil
		}
		ended, err := s.sessions.EndPrograms(e, core.TheSystem())
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%d keys were dropped and a new one signs; %d signed-in programs have to sign in again\n", dropped, ended)
		return nil
	})
}
