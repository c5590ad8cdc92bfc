package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"homeplace/core/pgtest"
	"homeplace/migrations"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// again runs a step that is landed once more, as an owner without the rights of a
// superuser: over rows of before it.
func again(t *testing.T, tx pgx.Tx, name string) {
	t.Helper()
	step, err := migrations.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{`
		create role landlord;
		grant usage, create on schema public to landlord;
		do $$ declare name text; begin
			for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
				execute format('alter table %I owner to landlord', name);
			end loop;
		end $$;
		set local role landlord`, string(step), `reset role`} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func TestVerdictsMoveToTheirArea(t *testing.T) {
	t.Parallel()
	tx, err := pgtest.New(t).Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if _, err := tx.Exec(t.Context(), verdictsOfBefore+`set constraints all immediate`); err != nil {
		t.Fatal(err)
	}
	again(t, tx, "0023_verdicts.sql")
	rows, err := tx.Query(t.Context(), `
		select concat_ws(' | ', scope, right(target_id, 2), coalesce(right(account_id::text, 2), 'nobody'), body, decision, score, reasons, to_char(created_at at time zone 'UTC', 'DD'))
		from judgements
		where target_type = scope and not shared and address_key = '' and text_hash is null and fingerprint = 0 and not asked_model
		order by target_id`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"saying | 11 | 01 | One\nIts meaning\nMacon | review | 0.4 | [{\"code\": \"borderline\", \"detail\": \"One\"}] | 02",
		"saying | 12 | nobody |  | reject | 1 | [{\"code\": \"denied_word\", \"detail\": \"\"}] | 02",
		"saying | 14 | 01 | judged since | approve | 0 | [] | 09",
		"poll | 21 | 01 | Tea?\n\nYes\nNo | review | 0 | [] | 03",
		"poll_comment | 31 | nobody | Milk | approve | 0.23 | [] | 04",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var open int
	if err := tx.QueryRow(t.Context(), `select count(*) from pg_class where relrowsecurity and not relforcerowsecurity`).Scan(&open); err != nil || open != 0 {
		t.Errorf("%d tables are open to their owner, %v", open, err)
	}
	var kept int
	if err := tx.QueryRow(t.Context(), `select count(verdict) from saying_submissions`).Scan(&kept); err != nil || kept != 3 {
		t.Errorf("%d verdicts of sayings are where they were, %v", kept, err)
	}
}

// verdictsOfBefore are of a member, of one who left, of nobody at all, and of a
// text that the moderation area knows by now.
const verdictsOfBefore = `
insert into accounts (id, email) values ('00000000-0000-0000-0000-000000000001', 'ada@homeplace.test');
insert into saying_submissions (saying_id, submitted_by, verdict) values
  ('00000000-0000-0000-0000-000000000011', '00000000-0000-0000-0000-000000000001', '{"decision": "review", "score": 0.4, "reasons": [{"code": "borderline", "detail": "One"}]}'),
  ('00000000-0000-0000-0000-000000000012', null, '{"decision": "reject", "score": 1.5, "reasons": [{"code": "denied_word", "detail": "Two"}]}'),
  ('00000000-0000-0000-0000-000000000013', '00000000-0000-0000-0000-000000000001', null),
  ('00000000-0000-0000-0000-000000000014', '00000000-0000-0000-0000-000000000001', '{"decision": "reject", "score": 1, "reasons": []}');
insert into sayings (id, text, text_key, words, meaning, region, created_at) values
  ('00000000-0000-0000-0000-000000000011', 'One', sha256('1'), 'one', 'Its meaning', 'Macon', '2026-01-02'),
  ('00000000-0000-0000-0000-000000000012', 'Two', sha256('2'), 'two', '', '', '2026-01-02'),
  ('00000000-0000-0000-0000-000000000013', 'Three', sha256('3'), 'three', '', '', '2026-01-02'),
  ('00000000-0000-0000-0000-000000000014', 'Four', sha256('4'), 'four', '', '', '2026-01-02');
insert into polls (id, slug, question, author_id, verdict, created_at) values
  ('00000000-0000-0000-0000-000000000021', 'tea', 'Tea?', '00000000-0000-0000-0000-000000000001', '{"decision": "review", "score": 0, "reasons": null}', '2026-01-03');
insert into poll_options (id, poll_id, label, sort_order) values
  (gen_random_uuid(), '00000000-0000-0000-0000-000000000021', 'No', 2), (gen_random_uuid(), '00000000-0000-0000-0000-000000000021', 'Yes', 1);
insert into poll_comments (id, poll_id, body, verdict, created_at) values
  ('00000000-0000-0000-0000-000000000031', '00000000-0000-0000-0000-000000000021', 'Milk', '{"decision": "approve", "score": 0.23, "reasons": []}', '2026-01-04');
insert into judgements (id, scope, target_type, target_id, account_id, shared, body, fingerprint, decision, score, reasons, asked_model, created_at) values
  (gen_random_uuid(), 'saying', 'saying', '00000000-0000-0000-0000-000000000014', '00000000-0000-0000-0000-000000000001', false, 'judged since', 0, 'approve', 0, '[]', false, '2026-01-09');
`
