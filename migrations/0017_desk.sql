-- +goose Up
-- The moderators' desk (CONTRACT.md §4). What waits anywhere has one row here,
-- which triggers of the areas' tables keep, so that no way of changing a thing
-- can forget it; the row goes when the thing no longer waits.
create table desk_queue (
  target_type   text not null check (length(target_type) between 1 and 60),
  target_id     uuid not null,
  title         text not null check (length(title) between 1 and 300),
  sender_id     uuid, -- account; null: nobody was signed in, or they left
  not_for       uuid, -- of an appeal: who decided before, and may not again
  since         timestamptz not null,
  claimed_by    uuid references accounts on delete set null,
  claimed_until timestamptz,
  primary key (target_type, target_id),
  constraint desk_queue_claim check (claimed_by is null or claimed_until is not null)
);
create index desk_queue_order on desk_queue (since, target_type, target_id);
create index desk_queue_type on desk_queue (target_type, since, target_id);

-- What triggers of the areas call: a thing waits, or no longer does. Whoever
-- sends it may not write the queue, hence the role.
-- +goose StatementBegin
create function desk_waits(of_type text, of_id uuid, waits boolean, heading text, sender uuid, waiting_since timestamptz, except_for uuid default null)
  returns void
  language plpgsql as
$$
declare
  viewer text := current_setting('role');
begin
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

-- Notes that moderators leave each other; the sender never reads them.
create table desk_notes (
  id          uuid primary key,
  target_type text not null check (length(target_type) between 1 and 60),
  target_id   uuid not null,
  author_id   uuid references accounts on delete set null,
  body        text not null check (length(body) between 1 and 2000),
  created_at  timestamptz not null
);
create index desk_notes_target on desk_notes (target_type, target_id, created_at);

-- What was decided at the desk, so that it can be undone for a while, and so that
-- the sender has a history. The audit log is what stays for good.
create table desk_decisions (
  id          uuid primary key,
  batch_id    uuid not null, -- those that were decided together are undone together
  target_type text not null check (length(target_type) between 1 and 60),
  target_id   uuid not null,
  title       text not null check (length(title) between 1 and 300),
  sender_id   uuid references accounts on delete set null,
  action      text not null check (action in ('approve', 'reject', 'abusive', 'hide', 'keep', 'restore')),
  reason      text not null default '' check (length(reason) <= 1000),
  memo        jsonb, -- what the area needs to undo it
  decided_by  uuid references accounts on delete set null,
  decided_at  timestamptz not null,
  undone_at   timestamptz
);
create index desk_decisions_batch on desk_decisions (batch_id);
create index desk_decisions_target on desk_decisions (target_type, target_id, decided_at desc);
create index desk_decisions_sender on desk_decisions (sender_id, decided_at desc) where sender_id is not null;
create index desk_decisions_by on desk_decisions (decided_by, decided_at desc) where decided_by is not null;

-- Reasons that fit often; staff keep them.
create table desk_replies (
  id          uuid primary key,
  target_type text not null default '' check (length(target_type) <= 60), -- '' fits every queue
  body        text not null check (length(body) between 1 and 500),
  created_at  timestamptz not null,
  constraint desk_replies_body_key unique (target_type, body)
);

insert into desk_replies (id, target_type, body, created_at) values
  (gen_random_uuid(), '', 'We have this already.', now()),
  (gen_random_uuid(), '', 'This reads like an advertisement. Say it in plain words, as you would tell a neighbour.', now()),
  (gen_random_uuid(), '', 'This is unkind to somebody. Say the same without hurting anyone, and it is welcome.', now()),
  (gen_random_uuid(), 'contribution', 'We have this already. If something is wrong there, open it and suggest a change.', now()),
  (gen_random_uuid(), 'contribution', 'We could not find out whether this is right. A website or a phone number would help.', now()),
  (gen_random_uuid(), 'contribution', 'This is about a private address, which we do not publish without the consent of who lives there.', now()),
  (gen_random_uuid(), 'contribution', 'This is not the kind of thing that the directory lists.', now()),
  (gen_random_uuid(), 'saying', 'This is a line from a song, a book or a speech that belongs to somebody. We take what has no author.', now()),
  (gen_random_uuid(), 'saying', 'We could not find out whether it is really said there. Tell us where you heard it.', now()),
  (gen_random_uuid(), 'report', 'We looked into it, and it is right as it stands.', now()),
  (gen_random_uuid(), 'report', 'We looked into it, and you are right. Thank you for telling us.', now()),
  (gen_random_uuid(), 'appeal', 'Another moderator looked at it again and comes to the same end.', now());

-- A member asks, once for each thing, that somebody else looks again.
create table desk_appeals (
  id          uuid primary key,
  target_type text not null check (length(target_type) between 1 and 60),
  target_id   uuid not null,
  title       text not null check (length(title) between 1 and 300), -- of the target at the time
  account_id  uuid references accounts on delete cascade,
  body        text not null check (length(body) between 1 and 2000),
  against_id  uuid, -- account of who decided; null: the program. Not a foreign key: it stays true
  status      text not null default 'open' check (status in ('open', 'granted', 'declined')),
  reason      text not null default '' check (length(reason) <= 500),
  decided_by  uuid references accounts on delete set null,
  decided_at  timestamptz,
  created_at  timestamptz not null,
  constraint desk_appeals_once unique (target_type, target_id, account_id),
  constraint desk_appeals_decision check ((decided_at is not null) = (status <> 'open'))
);
create index desk_appeals_account on desk_appeals (account_id, created_at desc);

