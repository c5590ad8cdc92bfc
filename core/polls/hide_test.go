package polls

import (
	"context"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
)

// log notes what is written down.
type log struct{ kinds []string }

func (l *log) RecordTx(_ context.Context, _ *pg.Tx, v core.Viewer, r core.Ruling) error {
	l.kinds = append(l.kinds, v.Username+" "+r.Kind+" "+r.Title)
	return nil
}

// Closing and hiding on the page of a poll are decisions as any other: they are
// written down once, and an appeal goes to somebody else than who hid it.
func TestHidingAndClosingAreWrittenDown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	kept := &log{}
	w.needs.Audit = kept
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	p, err := w.Create(t.Context(), ada, Input{Question: "Tea?", Options: []string{"Yes", "No"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(t.Context(), mod, p.Slug); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := w.SetHidden(t.Context(), mod, p.Slug, true); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := w.laidOut(t, w.Desk(), core.TheSystem(), p.ID); err != nil || !c.Appealable || c.DecidedBy != mod.ID {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := w.SetHidden(t.Context(), mod, p.Slug, false); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(kept.kinds, ", "); got != "mod poll_closed Tea?, mod poll_hidden Tea?, mod poll_shown Tea?" {
		t.Errorf("written down: %s", got)
	}
}
