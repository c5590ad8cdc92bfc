package points

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// step is one thing that somebody does.
type step struct {
	What   string
	Who    int // which member
	Amount int
	Cause  int // of an award; of a settlement: which hold
}

var steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	return step{
		What: rapid.SampledFrom([]string{"award", "award", "award", "hold", "hold", "post", "void", "spend", "give", "take", "decision undone", "revoke", "revoke", "delete"}).Draw(t, "what"),
		Who:  rapid.IntRange(0, 3).Draw(t, "who"), Amount: rapid.IntRange(1, 12).Draw(t, "amount"), Cause: rapid.IntRange(0, 5).Draw(t, "cause"),
	}
}), 30, 90)

// tally is what a member must have, worked out from what was answered.
type tally struct {
	core.Viewer
	wallet  string
	earned  int // awards and corrections, less what was taken back
	spent   int
	held    int
	paid    map[string]int // cause → how often it paid, less how often that was taken back
	deleted bool
}

// crowd acts on two instances at once.
type crowd struct {
	world
	services []*Service
	mu       sync.Mutex
	members  []*tally
	holds    []heldPoints
	problems []string
}

type heldPoints struct {
	id     string
	who    *tally
	amount int
}

// Whatever interleaves, what is answered is what is stored, and every rule of
// the ledger holds.
func TestLedgerUnderACrowd(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.db.Instance(t)
	services := []*Service{w.Service, New(second, w.clock.read, w.settings)}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		c := &crowd{world: w, services: services}
		for i := range 4 {
			m := &tally{Viewer: w.member(t, fmt.Sprintf("m%d-%d", round, i)), paid: map[string]int{}, earned: 20}
			w.give(t, m.Viewer, 20)
			m.wallet = pgtest.Value[string](t, w.db, m.Viewer, `select id::text from points_wallets`)
			c.members = append(c.members, m)
		}
		todo := make(chan step)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for s := range todo {
					c.act(t.Context(), services[i%2], s)
				}
			})
		}
		for _, s := range steps.Draw(rt, "steps") {
			todo <- s
		}
		close(todo)
		wg.Wait()
		for _, m := range c.members {
			c.prove(t, m)
		}
		if len(c.problems) > 0 {
			rt.Fatalf("round %d: %v", round, c.problems)
		}
	})
	w.wantSound(t)
}

func (c *crowd) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// act does one step and notes what was answered.
func (c *crowd) act(ctx context.Context, s *Service, st step) {
	m := c.members[st.Who]
	switch st.What {
	case "award", "decision undone":
		c.award(ctx, s, m, st)
	case "revoke":
		c.revoke(ctx, s, m, st)
	case "hold", "spend":
		c.pay(ctx, s, m, st)
	case "post", "void":
		c.settle(ctx, s, st)
	case "give", "take":
		delta := st.Amount
		if st.What == "take" {
			delta = -delta
		}
		_, err := s.Correct(ctx, core.TheSystem(), m.Username, delta, "by hand")
		c.note(st, err, func() { m.earned += delta })
	case "delete":
		if st.Amount > 2 { // seldom
			return
		}
		err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
			_, err := tx.Exec(ctx, `delete from accounts where id = $1`, m.ID)
			return err
		})
		c.note(st, err, func() { m.deleted = true })
	}
}

// note keeps the outcome; a refusal that its step can meet is none to speak of.
func (c *crowd) note(st step, err error, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		done()
	case slices.Contains([]string{"insufficient_points", "hold_settled", "undone", "validation_failed", "not_found"}, core.AsError(err).Code):
	default:
		c.problem("%+v: %v", st, err)
	}
}

func (c *crowd) award(ctx context.Context, s *Service, m *tally, st step) {
	cause := strconv.Itoa(st.Cause)
	var paid int
	err := s.db.Write(ctx, m.Viewer, func(tx *pg.Tx) (err error) {
		paid, err = s.AwardTx(ctx, tx, core.Award{AccountID: m.ID, Reason: core.AwardSaying, RefType: "saying", RefID: cause})
		if err == nil && st.What == "decision undone" {
			return core.Conflictf("undone", "undone")
		}
		return err
	})
	c.note(st, err, func() {
		if paid == 0 {
			return
		}
		m.paid[cause]++
		if m.earned += paid; paid != 5 {
			c.problem("%+v paid %d", st, paid)
		}
	})
}

