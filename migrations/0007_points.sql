-- +goose Up
-- Points are a double-entry ledger (CONTRACT.md §3 Points). Every movement is a
-- transaction of two entries that sum to zero, and nothing of it is ever
-- changed. What must hold is held here: the triggers below number the entries,
-- keep the balances and prove each transaction at commit.

-- Where points are. A member has a wallet, and one for what is held of it;
-- both stay, without a name, when the account goes. `issued` and `spent` are
-- where points come from and go to: they keep no running balance, so that
-- awards to different members never wait for each other.
create table points_wallets (
  id         uuid primary key,
  kind       text not null check (kind in ('member', 'held', 'issued', 'spent')),
  account_id uuid references accounts on delete set null,
  balance    bigint check (balance >= 0),
  events     bigint not null default 0 check (events >= 0), -- entries so far of a wallet with a balance
  created_at timestamptz not null default now(),
  constraint points_wallets_balance check ((balance is not null) = (kind in ('member', 'held'))),
  constraint points_wallets_site check (account_id is null or kind in ('member', 'held'))
);
create unique index points_wallets_account on points_wallets (account_id, kind) where account_id is not null;

-- Points set aside until a decision: posted to `spent`, or given back.
create table points_holds (
  id         uuid primary key,
  wallet_id  uuid not null references points_wallets, -- the member's
  held_id    uuid not null references points_wallets, -- where the points wait
  amount     bigint not null check (amount > 0),
  state      text not null default 'open' check (state in ('open', 'posted', 'voided')),
  created_at timestamptz not null,
  settled_at timestamptz,
  constraint points_holds_settled check ((settled_at is null) = (state = 'open'))
);
create index points_holds_open on points_holds (wallet_id) where state = 'open';
create index points_holds_held on points_holds (held_id) where state = 'open';

create table points_transactions (
  id         uuid primary key,
  kind       text not null check (kind in ('award', 'hold', 'post', 'void', 'spend', 'correction')),
  wallet_id  uuid not null references points_wallets, -- of the member whom it concerns
  reason     text not null check (reason ~ '^[a-z][a-z_]{0,59}$'),
  detail     text not null default '' check (length(detail) <= 300),
  ref_type   text check (length(ref_type) between 1 and 60),
  ref_id     text check (length(ref_id) between 1 and 200),
  hold_id    uuid references points_holds,
  created_by uuid, -- of a correction: who made it; null for the program
  created_at timestamptz not null,
  constraint points_transactions_ref check ((ref_type is null) = (ref_id is null)),
  constraint points_transactions_cause check (kind <> 'award' or ref_id is not null),
  constraint points_transactions_hold check ((hold_id is not null) = (kind in ('hold', 'post', 'void')))
);
-- One cause pays once, and a hold is made once and settled once.
create unique index points_transactions_award_once on points_transactions (wallet_id, reason, ref_type, ref_id) where kind = 'award';
create unique index points_transactions_held_once on points_transactions (hold_id) where kind = 'hold';
create unique index points_transactions_settled_once on points_transactions (hold_id) where kind in ('post', 'void');

create table points_entries (
  id             uuid primary key,
  transaction_id uuid not null references points_transactions,
  wallet_id      uuid not null references points_wallets,
  delta          bigint not null check (delta <> 0),
  balance_after  bigint, -- this and seq: of wallets with a balance
  seq            bigint, -- 1, 2, 3 … of its wallet
  constraint points_entries_once unique (transaction_id, wallet_id),
  constraint points_entries_seq unique (wallet_id, seq)
);

-- What an account has earned in total, awards and corrections: spending does
-- not lower it. `listed` says whether the profile lets everybody see it, so that
-- a page of the leaderboard is read off the index.
create table points_standings (
  account_id uuid primary key references accounts on delete cascade,
  points     bigint not null check (points >= 0),
  listed     boolean not null
);
create index points_standings_order on points_standings (points desc, account_id) where listed and points > 0;

