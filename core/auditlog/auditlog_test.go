package auditlog

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type world struct {
	*Service
	database *pgtest.Database
	now      *time.Time
}

func setup(t *testing.T) world {
	t.Helper()
	at := time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC)
	w := world{database: pgtest.New(t), now: &at}
	w.Service = New(w.database.DB, func() time.Time { return at })
	return w
}

func (w world) staff(t *testing.T, name string) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: core.Staff, Moderator: true}
	for _, sql := range []string{
		`insert into accounts (id, email) values ($1, $2 || '@homeplace.test')`,
		`insert into profiles (account_id, username) values ($1, $2)`,
	} {
		if _, err := w.database.Exec(t, core.TheSystem(), sql, v.ID, name); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func (w world) record(t *testing.T, v core.Viewer, kind string) {
	t.Helper()
	err := w.database.Write(context.Background(), v, func(tx *pg.Tx) error {
		return w.RecordTx(context.Background(), tx, v, core.Ruling{Kind: kind, About: core.Target{Type: "app", ID: "a1"}, Title: "Bus Stops", Reason: "Because."})
	})
	if err != nil {
		t.Fatalf("record %s: %v", kind, err)
	}
}

func TestLogAndCounts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod := w.staff(t, "mod")
	w.record(t, mod, "app_published")
	w.record(t, core.TheSystem(), "app_hidden")
	*w.now = w.now.Add(time.Second) // April
	w.record(t, mod, "app_published")
	w.record(t, mod, "app_published")

	all, err := w.List(t.Context(), mod, Filter{})
	if err != nil || all.Total != 4 || len(all.Items) != 4 {
		t.Fatalf("the log is %+v, %v", all, err)
	}
	if first := all.Items[0]; first.Username != "mod" || first.Title != "Bus Stops" || first.Reason != "Because." || !first.CreatedAt.Equal(*w.now) {
		t.Errorf("the latest is %+v", first)
	}
	hidden, err := w.List(t.Context(), mod, Filter{Kind: "app_hidden"})
	if err != nil || hidden.Total != 1 || hidden.Items[0].AccountID != "" {
		t.Errorf("what was hidden is %+v, %v", hidden, err)
	}
	second, err := w.List(t.Context(), mod, Filter{Page: core.Page{Limit: 3, Offset: 3}})
	if err != nil || second.Total != 4 || len(second.Items) != 1 {
		t.Errorf("the second page is %+v, %v", second, err)
	}
	counts, err := w.Counts(t.Context())
	want := []Count{{Kind: "app_published", Decisions: 2}, {Kind: "app_hidden", Decisions: 1}, {Kind: "app_published", Decisions: 1}}
	if err != nil || len(counts) != len(want) {
		t.Fatalf("the counts are %+v, %v", counts, err)
	}
	for i, c := range counts {
		month := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		if i == 0 {
			month = month.AddDate(0, 1, 0)
		}
		if c.Kind != want[i].Kind || c.Decisions != want[i].Decisions || !c.Month.Equal(month) {
			t.Errorf("count %d is %+v, want %+v in %v", i, c, want[i], month)
		}
	}
	if kinds, err := w.Kinds(t.Context()); err != nil || strings.Join(kinds, " ") != "app_hidden app_published" {
		t.Errorf("the kinds are %v, %v", kinds, err)
	}
	*w.now = w.now.AddDate(1, 0, 0) // March is more than twelve months ago
	if counts, err := w.Counts(t.Context()); err != nil || len(counts) != 0 {
		t.Errorf("a year later the counts are %+v, %v", counts, err)
	}
}

func TestWhoReads(t *testing.T) {
	t.Parallel()
	w := setup(t)
	member := w.staff(t, "ada")
	member.Role = core.Member
	for who, c := range map[string]struct {
		viewer core.Viewer
		code   string
	}{"nobody": {core.Nobody(), "unauthenticated"}, "a member": {member, "not_allowed"}} {
		if _, err := w.List(t.Context(), c.viewer, Filter{}); err == nil || core.AsError(err).Code != c.code {
			t.Errorf("%s gets %v", who, err)
		}
	}
	if _, err := w.List(t.Context(), core.TheSystem(), Filter{Kind: "'; drop"}); core.KindOf(err) != core.Invalid {
		t.Errorf("a kind that is none gives %v", err)
	}
}

// Nobody changes the log, whatever the Go code asks for.
func TestNobodyChangesTheLog(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod, other := w.staff(t, "mod"), w.staff(t, "other")
	w.record(t, mod, "app_published")
	member := core.Viewer{ID: other.ID, Role: core.Member}
	forge := `insert into audit_log (id, account_id, kind, about_type, about_id, created_at) values (gen_random_uuid(), '` + mod.ID + `', 'app_hidden', 'app', 'a1', now())`
	for _, v := range []core.Viewer{core.Nobody(), member, other, core.TheSystem()} {
		for _, sql := range []string{`update audit_log set reason = ''`, `delete from audit_log`, `truncate audit_log`} {
			if _, err := w.database.Exec(t, v, sql); err == nil {
				t.Errorf("%s may %q", v.DatabaseRole(), sql)
			}
		}
		if v.Role == core.System {
			continue
		}
		if _, err := w.database.Exec(t, v, forge); !pg.Denied(err) {
			t.Errorf("%s writes in another's name: %v", v.DatabaseRole(), err)
		}
		if _, err := w.database.Exec(t, v, `update audit_counts set decisions = 99`); !pg.Denied(err) {
			t.Errorf("%s changes the counts: %v", v.DatabaseRole(), err)
		}
	}
	for _, sql := range []string{`update audit_log set reason = ''`, `delete from audit_log`, `truncate audit_log`} {
		if _, err := w.database.Owner(t).Exec(t.Context(), sql); err == nil {
			t.Errorf("the owner may %q", sql)
		}
	}
	for _, v := range []core.Viewer{core.Nobody(), member} {
		if _, err := w.database.Exec(t, v, `select account_id from audit_log`); !pg.Denied(err) {
			t.Errorf("%s reads the log: %v", v.DatabaseRole(), err)
		}
	}
}

// Many decide at once, on two instances: every decision is counted.
func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod := w.staff(t, "mod")
	second := New(w.database.Instance(t), w.Service.now)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			s := []*Service{w.Service, second}[i%2]
			err := s.db.Write(t.Context(), mod, func(tx *pg.Tx) error {
				return s.RecordTx(t.Context(), tx, mod, core.Ruling{Kind: []string{"app_hidden", "app_shown"}[i/2%2], About: core.Target{Type: "app", ID: "a1"}})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	counts, err := w.Counts(t.Context())
	if err != nil || len(counts) != 2 || counts[0].Decisions != 20 || counts[1].Decisions != 20 {
		t.Errorf("the counts are %+v, %v", counts, err)
	}
}
