package points

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestAwardsPayOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.wantBalance(t, ada, Balance{})
	for _, c := range []struct {
		reason core.AwardReason
		ref    string
		want   int
	}{
		{core.AwardFile, "a", 10}, {core.AwardSaying, "a", 5}, {core.AwardShoutOut, "a", 3}, {core.AwardListing, "a", 10}, {core.AwardPoll, "a", 5},
		{core.AwardVote, "a", 1}, {core.AwardGame, "a", 1}, {core.AwardGameWon, "a", 2}, {core.AwardFakeReport, "a", 5},
		{core.AwardFile, "a", 0}, {core.AwardFile, "b", 10}, {core.AwardVote, "a", 0},
	} {
		if got := w.award(t, ada, c.reason, c.ref); got != c.want {
			t.Errorf("%s for %s pays %d, want %d", c.reason, c.ref, got, c.want)
		}
	}
	if got := w.award(t, ben, core.AwardFile, "a"); got != 10 {
		t.Errorf("the same thing pays another account %d", got)
	}
	w.wantBalance(t, ada, Balance{Balance: 52, Lifetime: 52}) // 10+5+3+10+5+1+1+2+5+10
	w.wantBalance(t, ben, Balance{Balance: 10, Lifetime: 10})
	w.wantSound(t)
}