-- +goose StatementBegin
create function desk_appeal_waits() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'DELETE' then
    perform desk_waits('appeal', old.id, false, '', null, null);
    return null;
  end if;
  perform desk_waits('appeal', new.id, new.status = 'open', new.title, new.account_id, new.created_at, new.against_id);
  return null;
end
$$;
-- +goose StatementEnd
create trigger desk_appeals_wait after insert or update or delete on desk_appeals
  for each row execute function desk_appeal_waits();

-- Sayings wait while they are pending. Their submission comes first.
-- +goose StatementBegin
create function saying_waits() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'DELETE' then
    perform desk_waits('saying', old.id, false, '', null, null);
    return null;
  end if;
  perform desk_waits('saying', new.id, new.status = 'pending', new.text,
    (select submitted_by from saying_submissions where saying_id = new.id), new.created_at);
  return null;
end
$$;
-- +goose StatementEnd
create trigger sayings_wait after insert or update of status, text or delete on sayings
  for each row execute function saying_waits();
insert into desk_queue (target_type, target_id, title, sender_id, since)
select 'saying', y.id, left(btrim(regexp_replace(y.text, '\s+', ' ', 'g')), 300), s.submitted_by, y.created_at
from sayings y
left join saying_submissions s on s.saying_id = y.id
where y.status = 'pending';

alter table desk_queue enable row level security;
alter table desk_queue force row level security;
alter table desk_notes enable row level security;
alter table desk_notes force row level security;
alter table desk_decisions enable row level security;
alter table desk_decisions force row level security;
alter table desk_replies enable row level security;
alter table desk_replies force row level security;
alter table desk_appeals enable row level security;
alter table desk_appeals force row level security;

grant select, insert, update, delete on desk_queue, desk_notes, desk_decisions, desk_replies, desk_appeals to system;
create policy desk_queue_system on desk_queue to system using (true) with check (true);
create policy desk_notes_system on desk_notes to system using (true) with check (true);
create policy desk_decisions_system on desk_decisions to system using (true) with check (true);
create policy desk_replies_system on desk_replies to system using (true) with check (true);
create policy desk_appeals_system on desk_appeals to system using (true) with check (true);

-- Staff see all that waits. They claim it for themselves while nobody else has,
-- and give back what they have.
grant select on desk_queue to staff;
grant update (claimed_by, claimed_until) on desk_queue to staff;
create policy desk_queue_read on desk_queue for select to staff using (true);
create policy desk_queue_claim on desk_queue for update to staff
  using (claimed_by is null or claimed_by = (select viewer_id()) or claimed_until <= now())
  with check (claimed_by is null or claimed_by = (select viewer_id()));

grant select, insert on desk_notes to staff;
create policy desk_notes_read on desk_notes for select to staff using (true);
create policy desk_notes_write on desk_notes for insert to staff with check (author_id = (select viewer_id()));

-- Nobody decides about what they sent, and nobody undoes another's decision.
grant select, insert on desk_decisions to staff;
grant update (undone_at) on desk_decisions to staff;
create policy desk_decisions_read on desk_decisions for select to staff using (true);
create policy desk_decisions_write on desk_decisions for insert to staff
  with check (decided_by = (select viewer_id()) and sender_id is distinct from (select viewer_id()));
create policy desk_decisions_undo on desk_decisions for update to staff
  using (decided_by = (select viewer_id()) and undone_at is null) with check (decided_by = (select viewer_id()));

grant select, insert, delete on desk_replies to staff;
create policy desk_replies_read on desk_replies for select to staff using (true);
create policy desk_replies_add on desk_replies for insert to staff with check (true);
create policy desk_replies_remove on desk_replies for delete to staff using (true);

-- Members read their own appeals, but not against whom they went or who decided.
grant select on desk_appeals to staff;
grant select (id, target_type, target_id, title, account_id, body, status, reason, decided_at, created_at) on desk_appeals to member;
grant insert (id, target_type, target_id, title, account_id, body, created_at) on desk_appeals to member, staff;
grant update (status, reason, decided_by, decided_at) on desk_appeals to staff;
create policy desk_appeals_own on desk_appeals for select to member using (account_id = (select viewer_id()));
create policy desk_appeals_queue on desk_appeals for select to staff using (true);
create policy desk_appeals_send on desk_appeals for insert to member, staff
  with check (account_id = (select viewer_id()) and status = 'open');
create policy desk_appeals_decide on desk_appeals for update to staff
  using (status = 'open' and account_id is distinct from (select viewer_id()) and against_id is distinct from (select viewer_id()))
  with check (decided_by = (select viewer_id()));
