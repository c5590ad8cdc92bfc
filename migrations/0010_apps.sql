-- +goose Up
-- Who keeps an app: its owner; staff where nobody owns it. Requests only: the
-- system has policies of its own.
create function app_keeper(owner_id uuid) returns boolean
  language sql stable parallel safe
  return case when owner_id is null then current_user = 'staff' else owner_id = viewer_id() end;

create table apps (
  id               uuid primary key,
  slug             text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80),
  name             text not null check (length(name) between 1 and 80),
  name_key         text collate "C" not null, -- folded: what lists are searched and sorted by
  summary          text not null default '' check (length(summary) <= 200),
  description      text not null default '' check (length(description) <= 10000),
  description_html text not null default '',
  homepage_url     text check (length(homepage_url) <= 500),
  repo_url         text check (length(repo_url) <= 500),
  api_enabled      boolean not null default true,
  status           text not null default 'pending' check (status in ('pending', 'published', 'refused')),
  reason           text not null default '' check (length(reason) <= 500),
  decided_by       uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at       timestamptz,
  hidden_at        timestamptz,
  owner_id         uuid references accounts on delete set null,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  constraint apps_slug_key unique (slug),
  constraint apps_refusal check ((status = 'refused') = (reason <> ''))
);
create index apps_public on apps (name_key, id) where status = 'published' and api_enabled and hidden_at is null;
create index apps_queue on apps (created_at, id) where status = 'pending';
create index apps_owner on apps (owner_id) where owner_id is not null;

create table app_files (
  id         uuid primary key,
  app_id     uuid not null references apps on delete cascade,
  filename   text collate "C" not null check (filename ~ '^[A-Za-z0-9][A-Za-z0-9._-]*\.json$' and length(filename) <= 120),
  version    int not null check (version > 0), -- number of the current one
  size_bytes int not null check (size_bytes between 2 and 1048576),
  sha256     bytea not null check (length(sha256) = 32),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint app_files_filename_key unique (app_id, filename)
);

create table app_submissions (
  id           uuid primary key,
  app_id       uuid not null references apps on delete cascade,
  filename     text collate "C" not null check (filename ~ '^[A-Za-z0-9][A-Za-z0-9._-]*\.json$' and length(filename) <= 120),
  content      bytea not null,
  size_bytes   int not null check (size_bytes between 2 and 1048576),
  sha256       bytea not null check (length(sha256) = 32),
  message      text not null default '' check (length(message) <= 500),
  account_id   uuid references accounts on delete set null,
  base_version int not null check (base_version >= 0), -- the file's current version when it was sent, 0 = none
  status       text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  reason       text not null default '' check (length(reason) <= 500),
  decided_by   uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at   timestamptz,
  version_id   uuid, -- what an approved one became, while that is kept
  created_at   timestamptz not null default now(),
  constraint app_submissions_size check (length(content) = size_bytes),
  constraint app_submissions_decision check ((decided_at is not null) = (status in ('approved', 'rejected'))),
  constraint app_submissions_version check (version_id is null or status = 'approved')
);
create index app_submissions_queue on app_submissions (app_id, created_at, id) where status = 'pending';
create index app_submissions_decided on app_submissions (app_id, status, created_at desc, id desc);
create index app_submissions_account on app_submissions (account_id, created_at desc, id desc);
create index app_submissions_of_version on app_submissions (version_id) where version_id is not null;

create table app_file_versions (
  id            uuid primary key,
  file_id       uuid not null references app_files on delete cascade,
  number        int not null check (number > 0),
  content       bytea not null,
  size_bytes    int not null check (size_bytes between 2 and 1048576),
  sha256        bytea not null check (length(sha256) = 32),
  source        text not null check (source in ('upload', 'submission', 'restore')),
  submission_id uuid references app_submissions on delete set null,
  author_id     uuid references accounts on delete set null,
  message       text not null default '' check (length(message) <= 500),
  created_at    timestamptz not null default now(),
  constraint app_file_versions_number_key unique (file_id, number),
  constraint app_file_versions_size check (length(content) = size_bytes),
  constraint app_file_versions_source check (submission_id is null or source = 'submission')
);
create index app_file_versions_submission on app_file_versions (submission_id) where submission_id is not null;
create index app_file_versions_author on app_file_versions (author_id) where author_id is not null;
alter table app_submissions add constraint app_submissions_version_fkey
  foreign key (version_id) references app_file_versions on delete set null;

