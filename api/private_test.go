package api_test

import (
	"net/http/httptest"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	credentials "homeplace/core/bearer"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/points"
	"homeplace/core/sessions"
)

// private are the tables of things that belong to one account, with the query
// that counts those of it ($1). None of the queries below names an owner: only
// row-level security tells whose they are.
var private = map[string]string{
	"accounts":                `select count(*) from accounts where id = $1`,
	"personal_tokens":         `select count(*) from personal_tokens where account_id = $1`,
	"web_sessions":            `select count(*) from web_sessions where account_id = $1`,
	"program_sessions":        `select count(*) from program_sessions where account_id = $1`,
	"account_identities":      `select count(*) from account_identities where account_id = $1`,
	"points_wallets":          `select count(*) from points_wallets where account_id = $1`,
	"points_holds":            `select count(*) from points_holds h join points_wallets w on w.id = h.wallet_id where w.account_id = $1`,
	"points_transactions":     `select count(*) from points_transactions t join points_wallets w on w.id = t.wallet_id where w.account_id = $1`,
	"points_entries":          `select count(*) from points_entries e join points_wallets w on w.id = e.wallet_id where w.account_id = $1`,
	"directory_contributions": `select count(*) from directory_contributions where account_id = $1`,
	"apps":                    `select count(*) from apps where owner_id = $1`,
	"app_files":               `select count(*) from app_files f join apps a on a.id = f.app_id where a.owner_id = $1`,
	"app_file_versions":       `select count(*) from app_file_versions v join app_files f on f.id = v.file_id join apps a on a.id = f.app_id where a.owner_id = $1`,
	"app_submissions":         `select count(*) from app_submissions where account_id = $1`,
}

// seized are changes to everything that there is.
var seized = []string{
	`update accounts set role = 'admin'`, `delete from accounts`, `update profiles set bio = 'mine now'`,
	`update personal_tokens set revoked_at = now()`, `delete from personal_tokens`,
	`delete from web_sessions`, `update web_sessions set expires_at = now()`,
	`delete from program_sessions`, `update program_sessions set generation = 9`, `delete from account_identities`,
	`update points_wallets set balance = 0`, `update points_wallets set account_id = null`, `update points_holds set state = 'voided', settled_at = now()`,
	`delete from points_entries`, `delete from points_transactions`, `update points_standings set points = 0`,
	`update directory_contributions set status = 'withdrawn'`, `delete from directory_contributions`,
	`update directory_entries set name = 'mine now'`, `delete from directory_entries`,
	`update apps set name = 'mine now'`, `update apps set status = 'published'`, `delete from apps`, `update app_files set version = 1`,
	`delete from app_files`, `delete from app_file_versions`, `update app_submissions set status = 'withdrawn'`,
	`update app_submissions set status = 'approved'`, `delete from app_submissions`, `delete from app_schemas`,
}

// possessions gives an account something of everything.
func (w world) possessions(t *testing.T, name string) (v core.Viewer, token, jwt string) {
	t.Helper()
	v, token, _ = w.account(t, name, accounts.RoleMember, nil)
	w.cookie(t, v)
	pair, err := w.programs.Begin(t.Context(), sessions.Start{AccountID: v.ID, Origin: sessions.OriginPassword})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s's things: %v", name, err)
		}
	}
	must(err)
	_, err = w.database.Exec(t, core.TheSystem(), `insert into account_identities (id, account_id, issuer, subject) values ($1, $2, 'https://id.test', $3)`,
		pg.NewID(), v.ID, name)
	must(err)
	w.award(t, v, core.AwardListing, name)
	must(w.database.Write(t.Context(), v, func(tx *pg.Tx) error {
		_, err := w.points.HoldTx(t.Context(), tx, points.Spending{AccountID: v.ID, Amount: 3, Reason: "a_test", Detail: name})
		return err
	}))
	slug := name + "-draft"
	_, err = w.apps.Create(t.Context(), v, apps.Input{Slug: slug, Name: name})
	must(err)
	_, err = w.apps.Upload(t.Context(), v, slug, apps.UploadInput{Filename: "a.json", Content: []byte(`{}`)})
	must(err)
	must(w.apps.SetSchema(t.Context(), v, slug, "a.json", []byte(`{}`)))
	_, err = w.apps.Submit(t.Context(), v, slug, apps.SubmitInput{Filename: "a.json", Content: []byte(`[1]`)})
	must(err)
	offers := contributions.New(w.database.DB, core.Now, directory.New(w.database.DB, core.Now, geo.Builtin), w.points)
	_, err = offers.Offer(t.Context(), v, directory.Input{Kind: directory.KindBusiness, Name: name + "'s Oven", City: "Atlanta", Region: "GA"})
	must(err)
	return v, token, pair.AccessToken
}

