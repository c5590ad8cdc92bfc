-- +goose Up
-- What members report (SERVICE.md §4 Content reports, CONTRACT.md §4). A case is
-- all that is known of one target; its row is locked while a report or a
-- decision is stored, so that reports of one target are counted one by one.
create table report_cases (
  target_type text not null check (target_type in ('directory_entry', 'app', 'job', 'playbook', 'homage_entry', 'news_post')),
  target_id   uuid not null,
  title       text not null check (length(title) between 1 and 300), -- when it was last reported
  hidden_by   text check (hidden_by in ('reports', 'moderator')), -- while it is hidden because of reports
  kept_edit   timestamptz, -- the state of the target that a moderator kept: reports cannot hide that one
  primary key (target_type, target_id)
);
create index report_cases_hidden on report_cases (target_type, target_id) where hidden_by is not null;

create table reports (
  id          uuid primary key,
  target_type text not null,
  target_id   uuid not null,
  reporter_id uuid references accounts on delete set null, -- null: has left
  category    text not null check (category in ('not_black_owned', 'misleading', 'spam', 'duplicate', 'abusive', 'other')),
  detail      text not null default '' check (length(detail) <= 1000),
  status      text not null default 'open' check (status in ('open', 'withdrawn', 'dismissed', 'upheld')),
  reason      text not null default '' check (length(reason) <= 500), -- of the decision; the reporter reads it
  decided_by  uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at  timestamptz,
  created_at  timestamptz not null,
  constraint reports_case foreign key (target_type, target_id) references report_cases,
  constraint reports_decision check ((decided_at is not null) = (status in ('dismissed', 'upheld')))
);
create unique index reports_once on reports (target_type, target_id, reporter_id) where status = 'open';
create index reports_of_target on reports (target_type, target_id, created_at);
create index reports_queue on reports (created_at) where status = 'open';
create index reports_of_reporter on reports (reporter_id, created_at desc, id desc) where reporter_id is not null;

-- How many members have an open report of the target. The case is locked, so
-- the number cannot change before the transaction ends.
create function report_count(of_type text, of_id uuid) returns bigint
  language sql stable
  return (select count(distinct reporter_id) from reports where target_type = of_type and target_id = of_id and status = 'open');

-- At most 50 of a member are open at a time, however many are sent at once.
-- +goose StatementBegin
create function report_room() returns trigger
  language plpgsql as
$$
begin
  perform pg_advisory_xact_lock(hashtextextended('reports ' || new.reporter_id, 0));
  if (select count(*) from reports where reporter_id = new.reporter_id and status = 'open') >= 50 then
    raise exception 'account % has 50 open reports', new.reporter_id
      using errcode = 'check_violation', constraint = 'reports_room';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger reports_room before insert on reports
  for each row when (new.status = 'open' and new.reporter_id is not null)
  execute function report_room();

alter table report_cases enable row level security;
alter table report_cases force row level security;
alter table reports enable row level security;
alter table reports force row level security;

grant select, insert, update, delete on report_cases, reports to system;
create policy report_cases_system on report_cases to system using (true) with check (true);
create policy reports_system on reports to system using (true) with check (true);

grant select on report_cases to staff;
grant update (hidden_by, kept_edit) on report_cases to staff;
grant select (target_type, target_id, title) on report_cases to member;
create policy report_cases_read on report_cases for select to staff using (true);
create policy report_cases_own on report_cases for select to member using (exists (
  select from reports r
  where r.target_type = report_cases.target_type and r.target_id = report_cases.target_id and r.reporter_id = (select viewer_id())));
create policy report_cases_decide on report_cases for update to staff using (true) with check (true);

-- Members see what they sent themselves, staff all of it.
grant select on reports to staff;
grant select (id, target_type, target_id, reporter_id, category, detail, status, reason, decided_at, created_at) on reports to member;
grant insert (id, target_type, target_id, reporter_id, category, detail, created_at) on reports to member, staff;
grant update (status) on reports to member;
grant update (status, reason, decided_by, decided_at) on reports to staff;
create policy reports_own on reports for select to member using (reporter_id = (select viewer_id()));
create policy reports_queue on reports for select to staff using (true);
create policy reports_send on reports for insert to member, staff
  with check (reporter_id = (select viewer_id()) and status = 'open');
create policy reports_withdraw on reports for update to member, staff
  using (reporter_id = (select viewer_id()) and status = 'open')
  with check (reporter_id = (select viewer_id()) and status = 'withdrawn');
create policy reports_decide on reports for update to staff
  using (status = 'open')
  with check (status in ('dismissed', 'upheld') and decided_by = (select viewer_id()));
