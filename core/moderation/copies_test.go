package moderation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/moderation/heuristics"
	"homeplace/core/moderation/text"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

const news = `The spring market of our neighbourhood opens on Saturday at eight in the morning behind the old library. There are peaches,
 honey from the hives on the school roof, smoked fish, quilts, and plants that the garden club has raised since January. The choir of
 Mount Zion sings at ten and again at noon, children paint eggs at the long table beside the fountain, and whoever comes by bicycle
 gets a free cup of coffee from the fire brigade. Parking is on the field of the Miller family; please leave the street to the buses.
 The money from the stalls goes to the new roof of the community hall, which the storm took in September, and to the summer camp.`

// A long text of which one word was exchanged is a near copy (0.2 each), and four
// of them wait: 0.2·3 = 0.6. The same sentences about something else are not.
func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for n, word := range []string{"peaches", "apples", "plums", "cherries"} {
		v := w.send(t, core.Nobody(), fmt.Sprintf("192.0.2.%d", n), strings.Replace(news, "peaches", word, 1))
		if slices.Contains(codes(v), "near_duplicate") != (n > 0) || (v.Decision == core.DecisionReview) != (n == 3) {
			t.Errorf("copy %d: %+v", n, v)
		}
	}
	v := w.send(t, core.Nobody(), "192.0.2.9", `The town council meets on Monday at six in the evening in the gym of the high school. There are three questions: the bus
 line to the airport, the fee for stalls at the market, and the trees along Fourth Street that the power company wants to cut. Everybody
 who lives in town may speak for three minutes, and whoever cannot come writes a letter to the clerk until Friday at noon.`)
	if len(v.Reasons) != 0 {
		t.Errorf("another text: %+v", v)
	}
}

// Fingerprints with one, two and three bits changed, in any band, are found, and
// four are not: told by the database alone.
func TestNearTellsBits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	own := uint64(heuristics.FingerprintOf(text.Normalize(news).Tokens()))
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		for bits := 1; bits <= 5; bits++ {
			other := own
			for _, bit := range random.Perm(64)[:bits] {
				other ^= 1 << bit
			}
			w.store(t, other)
			v := w.send(t, core.Nobody(), "", news)
			if found := slices.Contains(codes(v), "near_duplicate"); found != (bits <= 3) {
				t.Errorf("%016x, %d bits from %016x: found %v", other, bits, own, found)
			}
			if _, err := w.database.Exec(t, core.TheSystem(), `delete from judgements`); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// store keeps a text of another hash with that fingerprint.
func (w world) store(t testing.TB, fingerprint uint64) {
	t.Helper()
	if _, err := w.database.Exec(t, core.TheSystem(), `
		insert into judgements (id, scope, shared, body, text_hash, fingerprint, decision, score, reasons, asked_model, created_at)
		values (gen_random_uuid(), 'saying', false, 'x', sha256('x'), $1, 'approve', 0, '[]', false, now())`, int64(fingerprint)); err != nil {
		t.Fatal(err)
	}
}

// crowd fills the table with texts of the last 90 days.
func (w world) crowd(t testing.TB, rows int) {
	t.Helper()
	if _, err := w.database.Exec(t, core.TheSystem(), `
		insert into judgements (id, scope, target_type, target_id, account_id, address_key, shared, body, text_hash, fingerprint, decision, score, reasons, asked_model, created_at)
		select gen_random_uuid(), 'saying', 'saying', gen_random_uuid(), case when n % 2 = 0 then lpad(to_hex(n % 1000), 32, '0')::uuid end, '10.0.' || n / 256 % 256 || '.' || n % 256,
			false, 'The text number ' || n || ' of many about the porch and the river.', sha256(n::text::bytea),
			('x' || left(md5(n::text), 16))::bit(64)::bigint, case when n % 20 = 0 then 'reject' else 'approve' end, 0, '[]', false,
			now() - n * interval '90 days' / $1
		from generate_series(1, $1::int) n`, rows); err != nil {
		t.Fatal(err)
	}
	if _, err := w.database.Owner(t).Exec(t.Context(), `vacuum analyze judgements`); err != nil {
		t.Fatal(err)
	}
}

// With a hundred thousand texts, every question that is asked for each text finds
// its rows by an index.
func TestIndexesAreUsed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.crowd(t, 100_000)
	for what, c := range map[string]struct{ sql, index string }{
		"the latest of a target": {`select decision from judgements where target_type = 'saying' and target_id = 'x' order by created_at desc, id desc limit 1`, "judgements_target"},
		"by account":             {`select count(*) from judgements where account_id = '00000000-0000-0000-0000-000000000001' and created_at > now() - interval '30 days'`, "judgements_account"},
		"by address":             {`select count(*) from judgements where address_key = '10.0.0.1' and created_at > now() - interval '30 days'`, "judgements_address"},
		"copies":                 {`select count(*) from judgements where text_hash = sha256('1') and created_at > now() - interval '7 days'`, "judgements_hash"},
		"near copies": {`select count(*) from judgements where fingerprint <> 0 and created_at > now() - interval '7 days'
			and ((fingerprint & 65535) = 1 or (fingerprint >> 16 & 65535) = 2 or (fingerprint >> 32 & 65535) = 3 or (fingerprint >> 48 & 65535) = 4)
			and bit_count((fingerprint # 5)::bit(64)) <= 3`, "judgements_band"},
		"what is to be emptied": {`select id from judgements where created_at < now() - interval '89 days' and (body <> '' or address_key <> '') order by created_at limit 1000`, "judgements_"},
		"the texts of a trial":  {`select id from judgements where created_at > now() - interval '90 days' and (created_at, id) < (now(), gen_random_uuid()) and body <> '' order by created_at desc, id desc limit 500`, "judgements_"},
	} {
		var plan string
		err := w.database.Read(t.Context(), core.TheSystem(), func(q pg.Querier) error {
			rows, err := q.Query(t.Context(), `explain `+c.sql)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			plan = strings.Join(lines, "\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s:\n%s", what, plan)
		}
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements`); n != 100_000 {
		t.Errorf("%d rows", n)
	}
}

// BenchmarkJudge is what every text pays, with 100,000 others there.
func BenchmarkJudge(b *testing.B) {
	w := setup(b)
	w.crowd(b, 100_000)
	ada := w.account(b, "ada", core.Member)
	w.send(b, ada, "192.0.2.1", harmless)
	n := 0
	for b.Loop() {
		n++
		w.send(b, ada, "192.0.2.1", fmt.Sprintf("%s Number %d.", harmless, n))
	}
}
