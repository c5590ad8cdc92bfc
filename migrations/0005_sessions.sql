-- +goose Up
-- Web sessions (CONTRACT.md §2). Of the token in the cookie only its hash is
-- kept. A session without an account belongs to a visitor who was told
-- something that the next page shows.
create table web_sessions (
  token_hash   text primary key check (length(token_hash) = 43),
  id           uuid not null,
  account_id   uuid references accounts on delete cascade,
  data         bytea not null check (length(data) <= 65536),
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  user_agent   text not null default '' check (length(user_agent) <= 300),
  address_key  text not null default '' check (length(address_key) <= 64),
  constraint web_sessions_id_key unique (id)
);
create index web_sessions_account on web_sessions (account_id, last_seen_at desc) where account_id is not null;
create index web_sessions_expires_at on web_sessions (expires_at);

-- One-time links that were mailed. An account has at most one for each
-- purpose: a new one takes the place of the older.
create table account_links (
  hash       bytea primary key check (length(hash) = 32),
  account_id uuid not null references accounts on delete cascade,
  purpose    text not null check (purpose in ('verify', 'recover')),
  email      citext not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  constraint account_links_purpose_key unique (account_id, purpose)
);
create index account_links_expires_at on account_links (expires_at);

-- Usernames that were asked for with an e-mail address that has an account
-- already. They count as taken for as long as an account that nobody verifies
-- would hold them, so that a free username does not tell whose address is known.
create table username_holds (
  username   citext primary key check (length(username) <= 30),
  expires_at timestamptz not null
);
create index username_holds_expires_at on username_holds (expires_at);

-- A profile is pending until the e-mail address behind it is verified: nobody
-- sees it but its owner, and its account cannot sign in.
alter table profiles add column pending boolean not null default false;
create index profiles_pending on profiles (created_at) where pending;

alter policy profiles_public on profiles using (not pending or account_id = (select viewer_id()));

alter table web_sessions enable row level security;
alter table web_sessions force row level security;
alter table account_links enable row level security;
alter table account_links force row level security;
alter table username_holds enable row level security;
alter table username_holds force row level security;

grant select, insert, update, delete on web_sessions, account_links, username_holds to system;
create policy web_sessions_system on web_sessions to system using (true) with check (true);
create policy account_links_system on account_links to system using (true) with check (true);
create policy username_holds_system on username_holds to system using (true) with check (true);

-- People see and end their own sessions, and staff no other's: without the
-- token's hash and the contents.
grant select (id, account_id, created_at, last_seen_at, expires_at, user_agent, address_key) on web_sessions to member, staff;
grant delete on web_sessions to member, staff;
create policy web_sessions_own on web_sessions for select to member, staff using (account_id = (select viewer_id()));
create policy web_sessions_end_own on web_sessions for delete to member, staff using (account_id = (select viewer_id()));
