-- +goose Up
-- Settings that differ from their default (CONTRACT.md §6). The list of all
-- settings, with defaults and meaning, is core/settings.
create table settings (
  key        text primary key,
  value      text not null,
  updated_at timestamptz not null default now(),
  updated_by uuid
);

-- Idempotency-Key of writes (CONTRACT.md §1): stored in the transaction of the
-- effect; the answer follows once it is finished. Rows live for 24 hours.
create table idempotency_keys (
  caller       text not null,
  key          text not null check (length(key) between 1 and 255),
  request_hash bytea not null check (length(request_hash) = 32),
  answer       jsonb,
  created_at   timestamptz not null default now(),
  primary key (caller, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Exact sliding windows, counted over all instances. Unlogged: after a crash
-- of the database server everybody may start afresh.
create unlogged table rate_limits (
  key        text primary key,
  hits       timestamptz[] not null,
  expires_at timestamptz not null
);
create index rate_limits_expires_at on rate_limits (expires_at);

-- Gazetteers that an operator imported instead of the built-in ones, in the
-- encoding of core/geo.
create table gazetteers (
  name        text primary key,
  data        bytea not null,
  imported_at timestamptz not null default now()
);

alter table settings enable row level security;
alter table settings force row level security;
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
alter table rate_limits enable row level security;
alter table rate_limits force row level security;
alter table gazetteers enable row level security;
alter table gazetteers force row level security;

grant select, insert, update, delete on settings, idempotency_keys, rate_limits, gazetteers to system;
create policy settings_system on settings to system using (true) with check (true);
create policy idempotency_keys_system on idempotency_keys to system using (true) with check (true);
create policy rate_limits_system on rate_limits to system using (true) with check (true);
create policy gazetteers_system on gazetteers to system using (true) with check (true);

-- A claim is stored in the transaction of the effect, so by whoever causes it.
-- Nobody but the system can read one back.
grant insert (caller, key, request_hash) on idempotency_keys to anon, member, staff;
create policy idempotency_keys_claim on idempotency_keys for insert to anon, member, staff with check (answer is null);

-- The one atomic step of a rate limit: forgets what left the window, counts
-- this try when there is room, and tells how it went. `reset_after` is when the
-- oldest counted try leaves the window; after a refusal, when one more fits.
-- +goose StatementBegin
create function rate_limit_take(
  limit_key text, most int, per interval,
  out allowed boolean, out remaining int, out reset_after interval)
  language plpgsql as
$$
declare
  moment timestamptz;
  recent timestamptz[];
  used   int;
begin
  -- Locks the row, present or not, until the transaction ends.
  insert into rate_limits as r (key, hits, expires_at)
  values (limit_key, '{}', clock_timestamp() + per)
  on conflict (key) do update set hits = r.hits
  returning r.hits into recent;

  -- Only now, so that tries that waited for each other are counted in order.
  moment := clock_timestamp();
  recent := array(select h from unnest(recent) h where h > moment - per order by h);
  used := cardinality(recent);
  allowed := used < most;
  if allowed then
    recent := recent || moment;
    used := used + 1;
    reset_after := recent[1] + per - moment;
  else
    reset_after := coalesce(recent[used - greatest(most, 1) + 1] + per - moment, per);
  end if;
  remaining := greatest(most - used, 0);
  update rate_limits set hits = recent, expires_at = moment + per where key = limit_key;
end
$$;
-- +goose StatementEnd
