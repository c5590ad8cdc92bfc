package points

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
)

// book keeps rulings in place of the log.
type book struct {
	lines []string
	err   error
}

func (b *book) RecordTx(_ context.Context, _ *pg.Tx, v core.Viewer, r core.Ruling) error {
	b.lines = append(b.lines, strings.Join([]string{v.Username, r.Kind, r.About.Type, r.About.ID, r.Reason}, " "))
	return b.err
}

func TestCorrectionsAreWrittenDown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := &book{}
	w.WithAudit(b)
	ada, root := w.member(t, "ada"), w.account(t, "root-1", core.Staff)
	root.Admin = true
	for _, c := range []struct {
		v      core.Viewer
		delta  int
		reason string
		ok     bool
	}{{root, 12, " Painted the fence ", true}, {core.TheSystem(), -2, "Another painted it", true}, {root, -11, "Too much", false}, {root, 0, "Nothing", false}, {ada, 5, "Mine", false}} {
		if _, err := w.Correct(t.Context(), c.v, "ada", c.delta, c.reason); (err == nil) != c.ok {
			t.Errorf("%d for %s gives %v", c.delta, c.reason, err)
		}
	}
	want := []string{"root-1 points_corrected account " + ada.ID + " +12: Painted the fence", " points_corrected account " + ada.ID + " -2: Another painted it"}
	if !slices.Equal(b.lines, want) {
		t.Errorf("the log has %q, want %q", b.lines, want)
	}
	b.err = errors.New("the log is full")
	if _, err := w.Correct(t.Context(), root, "ada", 5, "A gift"); err == nil {
		t.Error("what cannot be logged is paid")
	}
	if got, err := w.Balance(t.Context(), ada); err != nil || got.Balance != 10 {
		t.Errorf("she has %+v, %v", got, err)
	}
}

func TestLogOfOthersIsForAdministrators(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, eve, mo, root := w.member(t, "ada"), w.member(t, "eve"), w.account(t, "mo", core.Staff), w.account(t, "root-1", core.Staff)
	root.Admin = true
	w.give(t, ada, 12)
	for name, c := range map[string]struct {
		v    core.Viewer
		want core.Kind
	}{"nobody": {core.Nobody(), core.Unauthenticated}, "herself": {ada, core.Forbidden}, "another": {eve, core.Forbidden}, "a moderator": {mo, core.Forbidden}} {
		if _, err := w.LogOf(t.Context(), c.v, ada.ID, core.Page{}); err == nil || core.KindOf(err) != c.want {
			t.Errorf("%s reads it: %v", name, err)
		}
	}
	if l, err := w.LogOf(t.Context(), root, ada.ID, core.Page{}); err != nil || l.Total != 1 || l.Items[0].Delta != 12 || l.Balance.Lifetime != 12 {
		t.Errorf("an administrator reads %+v, %v", l, err)
	}
	var n int
	err := w.db.Read(t.Context(), root, func(q pg.Querier) error {
		return q.QueryRow(t.Context(), `select count(*) from points_entries`).Scan(&n)
	})
	if err != nil || n != 0 {
		t.Errorf("row-level security shows an administrator %d entries, %v", n, err)
	}
}
