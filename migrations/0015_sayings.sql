-- +goose Up
create table saying_categories (
  slug       text primary key check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80),
  label      text not null check (length(label) between 1 and 80),
  sort_order int not null,
  constraint saying_categories_order_key unique (sort_order)
);
insert into saying_categories (slug, label, sort_order) values
  ('wisdom', 'Wisdom and learning', 1),
  ('elders-and-children', 'Elders and children', 2),
  ('community', 'Standing together', 3),
  ('freedom', 'Freedom and justice', 4),
  ('work', 'Work and keeping on', 5),
  ('faith-and-hope', 'Faith and hope', 6),
  ('character', 'Character and pride', 7),
  ('speech', 'Speech and silence', 8),
  ('patience', 'Time and patience', 9),
  ('caution', 'Caution and trouble', 10),
  ('plenty-and-want', 'Plenty and want', 11),
  ('love-and-friendship', 'Love and friendship', 12);

create table sayings (
  id            uuid primary key,
  slug          text check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80), -- null until it is first published
  text          text not null check (length(text) between 1 and 500),
  text_key      bytea not null check (length(text_key) = 32), -- SHA-256 of its folded words
  words         text not null, -- folded, of text and meaning: what is searched
  meaning       text not null default '' check (length(meaning) <= 1000),
  attribution   text not null default '' check (length(attribution) <= 200),
  region        text not null default '' check (length(region) <= 60),
  region_key    text not null default '', -- folded
  category_slug text references saying_categories,
  image_url     text check (length(image_url) <= 500),
  status        text not null default 'pending' check (status in ('pending', 'published', 'refused', 'spam', 'draft')),
  hidden_at     timestamptz,
  created_at    timestamptz not null default now(),
  published_at  timestamptz,
  constraint sayings_slug_key unique (slug),
  constraint sayings_published check (status <> 'published' or slug is not null and published_at is not null)
);
create unique index sayings_text_key on sayings (text_key) where status in ('pending', 'published', 'draft');
create index sayings_public on sayings (published_at desc, id) where status = 'published' and hidden_at is null;
create index sayings_words on sayings using gin (words gin_trgm_ops) where status = 'published' and hidden_at is null;
create index sayings_queue on sayings (created_at, id) where status = 'pending';
create index sayings_category on sayings (category_slug);

-- What is nobody else's business: every saying has one. Written first, so that
-- the policies of sayings can ask whose a new one is.
create table saying_submissions (
  saying_id       uuid primary key references sayings on delete cascade deferrable initially deferred,
  submitted_by    uuid references accounts on delete set null,
  submitter_name  text not null default '' check (length(submitter_name) <= 80),
  submitter_email text not null default '' check (length(submitter_email) <= 254),
  verdict         jsonb check (jsonb_typeof(verdict) = 'object'), -- decision, score, reasons; null: nobody judged it
  reason          text not null default '' check (length(reason) <= 500),
  decided_by      uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at      timestamptz
);
create index saying_submissions_account on saying_submissions (submitted_by) where submitted_by is not null;

create function saying_is_own(saying uuid) returns boolean
  language sql stable parallel safe
  return exists (select from saying_submissions s where s.saying_id = saying and s.submitted_by = viewer_id());

-- At most 20 of a member wait at a time, however many are sent at once.
-- +goose StatementBegin
create function saying_room() returns trigger
  language plpgsql as
$$
begin
  perform pg_advisory_xact_lock(hashtextextended('sayings ' || viewer_id(), 0));
  if (select count(*) from sayings y join saying_submissions s on s.saying_id = y.id
      where s.submitted_by = viewer_id() and y.status = 'pending') >= 20 then
    raise exception 'account % has 20 sayings waiting', viewer_id()
      using errcode = 'check_violation', constraint = 'sayings_room';
  end if;
  return new;
end
$$;
-- +goose StatementEnd
create trigger sayings_room before insert on sayings
  for each row when (current_user in ('member', 'staff')) execute function saying_room();

alter table saying_categories enable row level security;
alter table saying_categories force row level security;
alter table sayings enable row level security;
alter table sayings force row level security;
alter table saying_submissions enable row level security;
alter table saying_submissions force row level security;

grant select, insert, update, delete on saying_categories, sayings, saying_submissions to system;
create policy saying_categories_system on saying_categories to system using (true) with check (true);
create policy sayings_system on sayings to system using (true) with check (true);
create policy saying_submissions_system on saying_submissions to system using (true) with check (true);

grant select on saying_categories to anon, member, staff;
create policy saying_categories_read on saying_categories for select to anon, member, staff using (true);

-- A new saying waits: nobody but staff writes its status or its slug. Staff
-- send as members do, and what they sent is for others to decide.
grant select on sayings to anon, member, staff;
grant insert (id, text, text_key, words, meaning, attribution, region, region_key, category_slug, created_at) on sayings to member, staff;
grant update (slug, text, text_key, words, meaning, attribution, region, region_key, category_slug, status, hidden_at, published_at) on sayings to staff;
grant delete on sayings to member, staff;

create policy sayings_public on sayings for select to anon
  using (status = 'published' and hidden_at is null);
create policy sayings_member on sayings for select to member
  using ((status = 'published' and hidden_at is null) or saying_is_own(id));
create policy sayings_staff on sayings for select to staff using (true);
create policy sayings_offer on sayings for insert to member, staff
  with check (status = 'pending' and saying_is_own(id));
create policy sayings_moderate on sayings for update to staff
  using (not saying_is_own(id)) with check (not saying_is_own(id));
create policy sayings_withdraw on sayings for delete to member, staff
  using (status = 'pending' and saying_is_own(id));

-- Members read what became of their own, and neither the verdict nor who
-- decided.
grant select (saying_id, submitted_by, reason, decided_at) on saying_submissions to member;
grant select on saying_submissions to staff;
grant insert (saying_id, submitted_by) on saying_submissions to member, staff;
grant update (reason, decided_by, decided_at) on saying_submissions to staff;

create policy saying_submissions_own on saying_submissions for select to member
  using (submitted_by = (select viewer_id()));
create policy saying_submissions_staff on saying_submissions for select to staff using (true);
create policy saying_submissions_offer on saying_submissions for insert to member, staff
  with check (submitted_by = (select viewer_id()));
create policy saying_submissions_decide on saying_submissions for update to staff
  using (submitted_by is distinct from (select viewer_id()))
  with check (submitted_by is distinct from (select viewer_id()) and decided_by = (select viewer_id()));
