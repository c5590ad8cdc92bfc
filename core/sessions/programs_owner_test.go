package sessions

import (
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// A browser and the programs that it signed in never log each other out.
func TestBrowserAndItsPrograms(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	browser := w.open(t, w.ada, "browser")
	w.at(time.Hour)
	child, err := w.Begin(t.Context(), Start{AccountID: w.ada.ID, Origin: OriginBrowser, Browser: browser, UserAgent: "Porch/1.0", AddressKey: "192.0.2.7"})
	if err != nil {
		t.Fatal(err)
	}
	if proof, err := w.Authenticate(t.Context(), child.AccessToken); err != nil || proof.Origin != OriginBrowser || !proof.SignedInAt.Equal(start) {
		t.Errorf("the child proves %+v, %v; its owner showed who they are at %v", proof, err, start)
	}
	list, err := w.List(t.Context(), w.ada)
	if err != nil || len(list) != 2 || list[0] != (Session{ID: child.SessionID, Origin: OriginBrowser, CreatedAt: start.Add(time.Hour),
		LastSeenAt: start.Add(time.Hour), ExpiresAt: start.Add(time.Hour + 90*day), UserAgent: "Porch/1.0", AddressKey: "192.0.2.7"}) ||
		list[1].ID != browser || list[1].Origin != "" {
		t.Fatalf("List = %+v, %v", list, err)
	}
	if err := w.Close(t.Context(), hash("browser")); err != nil {
		t.Fatal(err)
	}
	if !proves(t, w.Programs, child, "") {
		t.Error("signing out of the browser ends the program")
	}
	if _, err := w.Refresh(t.Context(), child.RefreshToken, "Porch on a telephone"); err != nil {
		t.Fatal(err)
	}
	if list, err := w.List(t.Context(), w.ada); err != nil || len(list) != 1 || list[0].UserAgent != "Porch on a telephone" {
		t.Errorf("after the program took over, List = %+v, %v", list, err)
	}
	if _, err := w.Begin(t.Context(), Start{AccountID: w.ada.ID, Origin: OriginBrowser, Browser: browser}); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("a browser that is signed out hands over: %v", err)
	}
	w.open(t, w.ada, "second")
	if err := w.End(t.Context(), w.ada, child.SessionID); err != nil {
		t.Fatal(err)
	}
	if !w.alive(t, "second") {
		t.Error("ending the program signs a browser out")
	}
}

func TestEndingStopsTokensOnEveryInstance(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	other := w.instance(t, w.world.db.Instance(t))
	end := map[string]func(p Pair) error{
		"End":       func(p Pair) error { return w.End(t.Context(), w.ada, p.SessionID) },
		"EndOthers": func(Pair) error { _, err := w.EndOthers(t.Context(), w.ada, ""); return err },
		"EndAllTx": func(Pair) error {
			return w.world.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
				_, err := w.EndAllTx(t.Context(), tx, w.ada.ID, "")
				return err
			})
		},
		"EndPrograms": func(Pair) error { _, err := w.EndPrograms(t.Context(), core.TheSystem()); return err },
	}
	for name, ends := range end {
		p := w.begin(t, w.ada)
		if !proves(t, other, p, "") {
			t.Fatalf("%s: the token does not work to begin with", name)
		}
		if err := ends(p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if proves(t, other, p, "session_not_found") {
			t.Errorf("%s: the token works on the other instance", name)
		}
		w.refuses(t, p.RefreshToken, "session_not_found")
	}
	if _, err := w.EndPrograms(t.Context(), w.ada); core.KindOf(err) != core.Forbidden {
		t.Errorf("a member ends everybody's programs: %v", err)
	}
}

func TestEndOthersKeepsAProgram(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	kept, ended, others := w.begin(t, w.ada), w.begin(t, w.ada), w.begin(t, w.eve)
	w.open(t, w.ada, "browser")
	if n, err := w.EndOthers(t.Context(), w.ada, kept.SessionID); n != 2 || err != nil {
		t.Errorf("EndOthers = %d, %v, want 2", n, err)
	}
	if !proves(t, w.Programs, kept, "") || proves(t, w.Programs, ended, "session_not_found") || !proves(t, w.Programs, others, "") || w.alive(t, "browser") {
		t.Error("EndOthers ends what it should keep, or keeps what it should end")
	}
	if err := w.End(t.Context(), w.eve, kept.SessionID); core.KindOf(err) != core.NotFound {
		t.Errorf("somebody else ends it with %v", err)
	}
}

func TestProgramsGoWithTheirAccount(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	p := w.begin(t, w.ada)
	if _, err := w.world.db.Exec(t, core.TheSystem(), `delete from accounts where id = $1`, w.ada.ID); err != nil {
		t.Fatal(err)
	}
	if proves(t, w.Programs, p, "session_not_found") || w.programs(t) != 0 {
		t.Error("a session outlives its account")
	}
}

// What only the policies stand in the way of.
func TestRowLevelSecurityOfPrograms(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	w.begin(t, w.ada)
	staff := core.Viewer{ID: w.eve.ID, Role: core.Staff, Moderator: true, Admin: true}
	for name, v := range map[string]core.Viewer{"member": w.eve, "staff": staff} {
		if n := pgtest.Value[int](t, w.world.db, v, `select count(id) from program_sessions`); n != 0 {
			t.Errorf("%s sees %d sessions of others", name, n)
		}
		if n, err := w.world.db.Exec(t, v, `delete from program_sessions`); err != nil || n != 0 {
			t.Errorf("%s deletes %d sessions of others, %v", name, n, err)
		}
	}
	insert := `insert into program_sessions (id, account_id, origin, created_at, signed_in_at, last_used_at, refreshed_at, expires_at)
		values (gen_random_uuid(), '` + w.ada.ID + `', 'password', now(), now(), now(), now(), now() + interval '1 day')`
	for _, sql := range []string{`select generation from program_sessions`, `select * from program_sessions`,
		`update program_sessions set expires_at = now()`, `update program_sessions set generation = 1`, insert} {
		for name, v := range map[string]core.Viewer{"owner": w.ada, "staff": staff, "anonymous": core.Nobody()} {
			if _, err := w.world.db.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v, want 42501", name, sql, err)
			}
		}
	}
	for _, sql := range []string{`select id from program_sessions`, `delete from program_sessions`} {
		if _, err := w.world.db.Exec(t, core.Nobody(), sql); !pg.Denied(err) {
			t.Errorf("anonymous: %s gives %v, want 42501", sql, err)
		}
	}
	if n, err := w.world.db.Exec(t, w.ada, `delete from program_sessions`); err != nil || n != 1 {
		t.Errorf("the owner deletes %d sessions, %v, want 1", n, err)
	}
}
