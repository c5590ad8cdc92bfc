package blocks

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/auditlog"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/settings"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const here = "203.0.113.9"

type world struct {
	*Service
	database *pgtest.Database
	settings *settings.Service
	now      *atomic.Int64 // in seconds
}

func setup(t testing.TB) world {
	t.Helper()
	w := world{database: pgtest.New(t), now: new(atomic.Int64)}
	w.now.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Unix())
	w.settings = settings.New(w.database.DB)
	w.Service = w.instance(w.database.DB)
	return w
}

func (w world) clock() time.Time { return time.Unix(w.now.Load(), 0).UTC() }

func (w world) instance(db *pg.DB) *Service {
	return New(db, w.clock, Needs{Settings: w.settings, Audit: auditlog.New(db, w.clock)})
}

func (w world) pass(d time.Duration) { w.now.Add(int64(d / time.Second)) }

// account makes an account by hand: that is another area's business.
func (w world) account(t testing.TB, name string, role core.Role) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: role, Moderator: role == core.Staff}
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

// block blocks an address in a transaction of the caller, as an area would that
// finds abuse in what the caller sent.
func (w world) block(t testing.TB, s *Service, caller, by core.Viewer, a core.Abuse) bool {
	t.Helper()
	var blocked bool
	err := w.database.Write(context.Background(), caller, func(tx *pg.Tx) (err error) {
		blocked, err = s.BlockTx(context.Background(), tx, by, a)
		return err
	})
	if err != nil {
		t.Fatalf("block %s: %v", a.From.AddressKey, err)
	}
	return blocked
}

func abuse(key string) core.Abuse {
	return core.Abuse{From: core.Origin{AddressKey: key}, Reason: "A threat.", About: core.Target{Type: "saying", ID: "s1"}}
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if code == "" && err == nil {
		return
	}
	if code == "" || err == nil || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want %q", what, err, code)
	}
}

// A day, seven days, thirty; after a year it begins anew.
func TestBlocksGrow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.instance(w.database.Instance(t))
	wantCode(t, "nobody is blocked", w.Ensure(t.Context(), here), "")
	for i, days := range []int{1, 7, 30, 30} {
		if !w.block(t, w.Service, core.Nobody(), core.TheSystem(), abuse(here)) {
			t.Fatalf("block %d was not made", i+1)
		}
		if w.block(t, other, core.Nobody(), core.TheSystem(), abuse(here)) {
			t.Errorf("block %d was made twice", i+1)
		}
		err := other.Ensure(t.Context(), here)
		wantCode(t, "a blocked address", err, "address_blocked")
		until := w.clock().AddDate(0, 0, days)
		if e := core.AsError(err); e.Kind != core.Forbidden || !strings.Contains(e.Msg, until.Format("2 January 2006, 15:04")) || e.Details["blocked_until"] != until.Format(time.RFC3339) {
			t.Errorf("block %d says %q, %v, want until %v", i+1, e.Msg, e.Details, until)
		}
		w.pass(time.Duration(days)*24*time.Hour - time.Second)
		wantCode(t, "a second before it ends", w.Ensure(t.Context(), here), "address_blocked")
		w.pass(time.Second)
		wantCode(t, "once it is over", other.Ensure(t.Context(), here), "")
	}
	w.pass(366 * 24 * time.Hour)
	w.block(t, w.Service, core.Nobody(), core.TheSystem(), abuse(here))
	w.pass(24 * time.Hour)
	wantCode(t, "a day after a quiet year", w.Ensure(t.Context(), here), "")
}

func TestWhoIsNeverBlocked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	shared := abuse(here)
	shared.From.Shared = true
	for what, a := range map[string]core.Abuse{"a shared address": shared, "no address": abuse(""), "an unknown one": abuse("unknown")} {
		if w.block(t, w.Service, core.Nobody(), core.TheSystem(), a) {
			t.Errorf("%s is blocked", what)
		}
		wantCode(t, what, w.Ensure(t.Context(), a.From.AddressKey), "")
	}
	w.block(t, w.Service, core.Nobody(), core.TheSystem(), abuse("2001:db8:1:2::/64"))
	wantCode(t, "the network", w.Ensure(t.Context(), "2001:db8:1:2::/64"), "address_blocked")
	wantCode(t, "its neighbour", w.Ensure(t.Context(), "2001:db8:1:3::/64"), "")
}

func TestAppeal(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.block(t, w.Service, core.Nobody(), core.TheSystem(), abuse(here))
	if msg := core.AsError(w.Ensure(t.Context(), here)).Msg; !strings.Contains(msg, "Homeplace") {
		t.Errorf("without a contact it says %q", msg)
	}
	if err := w.settings.Set(t.Context(), core.TheSystem(), "contact_email", "hello@porch.test"); err != nil {
		t.Fatal(err)
	}
	if msg := core.AsError(w.Ensure(t.Context(), here)).Msg; !strings.Contains(msg, "hello@porch.test") {
		t.Errorf("with a contact it says %q", msg)
	}
}

