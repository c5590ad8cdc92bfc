package sayings

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

// Hiding on the page of a saying is a decision as any other: it is written down
// once, and an appeal against it goes to somebody else than who did it.
func TestHidingIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	kept := &log{}
	w.needs.Audit = kept
	ada, first, second := w.member(t, "ada"), w.moderator(t, "first"), w.moderator(t, "second")
	sent := w.submit(t, ada, "Salt is a gift")
	w.decided(t, first, sent.ID, core.ActionApprove, "")
	for range 2 {
		if err := w.Hide(t.Context(), second, "salt-is-a-gift"); err != nil {
			t.Fatal(err)
		}
	}
	if c := w.laidOut(t, core.TheSystem(), sent.ID); !c.Appealable || c.DecidedBy != second.ID {
		t.Errorf("%+v", c)
	}
	if err := w.Unhide(t.Context(), second, "salt-is-a-gift"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(kept.kinds, ", "); got != "second saying_hidden Salt is a gift, second saying_shown Salt is a gift" {
		t.Errorf("written down: %s", got)
	}
}
