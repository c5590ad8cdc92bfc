-- +goose Up
-- People as an outside identity provider knows them (CONTRACT.md §2). Issuer
-- and subject name somebody for good; an account may have several.
create table account_identities (
  id         uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  issuer     text not null check (length(issuer) between 1 and 2000),
  subject    text not null check (length(subject) between 1 and 255),
  email      citext check (length(email) <= 254), -- as the provider gave it when the link was made
  created_at timestamptz not null default now(),
  constraint account_identities_subject_key unique (issuer, subject)
);
create index account_identities_account on account_identities (account_id, created_at);

alter table account_identities enable row level security;
alter table account_identities force row level security;

grant select, insert, update, delete on account_identities to system;
create policy account_identities_system on account_identities to system using (true) with check (true);

-- People see their own, and staff no other's; the system alone makes and ends
-- a link, since it is a way in.
grant select on account_identities to member, staff;
create policy account_identities_own on account_identities for select to member, staff
  using (account_id = (select viewer_id()));