// Whichever way a member comes in, what is another's can be neither read nor
// changed, even by statements that forgot to say whose things they mean.
func TestNobodyReachesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, token, jwt := w.possessions(t, "ada")
	bea, _, _ := w.possessions(t, "bea")
	bearers := credentials.New(w.accounts, w.programs, nil)
	viewers := map[string]core.Viewer{}
	for name, credential := range map[string]string{"personal token": token, "session JWT": jwt} {
		v, err := bearers.Authenticate(t.Context(), credential)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		viewers[name] = v
	}
	r := httptest.NewRequest("GET", base+"/api/me", nil)
	r.Header = w.cookie(t, ada)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	v, err := w.cookies.FromCookie(r)
	if err != nil || v.ID != ada.ID {
		t.Fatalf("session: %v, %v", v, err)
	}
	viewers["session"] = v

	const everything = `select count(*) from `
	before := map[string]int{}
	for table, mine := range private {
		before[table] = pgtest.Value[int](t, w.database, core.TheSystem(), mine, bea.ID)
		if before[table] == 0 {
			t.Errorf("%s: bea has nothing that could be taken", table)
		}
		for name, v := range viewers {
			seen := pgtest.Value[int](t, w.database, v, everything+table)
			if own := pgtest.Value[int](t, w.database, core.TheSystem(), mine, ada.ID); seen != own {
				t.Errorf("%s: by %s ada sees %d rows of %s, and has %d", table, name, seen, table, own)
			}
		}
	}
	state := w.stateOf(t, bea)
	for name, v := range viewers {
		for _, statement := range seized {
			if _, err := w.database.Exec(t, v, statement); err != nil && !pg.Denied(err) && core.KindOf(err) == core.Unavailable {
				t.Fatalf("%s by %s: %v", statement, name, err)
			}
		}
	}
	for table, mine := range private {
		if left := pgtest.Value[int](t, w.database, core.TheSystem(), mine, bea.ID); left != before[table] {
			t.Errorf("%s: bea has %d rows left of %d", table, left, before[table])
		}
	}
	if now := w.stateOf(t, bea); now != state {
		t.Errorf("bea's things changed:\n%s\nwere\n%s", now, state)
	}
}

// stateOf is what a change to the things of an account would show in.
func (w world) stateOf(t *testing.T, v core.Viewer) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(), `
		select concat_ws(' | ', a.role, p.bio,
			(select string_agg(coalesce(revoked_at::text, 'live'), ',') from personal_tokens where account_id = a.id),
			(select string_agg(generation::text || expires_at, ',' order by id) from program_sessions where account_id = a.id),
			(select string_agg(expires_at::text, ',' order by id) from web_sessions where account_id = a.id),
			(select string_agg(balance::text, ',' order by kind) from points_wallets where account_id = a.id),
			(select points from points_standings where account_id = a.id),
			(select string_agg(status, ',') from directory_contributions where account_id = a.id),
			(select string_agg(name || status, ',') from apps where owner_id = a.id),
			(select string_agg(status, ',') from app_submissions where account_id = a.id))
		from accounts a join profiles p on p.account_id = a.id
		where a.id = $1`, v.ID)
}
