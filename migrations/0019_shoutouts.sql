-- +goose Up
-- Praise for businesses. A shout-out is public once approved and while it is not
-- hidden.
create table shoutouts (
  id            uuid primary key,
  business_name text not null check (length(business_name) between 1 and 120), -- as whoever sent it wrote it
  city          text not null default '' check (length(city) <= 100),
  rating        numeric(2, 1) not null check (rating between 1 and 5 and rating * 2 = trunc(rating * 2)),
  body          text not null default '' check (length(body) <= 1000),
  given_name    text not null default '' check (length(given_name) <= 80),
  author_id     uuid references accounts on delete set null, -- whose name it shows; null: given_name or nobody's
  entry_id      uuid references directory_entries on delete set null, -- the business; null: it is not listed
  status        text not null default 'pending' check (status in ('pending', 'approved', 'refused', 'spam')),
  hidden_at     timestamptz,
  created_at    timestamptz not null default now()
);
create index shoutouts_public on shoutouts (created_at desc, id desc) where status = 'approved' and hidden_at is null;
create index shoutouts_entry on shoutouts (entry_id, created_at desc, id desc) where entry_id is not null;
create index shoutouts_author on shoutouts (author_id) where author_id is not null;
create index shoutouts_newest on shoutouts (created_at desc, id desc);

-- What is nobody else's business: every shout-out has one. Written first, so that
-- the policies of shoutouts can ask whose a new one is.
create table shoutout_senders (
  shoutout_id     uuid primary key references shoutouts on delete cascade deferrable initially deferred,
  account_id      uuid references accounts on delete set null, -- null: nobody was signed in, or they left
  browser_hash    bytea check (length(browser_hash) = 32), -- keyed hash of a browser's mark, until an account adopts it
  contribution_id uuid references directory_contributions on delete set null, -- the draft listing that came with it
  reason          text not null default '' check (length(reason) <= 500),
  decided_by      uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at      timestamptz,
  constraint shoutout_senders_adopted check (account_id is null or browser_hash is null)
);
create index shoutout_senders_account on shoutout_senders (account_id) where account_id is not null;
create index shoutout_senders_browser on shoutout_senders (browser_hash) where browser_hash is not null;
create index shoutout_senders_contribution on shoutout_senders (contribution_id) where contribution_id is not null;

create function shoutout_is_own(shoutout uuid) returns boolean
  language sql stable parallel safe
  return exists (select from shoutout_senders s where s.shoutout_id = shoutout and s.account_id = viewer_id());

-- Shout-outs wait while they are pending, for whoever sent them or adopted them.
-- +goose StatementBegin
create function shoutout_waits() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'DELETE' then
    perform desk_waits('shoutout', old.id, false, '', null, null);
    return null;
  end if;
  perform desk_waits('shoutout', new.id, new.status = 'pending', concat_ws(', ', new.business_name, nullif(new.city, '')),
    (select account_id from shoutout_senders where shoutout_id = new.id), new.created_at);
  return null;
end
$$;
create function shoutout_sender_waits() returns trigger
  language plpgsql as
$$
begin
  perform desk_waits('shoutout', o.id, true, concat_ws(', ', o.business_name, nullif(o.city, '')), new.account_id, o.created_at)
  from shoutouts o
  where o.id = new.shoutout_id and o.status = 'pending';
  return null;
end
$$;
-- +goose StatementEnd
create trigger shoutouts_wait after insert or update of status, business_name, city or delete on shoutouts
  for each row execute function shoutout_waits();
create trigger shoutout_senders_wait after update of account_id on shoutout_senders
  for each row execute function shoutout_sender_waits();

-- A shout-out belongs to the listing that was drafted with it for as long as
-- there is one, whoever approves it, or takes that back. They may not write
-- shout-outs, hence the role.
-- +goose StatementBegin
create function shoutout_listed() returns trigger
  language plpgsql as
$$
declare
  viewer text := current_setting('role');
begin
  perform set_config('role', 'system', true);
  update shoutouts o
  set entry_id = new.entry_id
  from shoutout_senders s
  where s.contribution_id = new.id and o.id = s.shoutout_id;
  perform set_config('role', viewer, true);
  return null;
end
$$;
-- +goose StatementEnd
create trigger directory_contributions_shoutouts after update of entry_id on directory_contributions
  for each row when (new.kind = 'listing' and new.entry_id is distinct from old.entry_id)
  execute function shoutout_listed();

alter table shoutouts enable row level security;
alter table shoutouts force row level security;
alter table shoutout_senders enable row level security;
alter table shoutout_senders force row level security;

grant select, insert, update, delete on shoutouts, shoutout_senders to system;
create policy shoutouts_system on shoutouts to system using (true) with check (true);
create policy shoutout_senders_system on shoutout_senders to system using (true) with check (true);

-- A new shout-out waits: nobody but staff writes its status. Staff send as
-- members do, and what they sent is for others to decide. What nobody in
-- particular sends, the program stores.
grant select on shoutouts to anon, member, staff;
grant insert (id, business_name, city, rating, body, given_name, author_id, entry_id, created_at) on shoutouts to member, staff;
grant update (status, hidden_at) on shoutouts to staff;
grant delete on shoutouts to member, staff;

create policy shoutouts_public on shoutouts for select to anon
  using (status = 'approved' and hidden_at is null);
create policy shoutouts_member on shoutouts for select to member
  using ((status = 'approved' and hidden_at is null) or shoutout_is_own(id));
create policy shoutouts_staff on shoutouts for select to staff using (true);
create policy shoutouts_send on shoutouts for insert to member, staff
  with check (status = 'pending' and shoutout_is_own(id) and (author_id is null or author_id = (select viewer_id())));
create policy shoutouts_moderate on shoutouts for update to staff
  using (not shoutout_is_own(id)) with check (not shoutout_is_own(id));
create policy shoutouts_withdraw on shoutouts for delete to member, staff
  using (status = 'pending' and shoutout_is_own(id));

-- Members read what became of their own, and not who decided.
grant select (shoutout_id, account_id, contribution_id, reason, decided_at) on shoutout_senders to member;
grant select (shoutout_id, account_id, contribution_id, reason, decided_by, decided_at) on shoutout_senders to staff;
grant insert (shoutout_id, account_id, contribution_id) on shoutout_senders to member, staff;
grant update (reason, decided_by, decided_at) on shoutout_senders to staff;

create policy shoutout_senders_own on shoutout_senders for select to member
  using (account_id = (select viewer_id()));
create policy shoutout_senders_staff on shoutout_senders for select to staff using (true);
create policy shoutout_senders_send on shoutout_senders for insert to member, staff
  with check (account_id = (select viewer_id()) and (contribution_id is null or exists (
    select from directory_contributions c where c.id = contribution_id and c.account_id = (select viewer_id()))));
create policy shoutout_senders_decide on shoutout_senders for update to staff
  using (account_id is distinct from (select viewer_id()))
  with check (account_id is distinct from (select viewer_id()) and decided_by = (select viewer_id()));
