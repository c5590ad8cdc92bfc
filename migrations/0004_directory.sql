-- +goose Up
-- Curated subcategories; an alias lets imported rows map to one of them.
create table directory_categories (
  kind     text not null check (kind in ('business', 'landmark', 'person', 'service', 'event')),
  slug     text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80),
  label    text not null check (length(label) between 1 and 80),
  aliases  text[] not null default '{}',
  primary key (kind, slug)
);

create table directory_entries (
  id               uuid primary key,
  slug             text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80),
  kind             text not null check (kind in ('business', 'landmark', 'person', 'service', 'event')),
  category         text,
  name             text not null check (length(name) between 1 and 160),
  summary          text not null default '' check (length(summary) <= 600),
  description      text not null default '' check (length(description) <= 20000),
  description_html text not null default '',
  address          text,
  city             text,
  region           text,
  country          text,
  zip              text,
  lat              double precision check (lat between -90 and 90),
  lng              double precision check (lng between -180 and 180),
  phone            text,
  email            text,
  website          text,
  image_url        text,
  links            jsonb not null default '[]' check (jsonb_typeof(links) = 'array'),
  tags             text[] not null default '{}',
  hours            jsonb check (jsonb_typeof(hours) = 'object'),
  verified         boolean not null default false,
  starts_at        timestamptz,
  ends_at          timestamptz,
  year_start       int check (year_start between -4000 and 3000),
  year_end         int check (year_end between -4000 and 3000),
  status           text not null default 'published' check (status in ('draft', 'pending', 'published', 'refused', 'archived')),
  hidden_at        timestamptz,
  owner_id         uuid references accounts on delete set null,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  constraint directory_entries_slug_key unique (slug),
  constraint directory_entries_category_fkey foreign key (kind, category) references directory_categories on update cascade,
  constraint directory_entries_point check ((lat is null) = (lng is null)),
  constraint directory_entries_years check (year_end is null or year_start is null or year_end >= year_start),
  constraint directory_entries_times check (ends_at is null or starts_at is null or ends_at >= starts_at)
);
create index directory_entries_owner on directory_entries (owner_id) where owner_id is not null;
create index directory_entries_category on directory_entries (kind, category);

-- One row for each entry that the public may see and none for any other, so
-- that its policy can be `true`: a condition there would keep the planner from
-- the trigram and text-search indexes. Everything that lists filter and sort
-- by stands here; the rest of a page's rows is joined by id.
create table search_documents (
  entry_id  uuid primary key references directory_entries on delete cascade,
  kind      text not null,
  category  text not null,   -- '' = none
  initial   text not null,   -- 'a' to 'z', or '#'
  sort_name text collate "C" not null, -- folded; bytewise, so that a letter is a range
  name_key  text not null,   -- folded, without punctuation and company suffix
  city_key  text not null,   -- folded
  region    text not null,
  zip       text not null,
  lat       double precision,
  lng       double precision,
  prominence real not null default 0, -- verified, described, pictured: breaks ties
  haystack  text not null,   -- name, summary, category, city, region; folded, one a line
  words     tsvector not null -- weights: A name, B category and tags, C place, D the rest
);
create index search_documents_browse on search_documents (kind, sort_name, entry_id);
create index search_documents_category on search_documents (kind, category, sort_name, entry_id);
create index search_documents_initial on search_documents (kind, initial, sort_name, entry_id);
create index search_documents_place on search_documents (kind, region, city_key, category);
create index search_documents_name_key on search_documents (name_key text_pattern_ops);
-- A short pending list: every search reads what is on it. (256 kB)
create index search_documents_haystack on search_documents using gin (haystack gin_trgm_ops) with (gin_pending_list_limit = 256);
create index search_documents_words on search_documents using gin (words) with (gin_pending_list_limit = 256);

-- How many public entries there are by kind, category and first letter, so
-- that totals and facets cost the same at a million entries as at a hundred.
create table directory_counts (
  kind     text not null,
  category text not null,
  initial  text not null,
  entries  int not null check (entries >= 0),
  primary key (kind, category, initial)
);

-- The words of public names, cities and categories: where a slip of the finger
-- is looked up. A word stays when its last entry goes: it then finds nothing.
create table search_words (
  word    text primary key,
  -- The word and its forms with one letter left out: words one slip apart
  -- share one of them.
  deletes text[] not null
);
create index search_words_deletes on search_words using gin (deletes) with (gin_pending_list_limit = 256);
create index search_words_trigrams on search_words using gin (word gin_trgm_ops) with (gin_pending_list_limit = 256);