-- Whatever the caller says of balance_after and seq, the wallet decides.
-- +goose StatementBegin
create function points_entry_booked() returns trigger
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
  where w.id = new.wallet_id and w.kind = 'member' and t.kind in ('award', 'correction');
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
create trigger points_entries_booked before insert on points_entries
  for each row execute function points_entry_booked();

-- The leaderboard follows the profile. Its owner may not write standings, hence
-- the role; a function that is declared to have it could only be made by one
-- of its members, which the owner of a database need not be.
-- +goose StatementBegin
create function points_standing_listed() returns trigger
  language plpgsql as
$$
declare
  viewer text := current_setting('role');
begin
  perform set_config('role', 'system', true);
  update points_standings set listed = not (new.leaderboard_opt_out or new.pending) where account_id = new.account_id;
  perform set_config('role', viewer, true);
  return null;
end
$$;
-- +goose StatementEnd
create trigger profiles_standing_listed after update of leaderboard_opt_out, pending on profiles
  for each row when ((new.leaderboard_opt_out, new.pending) is distinct from (old.leaderboard_opt_out, old.pending))
  execute function points_standing_listed();

-- A balance moves by entries alone, and a wallet loses its account but never
-- gets another.
-- +goose StatementBegin
create function points_wallet_guarded() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'INSERT' then
    if coalesce(new.balance, 0) <> 0 or new.events <> 0 then
      raise exception 'a wallet begins empty' using errcode = 'check_violation', constraint = 'points_wallets_guarded';
    end if;
    return new;
  end if;
  if (new.id, new.kind, new.created_at) is distinct from (old.id, old.kind, old.created_at)
    or (new.account_id is distinct from old.account_id and new.account_id is not null)
    -- Depth 1 is this trigger itself: nobody but another trigger is deeper.
    or ((new.balance, new.events) is distinct from (old.balance, old.events) and pg_trigger_depth() < 2) then
    raise exception 'wallet % changes by entries alone', old.id using errcode = 'check_violation', constraint = 'points_wallets_guarded';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger points_wallets_guarded before insert or update on points_wallets
  for each row execute function points_wallet_guarded();

-- +goose StatementBegin
create function points_hold_guarded() returns trigger
  language plpgsql as
$$
begin
  if old.state <> 'open' or new.state = 'open'
    or (new.id, new.wallet_id, new.held_id, new.amount, new.created_at)
      is distinct from (old.id, old.wallet_id, old.held_id, old.amount, old.created_at) then
    raise exception 'hold % is settled once and changes in nothing else', old.id
      using errcode = 'check_violation', constraint = 'points_holds_guarded';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger points_holds_guarded before update on points_holds
  for each row execute function points_hold_guarded();

-- +goose StatementBegin
create function points_append_only() returns trigger
  language plpgsql as
$$
begin
  raise exception '% keeps what was written', tg_table_name using errcode = 'check_violation', constraint = 'points_append_only';
end
$$;
-- +goose StatementEnd
create trigger points_entries_append_only before update or delete or truncate on points_entries
  for each statement execute function points_append_only();
create trigger points_transactions_append_only before update or delete or truncate on points_transactions
  for each statement execute function points_append_only();
create trigger points_holds_append_only before delete or truncate on points_holds
  for each statement execute function points_append_only();
create trigger points_wallets_append_only before delete or truncate on points_wallets
  for each statement execute function points_append_only();

-- What is wrong with each transaction, null for nothing: it has two entries that
-- sum to zero, from and to the wallets that its kind says; of a hold the
-- amount, the wallets and the state.
create view points_transaction_faults with (security_invoker = true) as
select t.id as transaction_id, case
  when e.total is distinct from 0 then 'its entries sum to ' || coalesce(e.total::text, 'nothing')
  when t.kind || ' ' || e.flow not in (
    'award issued- member+', 'correction issued- member+', 'correction issued+ member-', 'spend member- spent+',
    'hold held+ member-', 'void held- member+', 'post held- spent+') or e.member_id <> t.wallet_id
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

-- What is wrong with each hold, null for nothing.
create view points_hold_faults with (security_invoker = true) as
select h.id as hold_id, case
  when t.made is not true then 'nothing was set aside for it'
  when own.account_id is distinct from held.account_id then 'its wallets are those of two members'
  when h.state <> coalesce(t.outcome, 'open') then 'it is ' || h.state || ', but its transactions say otherwise'
  end as fault
