-- +goose Up
-- What the areas before the desk (0017) need to take part in it.

-- The queue follows its things: who may call a function may not write it with
-- this one, as it becomes the system.
-- +goose StatementBegin
create or replace function desk_waits(of_type text, of_id uuid, waits boolean, heading text, sender uuid, waiting_since timestamptz, except_for uuid default null)
  returns void
  language plpgsql as
$$
declare
  viewer text := current_setting('role');
begin
  if pg_trigger_depth() = 0 then
    raise exception 'only a change of the thing itself moves it in the queue' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('role', 'system', true);
  if waits then
    insert into desk_queue as q (target_type, target_id, title, sender_id, not_for, since)
    values (of_type, of_id, coalesce(nullif(left(btrim(regexp_replace(heading, '\s+', ' ', 'g')), 300), ''), of_type), sender, except_for, waiting_since)
    on conflict (target_type, target_id) do update
    set title = excluded.title, sender_id = excluded.sender_id, not_for = excluded.not_for, since = excluded.since
    where (q.title, q.sender_id, q.not_for, q.since) is distinct from (excluded.title, excluded.sender_id, excluded.not_for, excluded.since);
  else
    delete from desk_queue where target_type = of_type and target_id = of_id;
  end if;
  perform set_config('role', viewer, true);
end
$$;
-- +goose StatementEnd

-- A row waits while its status is the one named: of a trigger the arguments are
-- the word of the queue, that status, and the columns of title and sender.
-- +goose StatementBegin
create function desk_follows() returns trigger
  language plpgsql as
$$
declare
  sent jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform desk_waits(tg_argv[0], (sent ->> 'id')::uuid, tg_op <> 'DELETE' and sent ->> 'status' = tg_argv[1], sent ->> tg_argv[2],
    (sent ->> tg_argv[3])::uuid, (sent ->> 'created_at')::timestamptz);
  return null;
end
$$;
-- +goose StatementEnd
create trigger polls_wait after insert or update of status, question, author_id or delete on polls
  for each row execute function desk_follows('poll', 'draft', 'question', 'author_id');
create trigger poll_comments_wait after insert or update of status, account_id or delete on poll_comments
  for each row execute function desk_follows('poll_comment', 'pending', 'body', 'account_id');
create trigger apps_wait after insert or update of status, name, owner_id or delete on apps
  for each row execute function desk_follows('app', 'pending', 'name', 'owner_id');
create trigger directory_contributions_wait after insert or update of status, entry_name, account_id or delete on directory_contributions
  for each row execute function desk_follows('contribution', 'pending', 'entry_name', 'account_id');

-- Of reports the case waits, while any report of its target is open.
alter table report_cases add column id uuid not null default gen_random_uuid();
alter table report_cases add constraint report_cases_id_key unique (id);

-- Who reports sees neither the case nor what others reported, hence the role.
-- The lock lets changes of one case count its reports one after the other.
-- +goose StatementBegin
create function report_waits() returns trigger
  language plpgsql as
$$
declare
  viewer   text := current_setting('role');
  of_type  text := case when tg_op = 'DELETE' then old.target_type else new.target_type end;
  of_id    uuid := case when tg_op = 'DELETE' then old.target_id else new.target_id end;
  reported report_cases;
  oldest   timestamptz;
begin
  perform set_config('role', 'system', true);
  select * into reported from report_cases where target_type = of_type and target_id = of_id for update;
  select min(created_at) into oldest from reports where target_type = of_type and target_id = of_id and status = 'open';
  perform desk_waits('report', reported.id, oldest is not null, reported.title, null, oldest);
  perform set_config('role', viewer, true);
  return null;
end
$$;
-- +goose StatementEnd
create trigger reports_wait after insert or update of status or delete on reports
  for each row execute function report_waits();

-- A listing whose approval was undone keeps its entry, out of sight, for the
-- next decision.
alter table directory_contributions drop constraint directory_contributions_entry;
alter table directory_contributions add constraint directory_contributions_entry
  check (entry_id is not null or kind = 'listing' and status <> 'approved');

