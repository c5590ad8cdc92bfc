-- +goose Up
-- What members propose for the directory. Nothing of it is public: an approval
-- writes the entry itself.
create table directory_contributions (
  id              uuid primary key,
  kind            text not null check (kind in ('listing', 'edit', 'still_open')),
  entry_id        uuid references directory_entries on delete cascade, -- null for a listing until it is approved
  entry_name      text not null check (length(entry_name) between 1 and 160), -- at the time, for those who no longer see the entry
  account_id      uuid not null references accounts on delete cascade,
  proposal        jsonb not null check (jsonb_typeof(proposal) = 'object'),
  base_updated_at timestamptz, -- state of the entry that was looked at
  message         text not null default '' check (length(message) <= 500),
  status          text not null default 'pending' check (status in ('pending', 'approved', 'refused', 'withdrawn')),
  reason          text not null default '' check (length(reason) <= 500),
  decided_by      uuid references accounts on delete set null, -- null: the program
  decided_at      timestamptz,
  created_at      timestamptz not null default now(),
  constraint directory_contributions_entry check ((entry_id is null) = (kind = 'listing' and status <> 'approved')),
  constraint directory_contributions_base check ((base_updated_at is null) = (kind = 'listing')),
  constraint directory_contributions_decision check ((decided_at is not null) = (status in ('approved', 'refused'))),
  constraint directory_contributions_refusal check (status <> 'refused' or reason <> '')
);
create index directory_contributions_queue on directory_contributions (created_at, id) where status = 'pending';
create index directory_contributions_account on directory_contributions (account_id, created_at desc, id desc);
create index directory_contributions_by_entry on directory_contributions (entry_id);
create unique index directory_contributions_still_open_once on directory_contributions (account_id, entry_id)
  where kind = 'still_open' and status = 'pending';

-- At most 20 of a member wait at a time, however many are sent at once.
-- +goose StatementBegin
create function directory_contribution_room() returns trigger
  language plpgsql as
$$
begin
  perform pg_advisory_xact_lock(hashtextextended('directory_contributions ' || new.account_id, 0));
  if (select count(*) from directory_contributions where account_id = new.account_id and status = 'pending') >= 20 then
    raise exception 'account % has 20 contributions waiting', new.account_id
      using errcode = 'check_violation', constraint = 'directory_contributions_room';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger directory_contributions_room before insert on directory_contributions
  for each row when (new.status = 'pending')
  execute function directory_contribution_room();

alter table directory_contributions enable row level security;
alter table directory_contributions force row level security;

grant select, insert, update, delete on directory_contributions to system;
create policy directory_contributions_system on directory_contributions to system using (true) with check (true);

-- Staff contribute as members do; what they sent is for others to decide.
grant select on directory_contributions to member, staff;
grant insert (id, kind, entry_id, entry_name, account_id, proposal, base_updated_at, message, created_at)
  on directory_contributions to member, staff;
grant update (status) on directory_contributions to member;
grant update (status, entry_id, reason, decided_by, decided_at) on directory_contributions to staff;

create policy directory_contributions_own on directory_contributions for select to member
  using (account_id = (select viewer_id()));
create policy directory_contributions_queue on directory_contributions for select to staff using (true);
create policy directory_contributions_offer on directory_contributions for insert to member, staff
  with check (account_id = (select viewer_id()) and status = 'pending');
create policy directory_contributions_withdraw on directory_contributions for update to member, staff
  using (account_id = (select viewer_id()) and status = 'pending')
  with check (account_id = (select viewer_id()) and status = 'withdrawn');
create policy directory_contributions_decide on directory_contributions for update to staff
  using (account_id <> (select viewer_id()) and status = 'pending')
  with check (account_id <> (select viewer_id()) and status in ('approved', 'refused') and decided_by = (select viewer_id()));

-- A point on the unit sphere: the chord between two of them orders as the
-- great circle does, and a GiST index finds the nearest first. Arguments are
-- degrees.
create function geo_point(lat double precision, lng double precision) returns cube
  language sql immutable strict parallel safe
  return cube(array[cos(radians(lat)) * cos(radians(lng)), cos(radians(lat)) * sin(radians(lng)), sin(radians(lat))]);

alter table search_documents
  add column starts_at timestamptz, -- or the end, where no start is known
  add column over_at   timestamptz, -- the end, or the start where no end is known
  add column position  cube generated always as (geo_point(lat, lng)) stored;
create index search_documents_position on search_documents using gist (position);
create index search_documents_over on search_documents (kind, over_at desc, entry_id) where over_at is not null;

-- The documents that are there already. Forced policies would hide the rows
-- from the owner, and the counts do not change.
alter table search_documents no force row level security;
alter table directory_entries no force row level security;
alter table search_documents disable trigger search_documents_counted_update;
update search_documents d
set starts_at = coalesce(e.starts_at, e.ends_at), over_at = coalesce(e.ends_at, e.starts_at)
from directory_entries e
where e.id = d.entry_id and coalesce(e.starts_at, e.ends_at) is not null;
alter table search_documents enable trigger search_documents_counted_update;
alter table directory_entries force row level security;
alter table search_documents force row level security;
