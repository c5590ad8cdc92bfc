package moderation_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/llm"
	"homeplace/core/llm/llmtest"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func (w world) verdict(t testing.TB, v core.Viewer, target core.Target) (verdict core.Verdict, from core.Origin, found bool, err error) {
	t.Helper()
	readErr := w.database.Read(t.Context(), v, func(q pg.Querier) error {
		verdict, from, found, err = w.VerdictTx(t.Context(), q, target)
		return err
	})
	return verdict, from, found, errors.Join(readErr, err)
}

func TestTheLatestVerdictIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, id := w.account(t, "ada", core.Member), w.account(t, "mod", core.Staff), pg.NewID()
	target := core.Target{Type: "saying", ID: id}
	if _, _, found, err := w.verdict(t, mod, target); found || err != nil {
		t.Errorf("before anything was judged: %v, %v", found, err)
	}
	w.edit(t, ada, "192.0.2.1", harmless, id)
	w.pass(time.Second)
	want := w.edit(t, ada, "192.0.2.2", borderline, id)
	got, from, found, err := w.verdict(t, mod, target)
	if err != nil || !found || got.Decision != want.Decision || got.Score != want.Score || !slices.Equal(got.Reasons, want.Reasons) || from != (core.Origin{AddressKey: "192.0.2.2"}) {
		t.Errorf("kept is %+v from %+v, %v, %v; want %+v", got, from, found, err, want)
	}
	if _, _, _, err := w.verdict(t, ada, target); !pg.Denied(err) {
		t.Errorf("a member reads a verdict: %v", err)
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements where account_id = $1`, ada.ID); n != 2 {
		t.Errorf("%d judgements are kept, want both", n)
	}
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, bea := w.account(t, "ada", core.Member), w.account(t, "bea", core.Member)
	id := pg.NewID()
	w.edit(t, ada, "192.0.2.1", borderline, id)
	w.send(t, bea, "192.0.2.2", borderline)
	if _, err := w.Judge(t.Context(), core.Nobody(), core.Text{Scope: "profile", Body: "Ada of the hill by the sea", About: core.Target{Type: "profile", ID: ada.ID}, From: core.Origin{AddressKey: "192.0.2.1"}}); err != nil {
		t.Fatal(err)
	}
	err := w.database.Write(t.Context(), ada, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ada.ID, false) })
	if err != nil {
		t.Fatal(err)
	}
	count := func(sql string, args ...any) int {
		return pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements where `+sql, args...)
	}
	if n := count(`account_id = $1 or address_key = '192.0.2.1' or (target_id = $1::text and body <> '')`, ada.ID); n != 0 {
		t.Errorf("%d judgements still know who left", n)
	}
	if count(`account_id = $1 and body = $2 and address_key = '192.0.2.2'`, bea.ID, borderline) != 1 {
		t.Error("somebody else lost something")
	}
	v, from, found, err := w.verdict(t, core.TheSystem(), core.Target{Type: "saying", ID: id})
	if err != nil || !found || v.Decision != core.DecisionReview || from.AddressKey != "" || len(v.Reasons) == 0 || v.Reasons[0].Code == "" || v.Reasons[0].Detail != "" {
		t.Errorf("the verdict is %+v from %+v, %v, %v; want it without quotes of the text", v, from, found, err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.send(t, core.Nobody(), "192.0.2.1", borderline)
	w.pass(89 * 24 * time.Hour)
	w.send(t, core.Nobody(), "192.0.2.1", harmless)
	for _, step := range []struct {
		days    int
		emptied int64
	}{{0, 0}, {2, 1}, {0, 0}, {89, 1}} {
		w.pass(time.Duration(step.days) * 24 * time.Hour)
		if n, err := w.Sweep(t.Context()); err != nil || n != step.emptied {
			t.Errorf("after %d days %d are emptied, %v; want %d", step.days, n, err, step.emptied)
		}
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements where body = '' and address_key = ''`); n != 2 {
		t.Errorf("%d of 2 are empty", n)
	}
	if err := w.settings.Set(t.Context(), core.TheSystem(), "judgements_days", "7"); err != nil {
		t.Fatal(err)
	}
	w.send(t, core.Nobody(), "192.0.2.1", "The bus stops at the old mill again.")
	w.pass(8 * 24 * time.Hour)
	if n, err := w.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("after a week, as set: %d, %v", n, err)
	}
}

// What cannot be kept waits for a person, whatever the verdict.
func TestWhatCannotBeKeptWaits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if _, err := w.database.Owner(t).Exec(t.Context(), `revoke insert on judgements from system`); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{harmless, borderline, abusive} {
		v := w.send(t, core.Nobody(), "192.0.2.1", body)
		if v.Decision != core.DecisionReview || !slices.Contains(codes(v), "not_kept") {
			t.Errorf("%q: %+v", body, v)
		}
	}
}

// Also when the time of the request is over, because the model was slow, the
// verdict is kept.
func TestAVerdictOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v, err := w.Judge(ctx, core.Nobody(), core.Text{Scope: "saying", Body: borderline})
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements where decision = 'review'`); err != nil || v.Decision != core.DecisionReview || n != 1 {
		t.Errorf("%+v, %v, %d kept", v, err, n)
	}
}

// A judgement is no effect of the request: it takes no Idempotency-Key.
func TestJudgeLeavesTheClaim(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx := pg.WithClaim(t.Context(), pg.Claim{Caller: "somebody", Key: "k", Hash: make([]byte, 32)})
	if _, err := w.Judge(ctx, core.Nobody(), core.Text{Scope: "saying", Body: abusive, From: core.Origin{AddressKey: "192.0.2.1"}}); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from idempotency_keys`); n != 0 {
		t.Error("the key is used")
	}
}

// A model that is slow, broken or away decides nothing and loses nothing; one that
// answers decides on the borderline alone.
func TestTheModelBehindTheDoor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	server := llmtest.New(t)
	options := server.Options()
	options.Timeout = time.Second
	s := w
	s.Service = w.instance(w.database.DB, llm.New(func() llm.Options { return options }, core.Now))

	server.Answer(llmtest.Verdict(llm.Approve, 0.1, "An invitation."))
	if v := s.send(t, core.Nobody(), "192.0.2.1", borderline); v.Decision != core.DecisionApprove || !slices.Contains(codes(v), "model") {
		t.Errorf("an answer: %+v", v)
	}
	server.Down(llmtest.Hang)
	began := time.Now()
	if v := s.send(t, core.Nobody(), "192.0.2.2", "Please subscribe to my channel, all of you"); v.Decision != core.DecisionReview || !slices.Contains(codes(v), "model_failed") {
		t.Errorf("a slow one: %+v", v)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a slow model takes %v", took)
	}
	server.Down(llmtest.Status(http.StatusInternalServerError))
	if v := s.send(t, core.Nobody(), "192.0.2.3", "Follow me on everything and subscribe to my channel"); v.Decision != core.DecisionReview {
		t.Errorf("a broken one: %+v", v)
	}
	asked := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements where asked_model`)
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements`); n != 3 || asked != 3 {
		t.Errorf("%d are kept, of %d the model was asked; want 3", n, asked)
	}
}

// What holds a text is the number of its copies, of which the model knows nothing:
// it is not asked.
func TestTheModelIsNotAskedAboutSenders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	asked := 0
	s := w
	s.Service = w.instance(w.database.DB, answers{configured: true, verdict: llm.Verdict{Decision: llm.Approve}, asked: &asked})
	var last core.Verdict
	for range 4 {
		last = s.send(t, core.Nobody(), "", "Everything must go this weekend, come to the big white tent.")
	}
	if last.Decision != core.DecisionReview || asked != 0 {
		t.Errorf("%+v, asked %d times", last, asked)
	}
}

// What the Go code never asks for, the database refuses all the same.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, root := w.account(t, "ada", core.Member), w.account(t, "mod", core.Staff), w.admin(t, "root")
	w.send(t, ada, "192.0.2.1", borderline)
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		for _, sql := range []string{`select body from judgements`, `select term from word_rules`, `select texts from word_trials`} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s may %q: %v", v.DatabaseRole(), sql, err)
			}
		}
	}
	for _, v := range []core.Viewer{core.Nobody(), ada, mod, root} {
		for _, sql := range []string{
			`insert into judgements (id, scope, shared, body, fingerprint, decision, score, reasons, asked_model, created_at)
				values (gen_random_uuid(), 'saying', false, 'x', 0, 'approve', 0, '[]', false, now())`,
			`update judgements set decision = 'approve'`, `delete from judgements`,
			`insert into word_rules (id, term, action, severity, category, state, origin, rule_hash, created_at, updated_at)
				values (gen_random_uuid(), 'x', 'deny', 3, 'x', 'on', 'added', decode(repeat('00', 32), 'hex'), now(), now())`,
			`update word_rules set state = 'on'`, `delete from word_rules`,
			`insert into word_trials (id, rule_hash, texts, created_at) values (gen_random_uuid(), decode(repeat('00', 32), 'hex'), 1, now())`,
		} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s may %q: %v", v.DatabaseRole(), sql, err)
			}
		}
	}
	if n := pgtest.Value[int](t, w.database, mod, `select count(*) from judgements`); n != 1 {
		t.Errorf("staff see %d judgements, want 1", n)
	}
}

var silent = slog.New(slog.DiscardHandler)
