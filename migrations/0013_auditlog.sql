-- +goose Up
-- Every decision of moderators: who, when, what and why (CONTRACT.md §4). Nobody
-- changes a row once it is there. Who it was is not a foreign key, so that the
-- row stays when the account goes; the name goes with the account.
create table audit_log (
  id         uuid primary key,
  account_id uuid, -- null: the program
  kind       text not null check (kind ~ '^[a-z][a-z_]{0,59}$'),
  about_type text not null check (length(about_type) between 1 and 60),
  about_id   text not null check (length(about_id) between 1 and 200),
  title      text not null default '' check (length(title) <= 300),
  reason     text not null default '' check (length(reason) <= 1000),
  created_at timestamptz not null
);
create index audit_log_latest on audit_log (created_at desc, id desc);
create index audit_log_kind on audit_log (kind, created_at desc, id desc);
create index audit_log_about on audit_log (about_type, about_id);

-- What everybody may know of it: how many decisions of a kind in a month (UTC).
create table audit_counts (
  month     date not null check (extract(day from month) = 1),
  kind      text not null,
  decisions int not null check (decisions > 0),
  primary key (month, kind)
);

-- Whoever decides may not write the counts, hence the role.
-- +goose StatementBegin
create function audit_counted() returns trigger
  language plpgsql as
$$
declare
  viewer text := current_setting('role');
begin
  perform set_config('role', 'system', true);
  insert into audit_counts as c (month, kind, decisions)
  values (date_trunc('month', new.created_at at time zone 'UTC')::date, new.kind, 1)
  on conflict (month, kind) do update set decisions = c.decisions + 1;
  perform set_config('role', viewer, true);
  return null;
end
$$;
-- +goose StatementEnd
create trigger audit_log_counted after insert on audit_log
  for each row execute function audit_counted();

-- +goose StatementBegin
create function audit_append_only() returns trigger
  language plpgsql as
$$
begin
  raise exception '% keeps what was written', tg_table_name using errcode = 'check_violation', constraint = 'audit_append_only';
end
$$;
-- +goose StatementEnd
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function audit_append_only();

alter table audit_log enable row level security;
alter table audit_log force row level security;
alter table audit_counts enable row level security;
alter table audit_counts force row level security;

grant select, insert on audit_log to staff, system;
create policy audit_log_system on audit_log to system using (true) with check (true);
create policy audit_log_read on audit_log for select to staff using (true);
create policy audit_log_write on audit_log for insert to staff with check (account_id = (select viewer_id()));

grant select on audit_counts to anon, member, staff;
grant select, insert, update on audit_counts to system;
create policy audit_counts_read on audit_counts for select to anon, member, staff using (true);
create policy audit_counts_system on audit_counts to system using (true) with check (true);
