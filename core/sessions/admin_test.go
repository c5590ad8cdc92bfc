package sessions

import (
	"context"
	"slices"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// book keeps rulings in place of the log.
type book struct{ lines []string }

func (b *book) RecordTx(_ context.Context, _ *pg.Tx, v core.Viewer, r core.Ruling) error {
	b.lines = append(b.lines, strings.Join([]string{v.Username, r.Kind, r.About.Type, r.About.ID}, " "))
	return nil
}

func TestAdministratorsSignOthersOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := &book{}
	w.WithAudit(b)
	ada, eve, root := w.member(t, "ada"), w.member(t, "eve"), w.member(t, "root-1")
	root.Role, root.Moderator, root.Admin = core.Staff, true, true
	w.open(t, ada, "phone")
	w.open(t, ada, "desktop")
	w.open(t, eve, "tablet")
	moderator := core.Viewer{ID: root.ID, Role: core.Staff, Moderator: true}
	for name, c := range map[string]struct {
		v    core.Viewer
		want core.Kind
	}{"nobody": {core.Nobody(), core.Unauthenticated}, "another": {eve, core.Forbidden}, "a moderator": {moderator, core.Forbidden}} {
		if _, err := w.CountOf(t.Context(), c.v, ada.ID); err == nil || core.KindOf(err) != c.want {
			t.Errorf("%s counts: %v", name, err)
		}
		if _, err := w.EndAllOf(t.Context(), c.v, ada.ID); err == nil || core.KindOf(err) != c.want {
			t.Errorf("%s ends: %v", name, err)
		}
	}
	if n, err := w.CountOf(t.Context(), root, ada.ID); err != nil || n != 2 {
		t.Errorf("she is signed in at %d, %v", n, err)
	}
	if n := pgtest.Value[int](t, w.db, root, `select count(id) from web_sessions`); n != 0 {
		t.Errorf("row-level security shows an administrator %d sessions", n)
	}
	for _, want := range []int{2, 0} {
		if n, err := w.EndAllOf(t.Context(), root, ada.ID); err != nil || n != want {
			t.Errorf("%d sessions end, %v; want %d", n, err, want)
		}
	}
	if w.alive(t, "phone") || w.alive(t, "desktop") || !w.alive(t, "tablet") {
		t.Error("the wrong sessions live")
	}
	if !slices.Equal(b.lines, []string{"root-1 sessions_ended account " + ada.ID}) {
		t.Errorf("the log has %q", b.lines)
	}
}