// revoke takes an award back, as the undoing of a decision does. How much that
// was is read off the reversal itself: the balance of the moment is known to
// nobody else.
func (c *crowd) revoke(ctx context.Context, s *Service, m *tally, st step) {
	cause := strconv.Itoa(st.Cause)
	var before, after int
	err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		const taken = `
			select coalesce(-sum(e.delta), 0)
			from points_entries e join points_transactions t on t.id = e.transaction_id
			where t.kind = 'reversal' and e.wallet_id = $1`
		// The lock that RevokeTx takes, so that nobody else comes between.
		if _, err := lockBalance(ctx, tx, m.wallet); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, taken, m.wallet).Scan(&before); err != nil {
			return err
		}
		if err := s.RevokeTx(ctx, tx, core.Award{AccountID: m.ID, Reason: core.AwardSaying, RefType: "saying", RefID: cause}); err != nil {
			return err
		}
		return tx.QueryRow(ctx, taken, m.wallet).Scan(&after)
	})
	c.note(st, err, func() {
		if after == before {
			return
		}
		m.paid[cause]--
		if m.earned -= after - before; after-before > 5 {
			c.problem("%+v took %d", st, after-before)
		}
	})
}

func (c *crowd) pay(ctx context.Context, s *Service, m *tally, st step) {
	var id string
	err := s.db.Write(ctx, m.Viewer, func(tx *pg.Tx) (err error) {
		if st.What == "spend" {
			return s.SpendTx(ctx, tx, yard(m.Viewer, st.Amount))
		}
		id, err = s.HoldTx(ctx, tx, yard(m.Viewer, st.Amount))
		return err
	})
	c.note(st, err, func() {
		if st.What == "spend" {
			m.spent += st.Amount
			return
		}
		m.held += st.Amount
		c.holds = append(c.holds, heldPoints{id, m, st.Amount})
	})
}

func (c *crowd) settle(ctx context.Context, s *Service, st step) {
	c.mu.Lock()
	if len(c.holds) == 0 {
		c.mu.Unlock()
		return
	}
	h := c.holds[st.Cause%len(c.holds)]
	c.mu.Unlock()
	err := s.db.Write(ctx, core.Viewer{ID: pg.NewID(), Role: core.Staff}, func(tx *pg.Tx) error {
		if st.What == "post" {
			return s.PostTx(ctx, tx, h.id)
		}
		return s.VoidTx(ctx, tx, h.id)
	})
	c.note(st, err, func() {
		h.who.held -= h.amount
		if st.What == "post" {
			h.who.spent += h.amount
		}
	})
}

// prove compares what is stored of a member with what was answered, without
// the queries of the service.
func (c *crowd) prove(t *testing.T, m *tally) {
	t.Helper()
	type entry struct{ Seq, Delta, BalanceAfter int }
	var entries []entry
	var balance, held, standing, unbalanced int
	err := c.db.Read(t.Context(), core.TheSystem(), func(tx pg.Querier) (err error) {
		entries, err = pg.All[entry](t.Context(), tx, `select seq, delta, balance_after from points_entries where wallet_id = $1 order by seq`, m.wallet)
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), `select
			(select balance from points_wallets where id = $1),
			(select coalesce(sum(amount), 0) from points_holds where wallet_id = $1 and state = 'open'),
			(select coalesce(sum(points), 0) from points_standings where account_id = $2),
			(select count(*) from (select from points_entries e join points_transactions t on t.id = e.transaction_id
				where t.wallet_id = $1 group by t.id having sum(e.delta) <> 0) wrong)`, m.wallet, m.ID).Scan(&balance, &held, &standing, &unbalanced)
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i, e := range entries {
		if sum += e.Delta; e.Seq != i+1 || e.BalanceAfter != sum || sum < 0 {
			c.problem("%s: entry %d is %+v, the sum %d", m.Username, i+1, e, sum)
		}
	}
	if want := m.earned - m.spent - m.held; balance != want || sum != want || held != m.held || unbalanced != 0 {
		c.problem("%s has %d, entries of %d, %d held, %d transactions unbalanced; want %d and %d held", m.Username, balance, sum, held, unbalanced, want, m.held)
	}
	want := m.earned
	if m.deleted {
		want = 0
	}
	if standing != want || m.earned < balance {
		c.problem("%s stands at %d and has %d, want %d (deleted: %v)", m.Username, standing, balance, want, m.deleted)
	}
	for cause, n := range m.paid {
		if n < 0 || n > 1 {
			c.problem("%s was paid %d times for %s", m.Username, n, cause)
		}
	}
}
