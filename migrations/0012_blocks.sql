-- +goose Up
-- Addresses from which nothing may be sent for a time (CONTRACT.md §4). A row is
-- one block; it stays when it is over, so that the next one can be longer.
create table address_blocks (
  id          uuid primary key,
  address_key text not null check (length(address_key) between 2 and 64), -- IPv4 as it is, IPv6 by its /64
  reason      text not null check (length(reason) between 1 and 500),
  about_type  text check (length(about_type) between 1 and 60),
  about_id    text check (length(about_id) between 1 and 200),
  blocked_by  uuid references accounts on delete set null, -- null: the program
  blocked_at  timestamptz not null,
  until       timestamptz not null,
  times       int not null check (times > 0), -- how often within a year, this time included
  lifted_at   timestamptz,
  lifted_by   uuid references accounts on delete set null, -- null: nobody yet, or the program
  lift_reason text not null default '' check (length(lift_reason) <= 500),
  constraint address_blocks_about check ((about_type is null) = (about_id is null)),
  constraint address_blocks_span check (until > blocked_at),
  constraint address_blocks_lift check ((lifted_at is null) = (lift_reason = ''))
);
-- Every write looks here first.
create index address_blocks_standing on address_blocks (address_key, until desc) where lifted_at is null;
create index address_blocks_latest on address_blocks (blocked_at desc, id desc);

-- One block stands at a time, and each next one within a year is longer: a day,
-- seven, then thirty. A block that was lifted does not count. False where the
-- address is blocked already.
-- +goose StatementBegin
create function address_block(
  block_id uuid, address text, why text, what_type text, what_id text, by_account uuid, moment timestamptz) returns boolean
  language plpgsql as
$$
declare
  earlier int;
begin
  perform pg_advisory_xact_lock(hashtextextended('address_blocks ' || address, 0));
  if exists (select from address_blocks where address_key = address and lifted_at is null and until > moment) then
    return false;
  end if;
  select count(*) into earlier
  from address_blocks
  where address_key = address and lifted_at is null and blocked_at > moment - interval '1 year';
  insert into address_blocks (id, address_key, reason, about_type, about_id, blocked_by, blocked_at, until, times)
  values (block_id, address, why, what_type, what_id, by_account, moment,
    moment + case earlier when 0 then interval '1 day' when 1 then interval '7 days' else interval '30 days' end, earlier + 1);
  return true;
end
$$;
-- +goose StatementEnd

alter table address_blocks enable row level security;
alter table address_blocks force row level security;

grant select, insert, update, delete on address_blocks to system;
create policy address_blocks_system on address_blocks to system using (true) with check (true);

-- Moderators see blocks and lift them; making one is the program's part, once
-- abuse is certain. Members see none.
grant select on address_blocks to staff;
grant update (lifted_at, lifted_by, lift_reason) on address_blocks to staff;
create policy address_blocks_read on address_blocks for select to staff using (true);
create policy address_blocks_lift on address_blocks for update to staff
  using (lifted_at is null)
  with check (lifted_at is not null and lifted_by = (select viewer_id()));
