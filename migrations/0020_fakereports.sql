-- +goose Up
-- Reports of fake content found elsewhere (SERVICE.md §4 Fake-content reports).
-- Nobody needs an account to send one; what moderators confirm is public.
-- Members read here what they sent themselves, and nothing else: what is public
-- is read by everybody in the same way, as anon, who has no right to the columns
-- about senders.
create table fake_reports (
  id              uuid primary key,
  category        text not null check (category in ('fake_profile', 'ai_generated', 'impersonation', 'scam', 'misinformation', 'other')),
  description     text not null check (length(description) between 3 and 4000),
  platform        text not null default '' check (length(platform) <= 80),
  handle          text not null default '' check (length(handle) <= 120),
  content_url     text not null default '' check (content_url ~ '^(https?://.*)?$' and length(content_url) <= 500),
  status          text not null default 'pending' check (status in ('pending', 'confirmed', 'refused', 'spam')),
  created_at      timestamptz not null,
  confirmed_at    timestamptz,
  submitted_by    uuid references accounts on delete set null, -- null: nobody was signed in, or they left
  submitter_name  text not null default '' check (length(submitter_name) <= 80),
  submitter_email text not null default '' check (length(submitter_email) <= 254),
  reason          text not null default '' check (length(reason) <= 500), -- of the decision; the sender reads it
  decided_by      uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at      timestamptz,
  constraint fake_reports_confirmed check ((confirmed_at is not null) = (status = 'confirmed'))
);
create index fake_reports_public on fake_reports (confirmed_at desc, id) where status = 'confirmed';
create index fake_reports_category on fake_reports (category, confirmed_at desc, id) where status = 'confirmed';
create index fake_reports_latest on fake_reports (created_at desc, id desc);
create index fake_reports_account on fake_reports (submitted_by, created_at desc, id desc) where submitted_by is not null;

-- Reports wait while they are pending; who left is no longer their sender.
-- +goose StatementBegin
create function fake_report_waits() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'DELETE' then
    perform desk_waits('fake_report', old.id, false, '', null, null);
    return null;
  end if;
  perform desk_waits('fake_report', new.id, new.status = 'pending', new.description, new.submitted_by, new.created_at);
  return null;
end
$$;
-- +goose StatementEnd
create trigger fake_reports_wait after insert or update of status, description, submitted_by or delete on fake_reports
  for each row execute function fake_report_waits();

alter table fake_reports enable row level security;
alter table fake_reports force row level security;

grant select, insert, update, delete on fake_reports to system;
create policy fake_reports_system on fake_reports to system using (true) with check (true);

grant select (id, category, description, platform, handle, content_url, status, created_at, confirmed_at) on fake_reports to anon;
create policy fake_reports_public on fake_reports for select to anon using (status = 'confirmed');
create policy fake_reports_send on fake_reports for insert to anon
  with check (status = 'pending' and submitted_by is null);

-- Staff send as members do, and what they sent is for others to decide.
grant select (id, category, description, platform, handle, content_url, status, created_at, confirmed_at,
  submitted_by, submitter_name, submitter_email, reason, decided_at) on fake_reports to member;
grant select on fake_reports to staff;
grant insert (id, category, description, platform, handle, content_url, created_at, submitted_by, submitter_name, submitter_email)
  on fake_reports to anon, member, staff;
grant update (status, confirmed_at, reason, decided_by, decided_at) on fake_reports to staff;
grant delete on fake_reports to member, staff;
create policy fake_reports_own on fake_reports for select to member using (submitted_by = (select viewer_id()));
create policy fake_reports_staff on fake_reports for select to staff using (true);
create policy fake_reports_offer on fake_reports for insert to member, staff
  with check (status = 'pending' and submitted_by = (select viewer_id()));
create policy fake_reports_decide on fake_reports for update to staff
  using (submitted_by is distinct from (select viewer_id()))
  with check (submitted_by is distinct from (select viewer_id()) and decided_by = (select viewer_id()));
create policy fake_reports_withdraw on fake_reports for delete to member, staff
  using (status = 'pending' and submitted_by = (select viewer_id()));
