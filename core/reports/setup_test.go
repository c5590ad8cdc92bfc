package reports

import (
	"context"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// shelf is a small area that lends its rows to reports: a slug and whose it is.
type shelf struct{}

func (shelf) ReportableTx(ctx context.Context, q pg.Querier, id string) (core.Reportable, error) {
	type row struct {
		Title, OwnerID string
		EditedAt       time.Time
		Hidden         bool
	}
	r, err := pg.One[row](ctx, q, `
		select name as title, coalesce(owner_id::text, '') as owner_id, updated_at as edited_at, hidden_at is not null as hidden
		from directory_entries where id = $1 and status = 'published'`, id)
	if pg.NoRows(err) {
		return core.Reportable{}, core.NotFoundf("none")
	}
	return core.Reportable{Title: r.Title, OwnerID: r.OwnerID, EditedAt: r.EditedAt, Hidden: r.Hidden}, err
}

func (shelf) HideTx(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `update directory_entries set hidden_at = now() where id = $1`, id)
	return err
}

func (shelf) RestoreTx(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `update directory_entries set hidden_at = null where id = $1`, id)
	return err
}

// book keeps rulings in the transaction's own order.
type book struct{}

func (book) RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error {
	_, err := tx.Exec(ctx, `
		insert into audit_log (id, account_id, kind, about_type, about_id, title, reason, created_at)
		values (gen_random_uuid(), nullif($1, '')::uuid, $2, $3, $4, $5, $6, clock_timestamp())`, v.ID, r.Kind, r.About.Type, r.About.ID, r.Title, r.Reason)
	return err
}

type world struct {
	*Service
	database *pgtest.Database
}

func setup(t *testing.T) world {
	t.Helper()
	w := world{database: pgtest.New(t)}
	w.Service = newService(w.database.DB)
	return w
}

func newService(db *pg.DB) *Service {
	return New(db, core.Now, Needs{Targets: map[Type]Targets{TypeEntry: shelf{}}, Audit: book{}})
}

// account makes an account by hand: that is another area's business.
func (w world) account(t *testing.T, name string, role core.Role) core.Viewer {
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

func (w world) members(t *testing.T, names ...string) (list []core.Viewer) {
	t.Helper()
	for _, name := range names {
		list = append(list, w.account(t, name, core.Member))
	}
	return list
}

// entry makes a public entry; owner may be nobody.
func (w world) entry(t *testing.T, slug string, owner core.Viewer) string {
	t.Helper()
	id := pg.NewID()
	if _, err := w.database.Exec(t, core.TheSystem(), `
		insert into directory_entries (id, slug, kind, name, owner_id) values ($1, $2, 'business', $2, nullif($3, '')::uuid)`, id, slug, owner.ID); err != nil {
		t.Fatal(err)
	}
	return id
}

func (w world) edit(t *testing.T, id string) {
	t.Helper()
	if _, err := w.database.Exec(t, core.TheSystem(), `update directory_entries set updated_at = clock_timestamp() where id = $1`, id); err != nil {
		t.Fatal(err)
	}
}

func about(id string) Input {
	return Input{Type: TypeEntry, TargetID: id, Category: "misleading", Detail: "It moved."}
}

// send reports and fails where that is refused.
func (w world) send(t *testing.T, v core.Viewer, id string) Outcome {
	t.Helper()
	out, err := w.Send(t.Context(), v, about(id))
	if err != nil {
		t.Fatalf("%s reports: %v", v.Username, err)
	}
	return out
}

func (w world) hidden(t *testing.T, id string) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.database, core.TheSystem(), `select hidden_at is not null from directory_entries where id = $1`, id)
}

func (w world) wantHidden(t *testing.T, what, id string, want bool) {
	t.Helper()
	if got := w.hidden(t, id); got != want {
		t.Errorf("%s: hidden is %v, want %v", what, got, want)
	}
}

// decideAt decides in a transaction of its own, as the desk does.
func decideAt(t *testing.T, db *pg.DB, d Desk, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = db.Write(t.Context(), v, func(tx *pg.Tx) error {
		done, err = d.DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) decided(t *testing.T, v core.Viewer, id string, action core.Action, reason string) core.Done {
	t.Helper()
	done, err := decideAt(t, w.database.DB, w.Desk(), v, id, action, reason)
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	return done
}

func (w world) undo(t *testing.T, v core.Viewer, id string, done core.Done) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, done.Memo) })
}

// laidOut is a case as the desk shows it.
func (w world) laidOut(t *testing.T, v core.Viewer, id string) (c core.Case) {
	t.Helper()
	err := w.database.Read(t.Context(), v, func(q pg.Querier) (err error) {
		c, err = w.Desk().CaseTx(t.Context(), q, v, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
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