-- Whoever searches for `term` is also shown what matches `expansion`.
create table search_synonyms (
  term      text not null check (term <> ''),
  expansion text not null check (expansion <> ''),
  primary key (term, expansion)
);

-- An entry that leaves the public leaves the search with it, whoever does it.
-- +goose StatementBegin
create function directory_entry_withdrawn() returns trigger
  language plpgsql as
$$
begin
  delete from search_documents where entry_id = new.id;
  return null;
end
$$;
-- +goose StatementEnd
create trigger directory_entries_withdrawn
  after update of status, hidden_at on directory_entries
  for each row
  when (new.status <> 'published' or new.hidden_at is not null)
  execute function directory_entry_withdrawn();

-- +goose StatementBegin
create function directory_count_change() returns trigger
  language plpgsql as
$$
begin
  -- Sorted, so that two transactions lock the counters in the same order.
  if tg_op <> 'INSERT' then
    update directory_counts c
    set entries = c.entries - gone.n
    from (select kind, category, initial, count(*) as n from old_rows
          group by 1, 2, 3 order by 1, 2, 3) gone
    where (c.kind, c.category, c.initial) = (gone.kind, gone.category, gone.initial);
  end if;
  if tg_op <> 'DELETE' then
    insert into directory_counts as c (kind, category, initial, entries)
    select kind, category, initial, count(*) from new_rows
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (kind, category, initial) do update set entries = c.entries + excluded.entries;
  end if;
  return null;
end
$$;
-- +goose StatementEnd
create trigger search_documents_counted_insert after insert on search_documents
  referencing new table as new_rows
  for each statement execute function directory_count_change();
create trigger search_documents_counted_update after update on search_documents
  referencing old table as old_rows new table as new_rows
  for each statement execute function directory_count_change();
create trigger search_documents_counted_delete after delete on search_documents
  referencing old table as old_rows
  for each statement execute function directory_count_change();

alter table directory_categories enable row level security;
alter table directory_categories force row level security;
alter table directory_entries enable row level security;
alter table directory_entries force row level security;
alter table search_documents enable row level security;
alter table search_documents force row level security;
alter table directory_counts enable row level security;
alter table directory_counts force row level security;
alter table search_words enable row level security;
alter table search_words force row level security;
alter table search_synonyms enable row level security;
alter table search_synonyms force row level security;

grant select on directory_categories, directory_entries, search_documents, directory_counts, search_words, search_synonyms
  to anon, member, staff;
grant select, insert, update, delete
  on directory_categories, directory_entries, search_documents, directory_counts, search_words, search_synonyms
  to staff, system;

create policy directory_categories_read on directory_categories for select to anon, member using (true);
create policy directory_categories_keep on directory_categories to staff, system using (true) with check (true);

create policy directory_entries_public on directory_entries for select to anon
  using (status = 'published' and hidden_at is null);
create policy directory_entries_member on directory_entries for select to member
  using ((status = 'published' and hidden_at is null) or owner_id = (select viewer_id()));
create policy directory_entries_keep on directory_entries to staff, system using (true) with check (true);

-- A member may offer an entry of their own; only staff make it public.
grant insert on directory_entries to member;
create policy directory_entries_offer on directory_entries for insert to member
  with check (owner_id = (select viewer_id()) and status in ('draft', 'pending') and not verified);

create policy search_documents_read on search_documents for select to anon, member using (true);
create policy search_documents_keep on search_documents to staff, system using (true) with check (true);
create policy directory_counts_read on directory_counts for select to anon, member using (true);
create policy directory_counts_keep on directory_counts to staff, system using (true) with check (true);
create policy search_words_read on search_words for select to anon, member using (true);
create policy search_words_keep on search_words to staff, system using (true) with check (true);
create policy search_synonyms_read on search_synonyms for select to anon, member using (true);
create policy search_synonyms_keep on search_synonyms to staff, system using (true) with check (true);

-- Fresh statistics after many rows came at once: the planner must not wait for
-- autovacuum to learn of them. Only the owner may analyze, hence its rights.
-- +goose StatementBegin
create function directory_refresh_statistics() returns void
  language plpgsql security definer set search_path = pg_catalog, public as
$$
begin
  perform gin_clean_pending_list(index)
  from unnest(array['search_documents_haystack', 'search_documents_words',
    'search_words_deletes', 'search_words_trigrams']::regclass[]) index;
  analyze directory_entries, search_documents, search_words, directory_counts;
end
$$;
-- +goose StatementEnd
revoke execute on function directory_refresh_statistics() from public;
grant execute on function directory_refresh_statistics() to system;

create index directory_entries_newest on directory_entries (created_at desc, id desc)
  where status = 'published' and hidden_at is null;
