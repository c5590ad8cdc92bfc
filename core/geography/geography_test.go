package geography_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"homeplace/core"
	"homeplace/core/geo"
	"homeplace/core/geography"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// fields joins the columns of a gazetteer layout.
func fields(columns ...string) string { return strings.Join(columns, "\t") + "\n" }

var (
	zips = fields("US", "00601", "Newtown", "Puerto Rico", "PR", "Newtown County", "001", "", "", "18.18", "-66.75", "4") + "broken\n"
	town = fields("1", "Newtown", "Newtown", "", "18.18", "-66.75", "P", "PPL", "PR", "", "00", "", "", "", "120000", "", "10", "America/Puerto_Rico", "2026-01-01")
)

func source(name, text string) *geography.Source {
	return &geography.Source{Name: name, Read: strings.NewReader(text)}
}

// cityOf is the city of Puerto Rico's first ZIP: Adjuntas in the built-in table.
func cityOf(s *geography.Service) string {
	z, _ := s.Current().ZIP("00601")
	return z.City
}

const builtin, imported = "Adjuntas", "Newtown"

func importZIPs(t *testing.T, s *geography.Service) {
	t.Helper()
	if _, err := s.Import(t.Context(), core.TheSystem(), source("US.txt", zips), nil); err != nil {
		t.Fatal(err)
	}
}

func TestImportAndReset(t *testing.T) {
	t.Parallel()
	s := geography.New(pgtest.New(t).DB)
	state := func(wantCity string, wantImported bool) {
		t.Helper()
		is, err := s.Imported(t.Context())
		if city := cityOf(s); city != wantCity || is != wantImported || err != nil {
			t.Errorf("00601 is %s, imported %t, %v; want %s, %t", city, is, err, wantCity, wantImported)
		}
	}
	state(builtin, false)
	reports, err := s.Import(t.Context(), core.TheSystem(), source("US.txt", zips), source("cities.txt", town))
	if err != nil || len(reports) != 2 || reports[0].Kept != 1 || reports[0].Bad != 1 || reports[1].Kept != 1 {
		t.Fatalf("the reports are %+v, %v", reports, err)
	}
	state(imported, true)
	if z, ok := s.Current().ZIP("30303"); !ok || z.City != "Atlanta" {
		t.Errorf("a state that the file does not name has lost its codes: %+v", z)
	}
	if city, ok := s.Current().City("Newtown", "PR"); !ok || city.Lat != 18.18 {
		t.Errorf("the city is %+v", city)
	}
	if err := s.Reset(t.Context(), core.TheSystem()); err != nil {
		t.Fatal(err)
	}
	state(builtin, false)
	if err := s.Reset(t.Context(), core.TheSystem()); err != nil {
		t.Errorf("a second reset: %v", err)
	}
}

func TestImport_leavesAllAsItWasWhenItFails(t *testing.T) {
	t.Parallel()
	s := geography.New(pgtest.New(t).DB)
	importZIPs(t, s)
	broken := errors.New("the disk is gone")
	for name, tt := range map[string]struct {
		zips, cities *geography.Source
		told         string
	}{
		"no ZIP in it":      {source("a.txt", "nothing\n"), nil, "a.txt"},
		"empty":             {source("b.txt", ""), nil, "b.txt"},
		"good, then broken": {source("US.txt", zips), source("c.txt", "nothing\n"), "c.txt"},
		"unreadable":        {&geography.Source{Name: "d.txt", Read: iotest.ErrReader(broken)}, nil, "d.txt"},
	} {
		if _, err := s.Import(t.Context(), core.TheSystem(), tt.zips, tt.cities); err == nil || !strings.Contains(err.Error(), tt.told) {
			t.Errorf("%s: %v, want an error that names %s", name, err, tt.told)
		}
		if city := cityOf(s); city != imported {
			t.Errorf("%s: 00601 is %s", name, city)
		}
	}
}

func TestOnlyTheSystemImports(t *testing.T) {
	t.Parallel()
	s := geography.New(pgtest.New(t).DB)
	for _, v := range []core.Viewer{core.Nobody(), {ID: "x", Role: core.Member}, {ID: "x", Role: core.Staff, Admin: true}} {
		_, err := s.Import(t.Context(), v, source("US.txt", zips), nil)
		if err == nil || core.KindOf(err) != core.Forbidden {
			t.Errorf("Import by %s gives %v", v.Role, err)
		}
		if err := s.Reset(t.Context(), v); err == nil || core.KindOf(err) != core.Forbidden {
			t.Errorf("Reset by %s gives %v", v.Role, err)
		}
	}
}

func TestSeenByASecondInstance(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	near, other := geography.New(d.DB), d.Instance(t)
	far := geography.New(other)
	ctx, stop := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { other.Listen(ctx, slog.New(slog.DiscardHandler)) })
	t.Cleanup(func() { stop(); listening.Wait() })

	eventually := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Second); cityOf(far) != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("00601 is still %s on the other instance", cityOf(far))
			}
		}
	}
	eventually(builtin)
	importZIPs(t, near)
	eventually(imported)
	if err := near.Reset(t.Context(), core.TheSystem()); err != nil {
		t.Fatal(err)
	}
	eventually(builtin)
}

func TestCurrent_fallsBack(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	s := geography.New(d.DB)
	if _, err := d.Owner(t).Exec(t.Context(), `insert into gazetteers (name, data) values ('imported', 'broken')`); err != nil {
		t.Fatal(err)
	}
	if s.Current() != geo.Builtin() {
		t.Error("a broken table is in use")
	}
	if is, err := s.Imported(t.Context()); !is || err == nil {
		t.Errorf("a broken table is told as %t, %v", is, err)
	}
	importZIPs(t, s)
	if city := cityOf(s); city != imported {
		t.Errorf("after an import 00601 is %s", city)
	}

	closed := d.Instance(t)
	away := geography.New(closed)
	closed.Close()
	if away.Current() != geo.Builtin() {
		t.Error("without a database it is not the built-in table")
	}
}