func TestListAndLift(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.account(t, "ada", core.Member), w.account(t, "mod", core.Staff)
	w.block(t, w.Service, mod, mod, abuse(here))
	w.block(t, w.Service, ada, core.TheSystem(), abuse("198.51.100.4"))
	for who, c := range map[string]struct {
		viewer core.Viewer
		code   string
	}{"nobody": {core.Nobody(), "unauthenticated"}, "a member": {ada, "not_allowed"}, "a moderator": {mod, ""}, "the zero viewer": {core.Viewer{}, "unauthenticated"}} {
		_, err := w.List(t.Context(), c.viewer, core.Page{})
		wantCode(t, who+" lists", err, c.code)
		if c.code != "" {
			wantCode(t, who+" lifts", w.Lift(t.Context(), c.viewer, pg.NewID(), "A mistake."), c.code)
		}
	}
	list, err := w.List(t.Context(), mod, core.Page{})
	if err != nil || list.Total != 2 || len(list.Items) != 2 {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	var mine Block
	for _, b := range list.Items {
		if b.AddressKey == here {
			mine = b
		}
	}
	if mine.BlockedBy != "mod" || mine.Reason != "A threat." || mine.Times != 1 || !mine.Standing(w.clock()) || *mine.AboutType != "saying" {
		t.Errorf("the block is %+v", mine)
	}
	wantCode(t, "without a reason", w.Lift(t.Context(), mod, mine.ID, " "), "validation_failed")
	wantCode(t, "nothing", w.Lift(t.Context(), mod, "x", "A mistake."), "not_found")
	wantCode(t, "nothing of that id", w.Lift(t.Context(), mod, pg.NewID(), "A mistake."), "not_found")
	wantCode(t, "lifting", w.Lift(t.Context(), mod, mine.ID, "A mistake."), "")
	wantCode(t, "lifting again", w.Lift(t.Context(), mod, mine.ID, "A mistake."), "already_over")
	wantCode(t, "the address", w.Ensure(t.Context(), here), "")
	w.block(t, w.Service, core.Nobody(), core.TheSystem(), abuse(here))
	w.pass(24 * time.Hour)
	wantCode(t, "the next one lasts a day again", w.Ensure(t.Context(), here), "")
	kinds := pgtest.Value[string](t, w.database, core.TheSystem(), `select string_agg(kind, ' ' order by created_at, id) from audit_log`)
	if kinds != "address_blocked address_blocked block_lifted address_blocked" {
		t.Errorf("the log holds %s", kinds)
	}
}

// Many find the same abuse at once, on two instances: one block is made.
func TestOneBlockAtATime(t *testing.T) {
	t.Parallel()
	w := setup(t)
	instances := []*Service{w.Service, w.instance(w.database.Instance(t))}
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if w.block(t, instances[i%2], core.Nobody(), core.TheSystem(), abuse(here)) {
				made.Add(1)
			}
		})
	}
	wg.Wait()
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from address_blocks where times = 1`); made.Load() != 1 || n != 1 {
		t.Errorf("%d blocks were made, %d are there", made.Load(), n)
	}
}

// What the Go code never asks for, the database refuses all the same.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.account(t, "ada", core.Member), w.account(t, "mod", core.Staff)
	w.block(t, w.Service, core.Nobody(), core.TheSystem(), abuse(here))
	const forge = `insert into address_blocks (id, address_key, reason, blocked_at, until, times) values (gen_random_uuid(), '10.0.0.1', 'x', now(), now() + interval '1 day', 1)`
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		for _, sql := range []string{`select address_key from address_blocks`, `update address_blocks set lifted_at = now()`, `delete from address_blocks`, forge} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s may %q: %v", v.DatabaseRole(), sql, err)
			}
		}
	}
	for _, sql := range []string{forge, `delete from address_blocks`, `update address_blocks set until = now()`,
		`update address_blocks set lifted_at = now(), lift_reason = 'x', lifted_by = '` + ada.ID + `'`} {
		if _, err := w.database.Exec(t, mod, sql); !pg.Denied(err) {
			t.Errorf("staff may %q: %v", sql, err)
		}
	}
}

// BenchmarkEnsure is what every write pays.
func BenchmarkEnsure(b *testing.B) {
	w := setup(b)
	if _, err := w.database.Exec(b, core.TheSystem(), `
		insert into address_blocks (id, address_key, reason, blocked_at, until, times)
		select gen_random_uuid(), '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 'x', $1::timestamptz, $1::timestamptz + interval '1 day', 1
		from generate_series(1, 100000) n`, w.clock()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := w.Ensure(b.Context(), here); err != nil {
			b.Fatal(err)
		}
	}
}