create table app_schemas (
  app_id     uuid not null references apps on delete cascade,
  filename   text collate "C" not null check (filename ~ '^[A-Za-z0-9][A-Za-z0-9._-]*\.json$' and length(filename) <= 120),
  content    bytea not null check (length(content) between 2 and 65536),
  updated_at timestamptz not null default now(),
  updated_by uuid references accounts on delete set null,
  primary key (app_id, filename)
);

-- A member has at most 20 apps, however many are made at once.
-- +goose StatementBegin
create function app_room() returns trigger
  language plpgsql as
$$
begin
  if current_user = 'system' then
    return new; -- an operator's import may bring more
  end if;
  perform pg_advisory_xact_lock(hashtextextended('apps ' || new.owner_id, 0));
  if (select count(*) from apps where owner_id = new.owner_id) >= 20 then
    raise exception 'account % has 20 apps', new.owner_id
      using errcode = 'check_violation', constraint = 'apps_room';
  end if;
  return new;
end
$$;

-- Staff moderate the apps of others and write their own, never the other way
-- round. Columns alone cannot say that: one role does both.
create function app_guard() returns trigger
  language plpgsql as
$$
declare
  moderated boolean := (new.status, new.reason, new.decided_by, new.decided_at, new.hidden_at)
    is distinct from (old.status, old.reason, old.decided_by, old.decided_at, old.hidden_at);
  written boolean := (new.name, new.name_key, new.summary, new.description, new.description_html, new.homepage_url, new.repo_url, new.api_enabled, new.updated_at)
    is distinct from (old.name, old.name_key, old.summary, old.description, old.description_html, old.homepage_url, old.repo_url, old.api_enabled, old.updated_at);
begin
  if moderated and old.owner_id = viewer_id() then
    raise exception 'nobody decides about their own app' using errcode = 'insufficient_privilege';
  end if;
  if written and not app_keeper(old.owner_id) then
    raise exception 'only who keeps an app changes it' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

-- At most 20 submissions of a member wait at one app. The lock is the app's,
-- because how many wait there in all is counted after the insert (core/apps).
create function app_submission_room() returns trigger
  language plpgsql as
$$
begin
  perform pg_advisory_xact_lock(hashtextextended('app_submissions ' || new.app_id, 0));
  if (select count(*) from app_submissions
      where app_id = new.app_id and account_id = new.account_id and status = 'pending') >= 20 then
    raise exception 'account % has 20 submissions waiting at app %', new.account_id, new.app_id
      using errcode = 'check_violation', constraint = 'app_submissions_room';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger apps_room before insert on apps
  for each row when (new.owner_id is not null) execute function app_room();
create trigger apps_guard before update on apps
  for each row when (current_user = 'staff') execute function app_guard();
create trigger app_submissions_room before insert on app_submissions
  for each row when (new.status = 'pending') execute function app_submission_room();

alter table apps enable row level security;
alter table apps force row level security;
alter table app_files enable row level security;
alter table app_files force row level security;
alter table app_file_versions enable row level security;
alter table app_file_versions force row level security;
alter table app_submissions enable row level security;
alter table app_submissions force row level security;
alter table app_schemas enable row level security;
alter table app_schemas force row level security;

grant select, insert, update, delete on apps, app_files, app_file_versions, app_submissions, app_schemas to system;
create policy apps_system on apps to system using (true) with check (true);
create policy app_files_system on app_files to system using (true) with check (true);
create policy app_file_versions_system on app_file_versions to system using (true) with check (true);
create policy app_submissions_system on app_submissions to system using (true) with check (true);
create policy app_schemas_system on app_schemas to system using (true) with check (true);

-- Apps. Owners write what they say about the app; whether it is published or
-- hidden, and whose it is, they cannot write.
grant select on apps to anon, member, staff;
grant insert (id, slug, name, name_key, summary, description, description_html, homepage_url, repo_url, owner_id, created_at, updated_at)
  on apps to member, staff;