from points_holds h
join points_wallets own on own.id = h.wallet_id
join points_wallets held on held.id = h.held_id
left join (
  select hold_id, bool_or(kind = 'hold') as made, max(case kind when 'post' then 'posted' when 'void' then 'voided' end) as outcome
  from points_transactions
  where hold_id is not null
  group by hold_id
) t on t.hold_id = h.id;

-- Runs at commit, when the transaction has become its viewer again, who does
-- not see all of the ledger: hence the role.
-- +goose StatementBegin
create function points_proven() returns trigger
  language plpgsql as
$$
declare
  viewer text := current_setting('role');
  wrong  text;
begin
  perform set_config('role', 'system', true);
  if tg_table_name = 'points_holds' then
    select fault into wrong from points_hold_faults where hold_id = new.id;
  elsif tg_table_name = 'points_entries' then
    select fault into wrong from points_transaction_faults where transaction_id = new.transaction_id;
  else
    select fault into wrong from points_transaction_faults where transaction_id = new.id;
  end if;
  if wrong is not null then
    raise exception '% %: %', tg_table_name, new.id, wrong using errcode = 'check_violation', constraint = 'points_proven';
  end if;
  perform set_config('role', viewer, true);
  return null;
end
$$;
-- +goose StatementEnd
create constraint trigger points_transactions_proven after insert on points_transactions
  deferrable initially deferred for each row execute function points_proven();
create constraint trigger points_entries_proven after insert on points_entries
  deferrable initially deferred for each row execute function points_proven();
create constraint trigger points_holds_proven after insert or update on points_holds
  deferrable initially deferred for each row execute function points_proven();

insert into points_wallets (id, kind) values
  ('00000000-0000-7000-8000-000000000001', 'issued'),
  ('00000000-0000-7000-8000-000000000002', 'spent');
create unique index points_wallets_one_issued on points_wallets (kind) where kind in ('issued', 'spent');

alter table points_wallets enable row level security;
alter table points_wallets force row level security;
alter table points_holds enable row level security;
alter table points_holds force row level security;
alter table points_transactions enable row level security;
alter table points_transactions force row level security;
alter table points_entries enable row level security;
alter table points_entries force row level security;
alter table points_standings enable row level security;
alter table points_standings force row level security;

grant select, insert on points_wallets, points_holds, points_transactions, points_entries, points_standings to system;
grant select on points_transaction_faults, points_hold_faults to system;
grant update (balance, events) on points_wallets to system;
grant update (state, settled_at) on points_holds to system;
grant update (points, listed) on points_standings to system;
create policy points_wallets_system on points_wallets to system using (true) with check (true);
create policy points_holds_system on points_holds to system using (true) with check (true);
create policy points_transactions_system on points_transactions to system using (true) with check (true);
create policy points_entries_system on points_entries to system using (true) with check (true);
create policy points_standings_system on points_standings to system using (true) with check (true);

-- People read what is theirs, and staff no other's.
grant select on points_wallets, points_holds, points_entries to member, staff;
grant select (id, kind, wallet_id, reason, detail, ref_type, ref_id, hold_id, created_at) on points_transactions to member, staff;
create policy points_wallets_own on points_wallets for select to member, staff
  using (account_id = (select viewer_id()));
create policy points_holds_own on points_holds for select to member, staff
  using (wallet_id in (select id from points_wallets where account_id = (select viewer_id())));
create policy points_transactions_own on points_transactions for select to member, staff
  using (wallet_id in (select id from points_wallets where account_id = (select viewer_id())));
create policy points_entries_own on points_entries for select to member, staff
  using (wallet_id in (select id from points_wallets where account_id = (select viewer_id())));

-- Everybody sees who is on the leaderboard, and people their own standing.
grant select on points_standings to anon, member, staff;
create policy points_standings_public on points_standings for select to anon, member, staff
  using (listed or account_id = (select viewer_id()));
