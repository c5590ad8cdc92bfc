-- +goose Up
-- Polls. Whether one is open follows from its times when it is read; nothing
-- has to run for it to close.
create table polls (
  id             uuid primary key,
  slug           text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80),
  question       text not null check (length(question) between 1 and 280),
  description    text not null default '' check (length(description) <= 2000),
  status         text not null default 'draft' check (status in ('draft', 'published', 'refused')),
  daily_for      date, -- the UTC day whose poll it is; null for a community poll
  opens_at       timestamptz,
  closes_at      timestamptz, -- brought forward where staff close it early
  closed_by      uuid references accounts on delete set null,
  allow_comments boolean not null default true,
  author_id      uuid references accounts on delete set null, -- null: nobody, or one who left
  verdict        jsonb check (jsonb_typeof(verdict) = 'object'),
  reason         text not null default '' check (length(reason) <= 500),
  decided_by     uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at     timestamptz,
  hidden_at      timestamptz,
  created_at     timestamptz not null default now(),
  constraint polls_slug_key unique (slug),
  constraint polls_daily_for_key unique (daily_for),
  constraint polls_daily check ((daily_for is not null) = (slug ~ '^daily-[0-9]{4}-[0-9]{2}-[0-9]{2}$')),
  constraint polls_daily_public check (daily_for is null or status = 'published' and author_id is null),
  constraint polls_times check ((status = 'published') = (opens_at is not null) and (opens_at is null) = (closes_at is null)),
  constraint polls_refusal check ((status = 'refused') = (reason <> ''))
);
create index polls_public on polls (opens_at desc, id desc) where status = 'published' and hidden_at is null;
create index polls_queue on polls (created_at, id) where status = 'draft';
create index polls_author on polls (author_id, created_at desc, id desc) where author_id is not null;

create table poll_options (
  id         uuid primary key,
  poll_id    uuid not null references polls on delete cascade,
  label      text not null check (length(label) between 1 and 120),
  sort_order int not null check (sort_order between 1 and 8),
  votes      int not null default 0 check (votes >= 0), -- kept by poll_vote_counted
  constraint poll_options_order_key unique (poll_id, sort_order),
  constraint poll_options_of_poll unique (poll_id, id)
);

-- A vote holds a hash of what tells voters apart, keyed with the secret of the
-- installation: neither the cookie nor the address can be found from it.
create table poll_votes (
  poll_id    uuid not null references polls on delete cascade,
  option_id  uuid not null,
  voter_hash bytea not null check (length(voter_hash) = 32),
  account_id uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  primary key (poll_id, voter_hash),
  constraint poll_votes_option_fkey foreign key (poll_id, option_id) references poll_options (poll_id, id) on delete cascade
);
create unique index poll_votes_account on poll_votes (poll_id, account_id) where account_id is not null;
create index poll_votes_of_account on poll_votes (account_id) where account_id is not null;

-- A comment came with a vote. It does not say with which: who signs a comment
-- would show how they voted.
create table poll_comments (
  id         uuid primary key,
  poll_id    uuid not null references polls on delete cascade,
  body       text not null check (length(body) between 1 and 500),
  account_id uuid references accounts on delete set null, -- null: nobody was signed in, or who was left
  status     text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  verdict    jsonb check (jsonb_typeof(verdict) = 'object'),
  reason     text not null default '' check (length(reason) <= 500),
  decided_by uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  constraint poll_comments_decision check ((decided_at is not null) = (status <> 'pending'))
);
create index poll_comments_shown on poll_comments (poll_id, created_at desc, id desc) where status = 'approved';
create index poll_comments_queue on poll_comments (created_at, id) where status = 'pending';
create index poll_comments_account on poll_comments (account_id, created_at desc, id desc) where account_id is not null;

-- Tallies are public and votes are not, so each vote counts where it may be read.
-- +goose StatementBegin
create function poll_vote_counted() returns trigger
  language plpgsql as
