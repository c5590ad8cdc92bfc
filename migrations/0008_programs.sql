-- +goose Up
-- Keys that sign the access tokens of programs (CONTRACT.md §2). The private
-- half is sealed with the installation's secret. Exactly one key is not
-- retired: the one that signs now, or the next one, published ahead of time.
-- A retired key stays until the last token that it signed has expired.
create table signing_keys (
  kid            text primary key check (length(kid) between 1 and 100),
  algorithm      text not null check (algorithm = 'ES256'),
  public_jwk     jsonb not null,
  private_sealed bytea not null,
  created_at     timestamptz not null,
  active_from    timestamptz not null,
  retired_at     timestamptz,
  expires_at     timestamptz,
  constraint signing_keys_retirement check ((retired_at is null) = (expires_at is null) and expires_at > retired_at)
);
create unique index signing_keys_one_not_retired on signing_keys ((true)) where retired_at is null;

-- Signed-in programs. Nothing of a token is kept: a refresh token is worked
-- out from the session's id, its generation and the installation's secret.
create table program_sessions (
  id           uuid primary key,
  account_id   uuid not null references accounts on delete cascade,
  origin       text not null check (origin in ('password', 'browser', 'provider')),
  created_at   timestamptz not null,
  signed_in_at timestamptz not null,
  last_used_at timestamptz not null,
  refreshed_at timestamptz not null,
  expires_at   timestamptz not null,
  generation   integer not null default 1 check (generation >= 1),
  user_agent   text not null default '' check (length(user_agent) <= 300),
  address_key  text not null default '' check (length(address_key) <= 64)
);
create index program_sessions_account on program_sessions (account_id, last_used_at desc);
create index program_sessions_expires_at on program_sessions (expires_at);

alter table signing_keys enable row level security;
alter table signing_keys force row level security;
alter table program_sessions enable row level security;
alter table program_sessions force row level security;

grant select, insert, update, delete on signing_keys, program_sessions to system;
create policy signing_keys_system on signing_keys to system using (true) with check (true);
create policy program_sessions_system on program_sessions to system using (true) with check (true);

-- People see and end their own sessions, and staff no other's.
grant select (id, account_id, origin, created_at, signed_in_at, last_used_at, expires_at, user_agent, address_key)
  on program_sessions to member, staff;
grant delete on program_sessions to member, staff;
create policy program_sessions_own on program_sessions for select to member, staff using (account_id = (select viewer_id()));
create policy program_sessions_end_own on program_sessions for delete to member, staff using (account_id = (select viewer_id()));
