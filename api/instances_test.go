package api_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"homeplace/core/accounts"
	"homeplace/core/pg"
)

func TestWriteOnOneInstanceShowsOnTheOther(t *testing.T) {
	t.Parallel()
	w := setup(t)
	listen(t, w.database.DB)
	second := newInstance(t, w.database.Instance(t))
	targets := map[string]int{"/api/directory/businesses": 0, "/api/directory/search?q=porch": 0, "/api/directory/businesses?letter=p": 0}
	warm := func() {
		for target, want := range targets {
			for range 2 {
				if p := read[page](t, w.get(t, target), http.StatusOK); p.Total != want {
					t.Errorf("%s has %d, want %d", target, p.Total, want)
				}
			}
			if age := w.get(t, target).header.Get("Age"); age == "" {
				t.Errorf("%s does not come from the cache", target)
			}
		}
	}
	warm()
	refused(t, w.get(t, "/api/directory/businesses/porch-swing"), http.StatusNotFound, "not_found", "")
	second.load(t, `{"kind":"business","slug":"porch-swing","name":"Porch Swing"}`)
	for target := range targets {
		if p := read[page](t, second.get(t, target), http.StatusOK); p.Total != 1 {
			t.Errorf("the writing instance itself shows %d at %s", p.Total, target)
		}
		eventually(t, target, func() bool { return read[page](t, w.get(t, target), http.StatusOK).Total == 1 })
		targets[target] = 1
	}
	warm()
	entry := read[map[string]any](t, w.get(t, "/api/directory/businesses/porch-swing"), http.StatusOK)
	second.load(t, `{"kind":"business","slug":"porch-swing","name":"Porch Swing & Sons"}`)
	eventually(t, "the new name", func() bool {
		changed := read[map[string]any](t, w.get(t, "/api/directory/businesses/porch-swing"), http.StatusOK)
		return changed["name"] == "Porch Swing & Sons" && changed["id"] == entry["id"]
	})
}

// listen hears other instances until the test ends; it is connected when
// listen returns.
func listen(t *testing.T, db *pg.DB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done, connected := make(chan struct{}), make(chan struct{}, 1)
	db.OnChange(func(area string) {
		if area == pg.Everything {
			select {
			case connected <- struct{}{}:
			default:
			}
		}
	})
	go func() {
		defer close(done)
		db.Listen(ctx, slog.New(slog.NewTextHandler(io.Discard, nil)))
	}()
	t.Cleanup(func() { stop(); <-done })
	select {
	case <-connected:
	case <-time.After(10 * time.Second):
		t.Fatal("no connection that listens")
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within two seconds", what)
		}
	}
}

func TestDatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	line := newLine(t, w.database.URL)
	in := newInstance(t, line.open(t))
	kept := in.get(t, "/api/directory/businesses")
	line.cut()
	unavailable(t, in, token)
	if a := in.get(t, "/api/directory/businesses"); a.header.Get("ETag") != kept.header.Get("ETag") {
		t.Errorf("what the cache holds gives %d", a.status)
	}
	if a := in.get(t, "/api/geocode/zip?zip=30303"); a.status != http.StatusOK {
		t.Errorf("geocoding gives %d without a database", a.status)
	}
	line.mend()
	if a := in.get(t, "/api/directory/businesses?q=heron"); a.status != http.StatusOK {
		t.Errorf("with the database back: %d", a.status)
	}
	if a := in.get(t, "/api/me", bearer(token)); a.status != http.StatusOK {
		t.Errorf("with the database back the account gives %d", a.status)
	}
}

func TestClosedDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	second := w.database.Instance(t)
	in := newInstance(t, second)
	second.Close()
	unavailable(t, in, token)
}

// unavailable asks everything that needs the database.
func unavailable(t *testing.T, in instance, token string) {
	t.Helper()
	for _, target := range []string{"/api/directory/search?q=new", "/api/directory/search?q=", "/api/directory/businesses?q=new", "/api/directory/businesses/nothing",
		"/api/directory/places/nothing", "/api/apps?q=new", "/api/apps/nothing", "/api/apps/nothing/files", "/api/apps/nothing/data/a.json", "/api/me"} {
		a := in.get(t, target, bearer(token))
		f := refused(t, a, http.StatusServiceUnavailable, "unavailable", "")
		if a.header.Get("Retry-After") == "" || f.RetryAfter < 1 || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Retry-After is %q, retry_after %d, Cache-Control %q", target, a.header.Get("Retry-After"), f.RetryAfter, a.header.Get("Cache-Control"))
		}
	}
	notOK(t, "a submission", in.submit(t, toStops, token, body("a.json", `{}`)), http.StatusServiceUnavailable, "unavailable", "")
}