$$
begin
  update poll_options set votes = votes + 1 where id = new.option_id;
  return null;
end
$$;

-- At most 20 polls of a member wait at a time, however many are sent at once.
create function poll_room() returns trigger
  language plpgsql as
$$
begin
  perform pg_advisory_xact_lock(hashtextextended('polls ' || new.author_id, 0));
  if (select count(*) from polls where author_id = new.author_id and status = 'draft') >= 20 then
    raise exception 'account % has 20 polls waiting', new.author_id
      using errcode = 'check_violation', constraint = 'polls_room';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger poll_votes_counted after insert on poll_votes
  for each row execute function poll_vote_counted();
create trigger polls_room before insert on polls
  for each row when (new.status = 'draft' and new.author_id is not null) execute function poll_room();

alter table polls enable row level security;
alter table polls force row level security;
alter table poll_options enable row level security;
alter table poll_options force row level security;
alter table poll_votes enable row level security;
alter table poll_votes force row level security;
alter table poll_comments enable row level security;
alter table poll_comments force row level security;

grant select, insert, update, delete on polls, poll_options, poll_votes, poll_comments to system;
create policy polls_system on polls to system using (true) with check (true);
create policy poll_options_system on poll_options to system using (true) with check (true);
create policy poll_votes_system on poll_votes to system using (true) with check (true);
create policy poll_comments_system on poll_comments to system using (true) with check (true);

-- Polls. A member makes a draft; only staff and the program publish one.
grant select (id, slug, question, description, status, daily_for, opens_at, closes_at, allow_comments, author_id, reason, decided_at, hidden_at, created_at)
  on polls to anon, member;
grant select on polls to staff;
grant insert (id, slug, question, description, allow_comments, author_id, created_at) on polls to member, staff;
grant update (status, opens_at, closes_at, closed_by, reason, decided_by, decided_at, hidden_at) on polls to staff;

create policy polls_public on polls for select to anon
  using (status = 'published' and hidden_at is null);
create policy polls_member on polls for select to member
  using ((status = 'published' and hidden_at is null) or author_id = (select viewer_id()));
create policy polls_staff on polls for select to staff using (true);
create policy polls_offer on polls for insert to member, staff
  with check (author_id = (select viewer_id()) and status = 'draft');
create policy polls_decide on polls for update to staff
  using (author_id is distinct from (select viewer_id())) with check (author_id is distinct from (select viewer_id()));

-- Options are read by whoever sees the poll, and come with its draft.
grant select on poll_options to anon, member, staff;
grant insert (id, poll_id, label, sort_order) on poll_options to member, staff;
create policy poll_options_read on poll_options for select to anon, member, staff
  using (exists (select from polls p where p.id = poll_id));
create policy poll_options_offer on poll_options for insert to member, staff
  with check (exists (select from polls p where p.id = poll_id and p.author_id = (select viewer_id()) and p.status = 'draft'));

-- Staff see that votes came in and when, not from whom.
grant select (poll_id, option_id, created_at) on poll_votes to staff;
create policy poll_votes_staff on poll_votes for select to staff using (true);

-- Comments. The program stores them with the vote.
grant select (id, poll_id, body, account_id, status, reason, decided_at, created_at) on poll_comments to anon, member;
grant select on poll_comments to staff;
grant update (status, reason, decided_by, decided_at) on poll_comments to staff;
create policy poll_comments_public on poll_comments for select to anon
  using (status = 'approved' and exists (select from polls p where p.id = poll_id));
create policy poll_comments_member on poll_comments for select to member
  using ((status = 'approved' and exists (select from polls p where p.id = poll_id)) or account_id = (select viewer_id()));
create policy poll_comments_staff on poll_comments for select to staff using (true);
create policy poll_comments_decide on poll_comments for update to staff
  using (account_id is distinct from (select viewer_id()))
  with check (account_id is distinct from (select viewer_id()) and status <> 'pending' and decided_by = (select viewer_id()));
