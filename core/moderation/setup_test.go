package moderation_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/auditlog"
	"homeplace/core/blocks"
	"homeplace/core/llm"
	"homeplace/core/moderation"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/settings"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	harmless   = "Come by on Saturday, we fry fish behind the church."
	borderline = "Check out my channel and follow me on everything"
	abusive    = "All immigrants are vermin and should be exterminated, go kill yourself"
)

// answers is a model that says one thing.
type answers struct {
	configured bool
	verdict    llm.Verdict
	err        error
	asked      *int
}

func (a answers) Configured() bool { return a.configured }

func (a answers) Moderate(context.Context, string) (llm.Verdict, error) {
	*a.asked++
	return a.verdict, a.err
}

// world is the pipeline over a database of its own.
type world struct {
	*moderation.Service
	database *pgtest.Database
	blocks   *blocks.Service
	settings *settings.Service
	ahead    *atomic.Int64 // of the wall clock, in nanoseconds
}

func setup(t testing.TB) world {
	t.Helper()
	w := world{database: pgtest.New(t), ahead: new(atomic.Int64)}
	w.settings = settings.New(w.database.DB)
	w.blocks = blocks.New(w.database.DB, w.clock, blocks.Needs{Settings: w.settings, Audit: auditlog.New(w.database.DB, w.clock)})
	w.Service = w.instance(w.database.DB, answers{})
	return w
}

func (w world) clock() time.Time { return core.Now().Add(time.Duration(w.ahead.Load())) }

func (w world) pass(d time.Duration) { w.ahead.Add(int64(d)) }

// model is what the pipeline asks about the borderline.
type model interface {
	Configured() bool
	Moderate(ctx context.Context, text string) (llm.Verdict, error)
}

func (w world) instance(db *pg.DB, m model) *moderation.Service {
	return moderation.New(db, w.clock, moderation.Needs{Settings: w.settings, Model: m, Blocks: w.blocks, Audit: auditlog.New(db, w.clock),
		QueueCreated: accounts.QueueCreated, Log: silent})
}

// account makes an account by hand: that is another area's business.
func (w world) account(t testing.TB, name string, role core.Role) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: role, Moderator: role == core.Staff}
	for _, sql := range []string{
		`insert into accounts (id, email, created_at) values ($1, $2 || '@homeplace.test', now() - interval '1 year')`,
		`insert into profiles (account_id, username) values ($1, $2)`,
	} {
		if _, err := w.database.Exec(t, core.TheSystem(), sql, v.ID, name); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func (w world) admin(t testing.TB, name string) core.Viewer {
	v := w.account(t, name, core.Staff)
	v.Admin = true
	return v
}

// send judges a text as a new thing.
func (w world) send(t testing.TB, v core.Viewer, address, body string) core.Verdict {
	t.Helper()
	return w.edit(t, v, address, body, pg.NewID())
}

func (w world) edit(t testing.TB, v core.Viewer, address, body, id string) core.Verdict {
	t.Helper()
	verdict, err := w.Judge(t.Context(), v, core.Text{Scope: "saying", Body: body, About: core.Target{Type: "saying", ID: id}, From: core.Origin{AddressKey: address}})
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

// codes are what a verdict rests on.
func codes(v core.Verdict) (list []string) {
	for _, r := range v.Reasons {
		list = append(list, r.Code)
	}
	return list
}

func wantCode(t testing.TB, what string, err error, code string) {
	t.Helper()
	if code == "" && err == nil {
		return
	}
	if code == "" || err == nil || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want %q", what, err, code)
	}
}
