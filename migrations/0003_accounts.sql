-- +goose Up
-- An account is split by who may read it: `accounts` its owner and staff,
-- `profiles` everybody, `passwords` the system alone.
create table accounts (
  id                uuid primary key,
  email             citext not null,
  role              text not null default 'member' check (role in ('member', 'moderator', 'admin')),
  email_verified_at timestamptz,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  constraint accounts_email_key unique (email),
  constraint accounts_email_form check (length(email) between 3 and 254 and position('@' in email) > 1)
);

create table profiles (
  account_id          uuid primary key references accounts on delete cascade,
  username            citext not null,
  display_name        text check (length(display_name) between 1 and 60),
  bio                 text not null default '' check (length(bio) <= 500),
  avatar_url          text,
  leaderboard_opt_out boolean not null default false,
  created_at          timestamptz not null default now(),
  constraint profiles_username_key unique (username),
  constraint profiles_username_form check (username::text ~ '^[a-z0-9][a-z0-9_-]{1,29}$')
);

create table passwords (
  account_id uuid primary key references accounts on delete cascade,
  hash       text not null,
  changed_at timestamptz not null default now()
);

-- Personal tokens (CONTRACT.md §2): the hash and the last four characters are
-- all that is kept of one.
create table personal_tokens (
  id           uuid primary key,
  account_id   uuid not null references accounts on delete cascade,
  label        text not null check (length(label) between 1 and 60),
  hash         bytea not null check (length(hash) = 32),
  last_four    text not null check (length(last_four) = 4),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  constraint personal_tokens_hash_key unique (hash)
);
create index personal_tokens_account on personal_tokens (account_id, created_at desc);

alter table accounts enable row level security;
alter table accounts force row level security;
alter table profiles enable row level security;
alter table profiles force row level security;
alter table passwords enable row level security;
alter table passwords force row level security;
alter table personal_tokens enable row level security;
alter table personal_tokens force row level security;

grant select, insert, update, delete on accounts, profiles, passwords, personal_tokens to system;
create policy accounts_system on accounts to system using (true) with check (true);
create policy profiles_system on profiles to system using (true) with check (true);
create policy passwords_system on passwords to system using (true) with check (true);
create policy personal_tokens_system on personal_tokens to system using (true) with check (true);

grant select on accounts to member, staff;
create policy accounts_own on accounts for select to member using (id = (select viewer_id()));
create policy accounts_staff on accounts for select to staff using (true);

grant select on profiles to anon, member, staff;
create policy profiles_public on profiles for select to anon, member, staff using (true);
grant update (display_name, bio, avatar_url, leaderboard_opt_out) on profiles to member, staff;
create policy profiles_own on profiles for update to member, staff
  using (account_id = (select viewer_id())) with check (account_id = (select viewer_id()));

-- Staff have no more right to another's tokens than members have.
grant select, insert on personal_tokens to member, staff;
grant update (label, revoked_at) on personal_tokens to member, staff;
create policy personal_tokens_own on personal_tokens to member, staff
  using (account_id = (select viewer_id())) with check (account_id = (select viewer_id()));