-- What waits already. Forced policies would hide the rows from the owner, those
-- of the sayings too, which 0017 looked for.
alter table desk_queue no force row level security;
alter table sayings no force row level security;
alter table saying_submissions no force row level security;
alter table polls no force row level security;
alter table poll_comments no force row level security;
alter table apps no force row level security;
alter table directory_contributions no force row level security;
alter table report_cases no force row level security;
alter table reports no force row level security;
insert into desk_queue (target_type, target_id, title, sender_id, since)
select w.type, w.id, coalesce(nullif(left(btrim(regexp_replace(w.title, '\s+', ' ', 'g')), 300), ''), w.type), w.sender, w.since
from (
  select 'saying' as type, y.id, y.text as title, s.submitted_by as sender, y.created_at as since
  from sayings y left join saying_submissions s on s.saying_id = y.id
  where y.status = 'pending'
  union all
  select 'poll', id, question, author_id, created_at from polls where status = 'draft'
  union all
  select 'poll_comment', id, body, account_id, created_at from poll_comments where status = 'pending'
  union all
  select 'app', id, name, owner_id, created_at from apps where status = 'pending'
  union all
  select 'contribution', id, entry_name, account_id, created_at from directory_contributions where status = 'pending'
  union all
  select 'report', c.id, c.title, null, min(r.created_at)
  from report_cases c join reports r on (r.target_type, r.target_id) = (c.target_type, c.target_id) and r.status = 'open'
  group by c.id, c.title
) w
on conflict (target_type, target_id) do nothing;
alter table reports force row level security;
alter table report_cases force row level security;
alter table directory_contributions force row level security;
alter table apps force row level security;
alter table poll_comments force row level security;
alter table polls force row level security;
alter table saying_submissions force row level security;
alter table sayings force row level security;
alter table desk_queue force row level security;

-- An award can be taken back: a reversal ends the round of its cause, and the
-- next award of that cause begins another. Each round pays once and is taken
-- back once.
alter table points_transactions add column round int not null default 1 check (round >= 1);
alter table points_transactions drop constraint points_transactions_kind_check;
alter table points_transactions add constraint points_transactions_kind_check
  check (kind in ('award', 'hold', 'post', 'void', 'spend', 'correction', 'reversal'));
alter table points_transactions drop constraint points_transactions_cause;
alter table points_transactions add constraint points_transactions_cause
  check (kind not in ('award', 'reversal') or ref_id is not null);
drop index points_transactions_award_once;
create unique index points_transactions_award_once on points_transactions (wallet_id, reason, ref_type, ref_id, round) where kind = 'award';
create unique index points_transactions_reversal_once on points_transactions (wallet_id, reason, ref_type, ref_id, round) where kind = 'reversal';

create or replace view points_transaction_faults with (security_invoker = true) as
select t.id as transaction_id, case
  when e.total is distinct from 0 then 'its entries sum to ' || coalesce(e.total::text, 'nothing')
  when t.kind || ' ' || e.flow not in (
    'award issued- member+', 'correction issued- member+', 'correction issued+ member-', 'reversal issued+ member-',
    'spend member- spent+', 'hold held+ member-', 'void held- member+', 'post held- spent+') or e.member_id <> t.wallet_id
    then 'its entries are not those of one ' || t.kind
  when (h.wallet_id, h.held_id, h.amount) is distinct from (t.wallet_id, e.held_id, e.amount) and t.hold_id is not null
    or t.kind = 'post' and h.state <> 'posted' or t.kind = 'void' and h.state <> 'voided'
    then 'it does not agree with its hold'
  end as fault
from points_transactions t
left join (
  select e.transaction_id, sum(e.delta) as total, max(e.delta) as amount,
    string_agg(w.kind || case when e.delta > 0 then '+' else '-' end, ' ' order by w.kind) as flow,
    (array_agg(w.id) filter (where w.kind = 'member'))[1] as member_id,
    (array_agg(w.id) filter (where w.kind = 'held'))[1] as held_id
  from points_entries e
  join points_wallets w on w.id = e.wallet_id
  group by e.transaction_id
) e on e.transaction_id = t.id
left join points_holds h on h.id = t.hold_id;

-- What was taken back is no longer earned.
-- +goose StatementBegin
create or replace function points_entry_booked() returns trigger
  language plpgsql as
$$
declare
  earner uuid;
begin
  update points_wallets
  set balance = balance + new.delta, events = events + 1
  where id = new.wallet_id and balance is not null
  returning balance, events into new.balance_after, new.seq;

  select w.account_id into earner
  from points_wallets w
  join points_transactions t on t.id = new.transaction_id
  where w.id = new.wallet_id and w.kind = 'member' and t.kind in ('award', 'correction', 'reversal');
  if earner is not null then
    update points_standings set points = points + new.delta where account_id = earner;
    if not found then
      -- Locked: an opt-out of this moment comes either before or after.
      insert into points_standings (account_id, points, listed)
      select p.account_id, new.delta, not (p.leaderboard_opt_out or p.pending)
      from profiles p
      where p.account_id = earner
      for share;
    end if;
  end if;
  return new;
end
$$;
-- +goose StatementEnd
