-- +goose Up
-- Verdicts are kept by the moderation area alone, by their targets (0018). What
-- the areas that came before it keep of their own moves there, where nothing is
-- known of the target yet. The text comes along, so that it is emptied in time
-- as any other, and with it the reasons, which quote it; of those who left only
-- the verdict stays, where that can be told. Forced policies would hide the rows
-- from the owner.
alter table judgements no force row level security;
alter table sayings no force row level security;
alter table saying_submissions no force row level security;
alter table polls no force row level security;
alter table poll_options no force row level security;
alter table poll_comments no force row level security;
insert into judgements (id, scope, target_type, target_id, account_id, shared, body, fingerprint, decision, score, reasons, asked_model, created_at)
select gen_random_uuid(), k.type, k.type, k.id::text, k.account_id, false, case when k.emptied then '' else k.body end, 0,
  k.verdict ->> 'decision', least(greatest(coalesce((k.verdict ->> 'score')::float8, 0), 0), 1),
  (select coalesce(jsonb_agg(jsonb_build_object('code', r -> 'code', 'detail', case when k.emptied then '""' else r -> 'detail' end) order by n), '[]')
   from jsonb_array_elements(case jsonb_typeof(k.verdict -> 'reasons') when 'array' then k.verdict -> 'reasons' else '[]' end) with ordinality x (r, n)),
  false, k.created_at
from (
  select 'saying' as type, y.id, s.submitted_by as account_id, s.submitted_by is null as emptied, s.verdict, y.created_at,
    concat_ws(E'\n', y.text, nullif(y.meaning, ''), nullif(y.attribution, ''), nullif(y.region, '')) as body
  from sayings y join saying_submissions s on s.saying_id = y.id
  union all
  select 'poll', p.id, p.author_id, p.author_id is null, p.verdict, p.created_at,
    concat_ws(E'\n', p.question, p.description, (select string_agg(o.label, E'\n' order by o.sort_order) from poll_options o where o.poll_id = p.id))
  from polls p
  union all
  select 'poll_comment', c.id, c.account_id, false, c.verdict, c.created_at, c.body -- without an account from the start, or since
  from poll_comments c
) k
where k.verdict ->> 'decision' in ('approve', 'review', 'reject')
  and not exists (select from judgements j where j.target_type = k.type and j.target_id = k.id::text);
alter table poll_comments force row level security;
alter table poll_options force row level security;
alter table polls force row level security;
alter table saying_submissions force row level security;
alter table sayings force row level security;
alter table judgements force row level security;

comment on column saying_submissions.verdict is 'no longer written: see judgements';
comment on column polls.verdict is 'no longer written: see judgements';
comment on column poll_comments.verdict is 'no longer written: see judgements';