func TestAwardsFollowTheSettings(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	set := func(value string) {
		t.Helper()
		if err := w.settings.Set(t.Context(), core.TheSystem(), "award_vote", value); err != nil {
			t.Fatal(err)
		}
	}
	set("0")
	if got := w.award(t, ada, core.AwardVote, "a"); got != 0 || w.Award(core.AwardVote) != 0 {
		t.Errorf("a vote that pays nothing pays %d", got)
	}
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from points_transactions`); n != 0 {
		t.Errorf("it leaves %d transactions", n)
	}
	set("7")
	if got := w.award(t, ada, core.AwardVote, "b"); got != 7 || w.Award(core.AwardVote) != 7 {
		t.Errorf("a vote pays %d, want 7", got)
	}
}

func TestAwardForNobody(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	for _, account := range []string{"", pg.NewID()} {
		if got := w.award(t, core.Viewer{ID: account, Role: core.Member}, core.AwardVote, "a"); got != 0 {
			t.Errorf("%q is paid %d", account, got)
		}
	}
	for _, a := range []core.Award{
		{AccountID: ada.ID, Reason: "kindness", RefType: "thing", RefID: "a"},
		{AccountID: ada.ID, Reason: core.AwardVote, RefType: "thing"},
		{AccountID: ada.ID, Reason: core.AwardVote, RefID: "a"},
	} {
		if err := in(t, w.db.DB, ada, func(ctx context.Context, tx *pg.Tx) error {
			_, err := w.AwardTx(ctx, tx, a)
			return err
		}); err == nil {
			t.Errorf("%+v is taken for a cause", a)
		}
	}
	// The words for the log never fail an award.
	if err := in(t, w.db.DB, ada, func(ctx context.Context, tx *pg.Tx) error {
		_, err := w.AwardTx(ctx, tx, core.Award{AccountID: ada.ID, Reason: core.AwardVote, Detail: strings.Repeat("ß", 400), RefType: "thing", RefID: "a"})
		return err
	}); err != nil {
		t.Error(err)
	}
	log, err := w.Events(t.Context(), ada, core.Page{})
	if err != nil || len(log.Items) != 1 || log.Items[0].Detail != strings.Repeat("ß", 299)+"…" {
		t.Errorf("the log has %+v, %v", log, err)
	}
}

// A decision that is taken back takes its award with it.
func TestAwardBelongsToItsTransaction(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	err := in(t, w.db.DB, ada, func(ctx context.Context, tx *pg.Tx) error {
		if paid, err := w.AwardTx(ctx, tx, core.Award{AccountID: ada.ID, Reason: core.AwardPoll, RefType: "poll", RefID: "a"}); paid != 5 || err != nil {
			t.Errorf("paid %d, %v", paid, err)
		}
		return core.Conflictf("already_decided", "too late")
	})
	wantError(t, "the decision", err, core.Conflict, "already_decided")
	w.wantBalance(t, ada, Balance{})
	if got := w.award(t, ada, core.AwardPoll, "a"); got != 5 {
		t.Errorf("afterwards it pays %d", got)
	}
}

func TestSpendingAndHolds(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.give(t, ada, 100)
	first, second := w.hold(t, ada, 30), w.hold(t, ada, 20)
	w.wantBalance(t, ada, Balance{Balance: 50, Held: 50, Lifetime: 100})
	err := w.spend(t, ada, 51)
	wantError(t, "spending what is held", err, core.Insufficient, "insufficient_points")
	if diff := cmp.Diff(map[string]any{"required": 51, "balance": 50}, core.AsError(err).Details); diff != "" {
		t.Error(diff)
	}
	if msg := core.AsError(err).Msg; msg != "This takes 51 points, and you have 50 points to spend." {
		t.Errorf("it says %q", msg)
	}
	if err := w.spend(t, ada, 40); err != nil {
		t.Fatal(err)
	}
	if err := w.post(t, ada, first); err != nil {
		t.Fatal(err)
	}
	w.wantBalance(t, ada, Balance{Balance: 10, Held: 20, Lifetime: 100})
	if err := w.void(t, ada, second); err != nil {
		t.Fatal(err)
	}
	w.wantBalance(t, ada, Balance{Balance: 30, Lifetime: 100})
	for _, id := range []string{first, second} {
		wantError(t, "posting again", w.post(t, ada, id), core.Conflict, "hold_settled")
		wantError(t, "voiding again", w.void(t, ada, id), core.Conflict, "hold_settled")
	}
	wantError(t, "posting nothing", w.post(t, ada, pg.NewID()), core.NotFound, "not_found")
	wantError(t, "voiding rubbish", w.void(t, ada, "rubbish"), core.NotFound, "not_found")
	w.wantSound(t)

	ben := w.member(t, "ben")
	wantError(t, "who never had points", w.spend(t, ben, 1), core.Insufficient, "insufficient_points")
	wantError(t, "who is gone", w.spend(t, core.Viewer{ID: pg.NewID(), Role: core.Member}, 1), core.Insufficient, "insufficient_points")
	if err := w.spend(t, ada, -1); err == nil || core.KindOf(err) != core.Internal {
		t.Errorf("a negative price gives %v", err)
	}
}

func TestNothingCostsNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	id := w.hold(t, ada, 0)
	if id != "" || w.post(t, ada, id) != nil || w.void(t, ada, id) != nil || w.spend(t, ada, 0) != nil {
		t.Errorf("the hold is %q", id)
	}
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from points_wallets where account_id is not null`); n != 0 {
		t.Errorf("it leaves %d wallets", n)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	if log, err := w.Events(t.Context(), ada, core.Page{}); err != nil || log.Total != 0 || log.Items == nil || len(log.Items) != 0 {
		t.Errorf("before anything: %+v, %v", log, err)
	}
	w.award(t, ada, core.AwardFile, "a")
	posted := w.hold(t, ada, 4)
	voided := w.hold(t, ada, 3)
	if err := w.post(t, ada, posted); err != nil {
		t.Fatal(err)
	}
	if err := w.void(t, ada, voided); err != nil {
		t.Fatal(err)
	}
	w.hold(t, ada, 1)
	w.give(t, ada, -2)

	type line struct {
		Kind         Kind
		Delta, After int
		Reason       string
		Detail       string
		Ref          string
		Hold         HoldState
	}
	read := func(page core.Page) (lines []line, log Log) {
		t.Helper()
		log, err := w.Events(t.Context(), ada, page)
		if err != nil {
			t.Fatal(err)
		}
		last := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, e := range log.Items {
			l := line{Kind: e.Kind, Delta: e.Delta, After: e.BalanceAfter, Reason: e.Reason, Detail: e.Detail}
			if e.RefType != nil {
				l.Ref = *e.RefType + " " + *e.RefID
			}
			if e.Hold != nil {
				l.Hold = *e.Hold
			}
			if !core.ValidID(e.ID) || !e.CreatedAt.Before(last) {
				t.Errorf("event %+v", e)
			}
			last = e.CreatedAt
			lines = append(lines, l)
		}
		return lines, log
	}
	want := []line{
		{KindCorrection, -2, 3, "correction", "by hand", "", ""},
		{KindHold, -1, 5, "yard_submission", "Rain barrel", "yard_item barrel", HoldOpen},
		{KindVoid, 3, 6, "yard_submission", "Rain barrel", "yard_item barrel", HoldVoided},
		{KindHold, -3, 3, "yard_submission", "Rain barrel", "yard_item barrel", HoldVoided},
		{KindHold, -4, 6, "yard_submission", "Rain barrel", "yard_item barrel", HoldPosted},
		{KindAward, 10, 10, "file_approved", "for a", "thing a", ""},
	}
	lines, log := read(core.Page{})
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if log.Total != 6 || log.Page != (core.Page{Limit: 50}) || log.Balance != (Balance{Balance: 3, Held: 1, Lifetime: 8}) {
		t.Errorf("total %d, page %+v, balance %+v", log.Total, log.Page, log.Balance)
	}
	var paged []line
	for offset := 0; offset < 8; offset += 2 {
		lines, log := read(core.Page{Limit: 2, Offset: offset})
		if log.Total != 6 {
			t.Errorf("at %d the total is %d", offset, log.Total)
		}
		paged = append(paged, lines...)
	}
	if diff := cmp.Diff(want, paged); diff != "" {
		t.Error(diff)
	}
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.account(t, "mod", core.Staff)
	admin := w.account(t, "boss", core.Staff)
	admin.Admin = true
	for _, v := range []core.Viewer{core.Nobody(), ada, mod} {
		_, err := w.Correct(t.Context(), v, "ada", 5, "please")
		wantError(t, string(v.Role)+" corrects", err, core.Forbidden, "not_allowed")
	}
	for _, c := range []struct {
		delta  int
		reason string
		field  string
	}{{0, "x", "delta"}, {1_000_001, "x", "delta"}, {-1_000_001, "x", "delta"}, {5, " ", "reason"}, {5, "a\nb", "reason"}, {5, strings.Repeat("x", 301), "reason"}, {-1, "x", "delta"}} {
		_, err := w.Correct(t.Context(), admin, "ada", c.delta, c.reason)
		if core.KindOf(err) != core.Invalid || core.AsError(err).Fields[c.field] == "" {
			t.Errorf("%+v gives %v", c, err)
		}
	}
	_, err := w.Correct(t.Context(), admin, "nobody", 5, "x")
	wantError(t, "nobody's", err, core.NotFound, "not_found")

	if after, err := w.Correct(t.Context(), admin, " ADA ", 12, "Painted the fence"); err != nil || after != (Balance{Balance: 12, Lifetime: 12}) {
		t.Fatalf("after: %+v, %v", after, err)
	}
	if err := w.spend(t, ada, 5); err != nil {
		t.Fatal(err)
	}
	_, err = w.Correct(t.Context(), admin, "ada", -8, "x")
	if msg := core.AsError(err).Msg; msg != "delta: must not take more than there is to spend, which is 7 points" {
		t.Errorf("below zero it says %q", msg)
	}
	if after, err := w.Correct(t.Context(), core.TheSystem(), "ada", -7, "x"); err != nil || after != (Balance{Balance: 0, Lifetime: 5}) {
		t.Errorf("after: %+v, %v", after, err)
	}
	by := pgtest.Value[string](t, w.db, core.TheSystem(), `select string_agg(coalesce(created_by::text, 'program'), ' ' order by created_at)
		from points_transactions where kind = 'correction'`)
	if by != admin.ID+" program" {
		t.Errorf("corrected by %s", by)
	}
	w.wantSound(t)
}