grant update (name, name_key, summary, description, description_html, homepage_url, repo_url, api_enabled, updated_at)
  on apps to member, staff;
grant update (status, reason, decided_by, decided_at, hidden_at) on apps to staff;
grant delete on apps to member, staff;

create policy apps_public on apps for select to anon
  using (status = 'published' and api_enabled and hidden_at is null);
create policy apps_member on apps for select to member
  using ((status = 'published' and api_enabled and hidden_at is null) or owner_id = (select viewer_id()));
create policy apps_staff on apps for select to staff using (true);
create policy apps_offer on apps for insert to member, staff
  with check (owner_id = (select viewer_id()) and status = 'pending' and hidden_at is null);
create policy apps_change on apps for update to member, staff
  using (app_keeper(owner_id)) with check (app_keeper(owner_id));
create policy apps_moderate on apps for update to staff
  using (owner_id is distinct from (select viewer_id())) with check (owner_id is distinct from (select viewer_id()));
create policy apps_remove on apps for delete to member, staff using (app_keeper(owner_id));

-- Files and schemas are read by whoever sees the app and written by who keeps it.
grant select on app_files, app_file_versions, app_schemas to anon, member, staff;
grant insert, delete on app_files, app_file_versions, app_schemas to member, staff;
grant update (version, size_bytes, sha256, updated_at) on app_files to member, staff;
grant update (content, updated_at, updated_by) on app_schemas to member, staff;

create policy app_files_read on app_files for select to anon, member, staff
  using (exists (select from apps a where a.id = app_id));
create policy app_files_add on app_files for insert to member, staff
  with check (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));
create policy app_files_change on app_files for update to member, staff
  using (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)))
  with check (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));
create policy app_files_remove on app_files for delete to member, staff
  using (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));

-- A version is never changed. Its author is who stores it, or who submitted it.
create policy app_file_versions_read on app_file_versions for select to anon, member, staff
  using (exists (select from app_files f where f.id = file_id));
create policy app_file_versions_add on app_file_versions for insert to member, staff
  with check (
    exists (select from app_files f join apps a on a.id = f.app_id where f.id = file_id and app_keeper(a.owner_id))
    and case when submission_id is null then author_id = (select viewer_id())
      else exists (
        select from app_submissions s join app_files f on f.app_id = s.app_id and f.filename = s.filename
        where s.id = submission_id and f.id = file_id and s.sha256 = app_file_versions.sha256
          and s.account_id is not distinct from author_id) end);
create policy app_file_versions_remove on app_file_versions for delete to member, staff
  using (exists (select from app_files f join apps a on a.id = f.app_id where f.id = file_id and app_keeper(a.owner_id)));

create policy app_schemas_read on app_schemas for select to anon, member, staff
  using (exists (select from apps a where a.id = app_id));
create policy app_schemas_add on app_schemas for insert to member, staff
  with check (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));
create policy app_schemas_change on app_schemas for update to member, staff
  using (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)))
  with check (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));
create policy app_schemas_remove on app_schemas for delete to member, staff
  using (exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));

-- Submissions are between the member and who keeps the app.
grant select on app_submissions to member, staff;
grant insert (id, app_id, filename, content, size_bytes, sha256, message, account_id, base_version, created_at)
  on app_submissions to member, staff;
grant update (status, reason, decided_by, decided_at, version_id) on app_submissions to member, staff;

create policy app_submissions_read on app_submissions for select to member, staff
  using (account_id = (select viewer_id()) or exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));
create policy app_submissions_send on app_submissions for insert to member, staff
  with check (account_id = (select viewer_id()) and status = 'pending' and exists (
    select from apps a where a.id = app_id
      and ((a.status = 'published' and a.api_enabled and a.hidden_at is null) or app_keeper(a.owner_id))));
create policy app_submissions_withdraw on app_submissions for update to member, staff
  using (account_id = (select viewer_id()) and status = 'pending')
  with check (account_id = (select viewer_id()) and status = 'withdrawn');
create policy app_submissions_decide on app_submissions for update to member, staff
  using (status = 'pending' and exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)))
  with check (status in ('approved', 'rejected') and decided_by = (select viewer_id())
    and exists (select from apps a where a.id = app_id and app_keeper(a.owner_id)));
