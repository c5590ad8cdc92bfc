package main

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeplace/core/llm/llmtest"
	"homeplace/core/pg/local"
	"homeplace/core/pgtest"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := "--database-url=" + d.URL
	rows := strings.ReplaceAll(full, `,"owner":"ada"`, "")
	homeplaceWith(t, rows, "import", "directory", "-", db).want(t, 0, "6 new")
	homeplace(t, "user", "create", db, "--email", "ada@example.org", "--username", "ada", "--password", "correct horse").want(t, 0)
	homeplace(t, "user", "points", "ada", "12", "--reason", "Painted the fence", db).want(t, 0)
	homeplace(t, "doctor", db).want(t, 0, "schema is up to date", "role that owns nothing", "3 public entries",
		"the points add up: 1 transactions, each proved", "everything is in order")

	for _, tt := range []struct{ damage, finding, cure string }{
		{`delete from search_documents where entry_id = (select id from directory_entries where slug = 'bare')`,
			"3 public entries, 2 documents, 0 stray, 0 miscounted", "search reindex"},
		{`update directory_counts set entries = entries + 1 where kind = 'landmark'`, "3 documents, 0 stray, 1 miscounted", "search reindex"},
		{`alter table directory_entries disable trigger user;
		  update directory_entries set hidden_at = now() where slug = 'bare';
		  alter table directory_entries enable trigger user`, "2 public entries, 3 documents, 1 stray", "search reindex"},
		{`insert into gazetteers values ('imported', 'broken')`, "the gazetteer cannot be read", "geo reset"},
	} {
		if _, err := d.Owner(t).Exec(t.Context(), tt.damage); err != nil {
			t.Fatal(err)
		}
		homeplace(t, "doctor", db).want(t, 1, "WRONG", tt.finding, "to mend it", tt.cure, "1 things need mending")
		homeplace(t, append(strings.Fields(tt.cure), db)...).want(t, 0)
		homeplace(t, "doctor", db).want(t, 0, "everything is in order")
	}

	if _, err := d.Owner(t).Exec(t.Context(), `
		set session_replication_role = replica;
		update points_wallets set balance = 13 where kind = 'member';
		update points_standings set points = 14`); err != nil {
		t.Fatal(err)
	}
	homeplace(t, "doctor", db).want(t, 1, "holds 13, but its entries sum to 12", "stands at 14 on the leaderboard, but has earned 12",
		"restore a backup", "2 things need mending")
}

func TestDoctor_model(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := "--database-url=" + d.URL
	model := llmtest.New(t)
	set := func(key, value string) { homeplace(t, "settings", "set", key, value, db).want(t, 0) }
	examine := func(code int, texts ...string) {
		t.Helper()
		o := homeplace(t, "doctor", db)
		o.want(t, code, texts...)
		if strings.Contains(o.out+o.messages, llmtest.Key) {
			t.Errorf("it tells the key: %s%s", o.out, o.messages)
		}
	}
	examine(0, "no language model: people decide")
	set("llm_model", llmtest.Model)
	examine(1, "set up by half", "llm_base_url")
	set("llm_base_url", model.Options().BaseURL)
	examine(1, llmtest.Model+" gives no verdicts", "401 Unauthorized; check llm_api_key")
	set("llm_api_key", llmtest.Key)
	examine(0, llmtest.Model+" gives verdicts as it should", "everything is in order")
	if o := homeplace(t, "settings", "list", db); !strings.Contains(o.out, "llm_api_key = ••••••••") {
		t.Errorf("the key is not masked: %s", o.out)
	}
	model.Answer(llmtest.Say("I think it is fine."))
	examine(1, "gives no valid verdict", "people decide")
	set("llm_base_url", "http://127.0.0.1:1/v1")
	examine(1, "gives no verdicts", "connection refused")
}

func TestDoctor_noDatabase(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // its address is free again below
	if err != nil {
		t.Fatal(err)
	}
	silent.Close()
	unreachable := "postgres://ada:secret-word@" + silent.Addr().String() + "/db"
	for _, args := range [][]string{{"doctor"}, {"serve", "--addr", "127.0.0.1:0"}, {"migrate", "up"}, {"export", "directory"}} {
		begun := time.Now()
		o := homeplace(t, append(args, "--database-url", unreachable)...)
		o.want(t, 1, "cannot be reached")
		if strings.Contains(o.out+o.messages, "secret-word") {
			t.Errorf("%v tells the password: %s%s", args, o.out, o.messages)
		}
		if took := time.Since(begun); took > slowdown*10*time.Second {
			t.Errorf("%v took %v", args, took)
		}
	}
	homeplace(t, "doctor", "--database-url", "not an address").want(t, 1, "WRONG")
	occupied := filepath.Join(dataDir(t), "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	homeplace(t, "doctor", "--data-dir", filepath.Join(occupied, "below")).want(t, 1, "data directory cannot be written", "--data-dir")
}

// A database as a provider gives it: an owner that is no superuser.
func TestDatabaseURL_ordinaryOwner(t *testing.T) {
	t.Parallel()
	server, err := local.Start(t.Context(), local.Options{Dir: dataDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(t.Context())
	d := pgtest.Database{URL: server.URL()}
	conn := d.Owner(t)
	for _, statement := range []string{`create role keeper login createrole`, `create database theirs owner keeper`,
		`create role pauper login`, `create database poor owner pauper`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	db := "--database-url=" + server.URLFor("keeper", "theirs")
	homeplace(t, "migrate", "up", db).want(t, 0)
	p := serve(t, db, "--demo", "--database-read-url", server.URLFor("keeper", "theirs"))
	homeplaceWith(t, `{"kind":"business","name":"Theirs"}`, "import", "directory", "-", db).want(t, 0, "1 new")
	eventually(t, "the row", func() bool { return p.total(t, everything) == 161 })
	homeplace(t, "search", "reindex", db).want(t, 0, "161 entries")
	homeplace(t, "doctor", db).want(t, 0, "everything is in order")

	poor := server.URLFor("pauper", "poor")
	homeplace(t, "export", "directory", "--database-url", poor).want(t, 1, `"pauper" may not set up the database`, "createrole")
	address, err := url.Parse(server.URLFor("keeper", "nowhere"))
	if err != nil {
		t.Fatal(err)
	}
	homeplace(t, "doctor", "--database-url", address.String()).want(t, 1, "WRONG", "nowhere")
}