// Many on two instances want the last points, and the same award.
func TestRaces(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.give(t, ada, 50)
	second := w.db.Instance(t)
	instances := []*pg.DB{w.db.DB, second}
	services := []*Service{w.Service, New(second, w.clock.read, w.settings)}
	var wg sync.WaitGroup
	var mu sync.Mutex
	outcomes := map[string]int{}
	try := func(i int, name string, step func(ctx context.Context, s *Service, tx *pg.Tx) error) {
		wg.Go(func() {
			err := in(t, instances[i%2], ada, func(ctx context.Context, tx *pg.Tx) error { return step(ctx, services[i%2], tx) })
			if err != nil {
				name += " " + core.AsError(err).Code
			}
			mu.Lock()
			defer mu.Unlock()
			outcomes[name]++
		})
	}
	for i := range 40 {
		try(i, "spend", func(ctx context.Context, s *Service, tx *pg.Tx) error { return s.SpendTx(ctx, tx, yard(ada, 7)) })
		try(i, "award", func(ctx context.Context, s *Service, tx *pg.Tx) error {
			_, err := s.AwardTx(ctx, tx, core.Award{AccountID: ada.ID, Reason: core.AwardGameWon, RefType: "game", RefID: "wordle 2026-03-01"})
			return err
		})
	}
	wg.Wait()
	// 50 and 2 pay for seven of seven points each, whenever the two came.
	if diff := cmp.Diff(map[string]int{"spend": 7, "spend insufficient_points": 33, "award": 40}, outcomes); diff != "" {
		t.Error(diff)
	}
	w.wantBalance(t, ada, Balance{Balance: 3, Lifetime: 52})

	id := w.hold(t, ada, 3)
	clear(outcomes)
	for i := range 20 {
		try(i, "settle", func(ctx context.Context, s *Service, tx *pg.Tx) error {
			if i%4 < 2 {
				return s.PostTx(ctx, tx, id)
			}
			return s.VoidTx(ctx, tx, id)
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[string]int{"settle": 1, "settle hold_settled": 19}, outcomes); diff != "" {
		t.Error(diff)
	}
	w.wantSound(t)
}
