-- +goose Up
-- Products of the makers in the community, and what members say of them. Staff
-- keep the products; a review is public once staff have approved it.
create table products (
  id         uuid primary key,
  slug       text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 80),
  name       text not null check (length(name) between 1 and 160),
  sort_key   text collate "C" not null, -- folded name
  words      text not null, -- folded, of name, maker, category and summary: what is searched
  maker      text not null default '' check (length(maker) <= 160),
  summary    text not null default '' check (length(summary) <= 600),
  category   text not null default '' check (length(category) <= 60),
  image_url  text check (length(image_url) <= 500),
  website    text check (length(website) <= 500),
  entry_id   uuid references directory_entries on delete set null, -- the business that sells it
  status     text not null default 'draft' check (status in ('published', 'draft')),
  hidden_at  timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint products_slug_key unique (slug)
);
create index products_public on products (sort_key, id) where status = 'published' and hidden_at is null;
create index products_words on products using gin (words gin_trgm_ops) where status = 'published' and hidden_at is null;
create index products_entry on products (entry_id) where entry_id is not null;

-- A member has one review of a product. Writing it again replaces the words and
-- the id, which stands for these words: so nobody decides about words that they
-- have not read, and a verdict is always about what stands here. No cascade
-- deletes one: the desk would not hear of it.
create table reviews (
  id          uuid primary key,
  product_id  uuid not null references products,
  account_id  uuid references accounts on delete set null, -- null: was imported, or of one who left
  author_name text not null default '' check (length(author_name) <= 80), -- of what was imported
  rating      int not null check (rating between 1 and 5),
  title       text not null default '' check (length(title) <= 120),
  body        text not null check (length(body) between 10 and 2000),
  status      text not null default 'pending' check (status in ('pending', 'approved', 'refused', 'spam')),
  hidden_at   timestamptz,
  reason      text not null default '' check (length(reason) <= 500),
  decided_by  uuid references accounts on delete set null, -- null: nobody yet, or the program
  decided_at  timestamptz,
  created_at  timestamptz not null default now(),
  constraint reviews_member_key unique (product_id, account_id),
  constraint reviews_signed_once check (account_id is null or author_name = ''),
  constraint reviews_hidden check (hidden_at is null or status = 'approved'),
  constraint reviews_reason check (reason = '' or hidden_at is not null or status in ('refused', 'spam'))
);
create unique index reviews_author_key on reviews (product_id, lower(author_name)) where author_name <> '';
create index reviews_public on reviews (created_at desc, id desc) where status = 'approved' and hidden_at is null;
create index reviews_product on reviews (product_id, created_at desc, id desc) where status = 'approved' and hidden_at is null;
create index reviews_account on reviews (account_id, created_at desc, id desc) where account_id is not null;
create index reviews_recent on reviews (created_at desc, id desc);

-- At most 20 of a member wait at a time, however many are sent at once.
-- +goose StatementBegin
create function review_room() returns trigger
  language plpgsql as
$$
begin
  perform pg_advisory_xact_lock(hashtextextended('reviews ' || new.account_id, 0));
  if (select count(*) from reviews where account_id = new.account_id and status = 'pending' and product_id <> new.product_id) >= 20 then
    raise exception 'account % has 20 reviews waiting', new.account_id
      using errcode = 'check_violation', constraint = 'reviews_room';
  end if;
  return new;
end
$$;

-- A review waits at the desk while it is pending; written again, it is another.
create function review_waits() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and old.id <> new.id then
    perform desk_waits('review', old.id, false, '', null, null);
  end if;
  if tg_op <> 'DELETE' then
    perform desk_waits('review', new.id, new.status = 'pending',
      concat_ws(': ', (select name from products where id = new.product_id), coalesce(nullif(new.title, ''), new.body)),
      new.account_id, new.created_at);
  end if;
  return null;
end
$$;
-- +goose StatementEnd
create trigger reviews_room before insert on reviews
  for each row when (current_user = 'member') execute function review_room();
create trigger reviews_wait after insert or update of id, status, title or delete on reviews
  for each row execute function review_waits();

alter table products enable row level security;
alter table products force row level security;
alter table reviews enable row level security;
alter table reviews force row level security;

grant select, insert, update, delete on products, reviews to system;
create policy products_system on products to system using (true) with check (true);
create policy reviews_system on reviews to system using (true) with check (true);

grant select on products to anon, member, staff;
grant insert, update on products to staff;
create policy products_public on products for select to anon, member
  using (status = 'published' and hidden_at is null);
create policy products_staff on products to staff using (true) with check (true);

-- Everybody reads what was approved, of products that are public. Members also
-- read what became of their own, but not who decided.
grant select (id, product_id, account_id, author_name, rating, title, body, status, hidden_at, created_at) on reviews to anon;
grant select (id, product_id, account_id, author_name, rating, title, body, status, hidden_at, reason, decided_at, created_at) on reviews to member;
grant select on reviews to staff;
create policy reviews_public on reviews for select to anon
  using (status = 'approved' and hidden_at is null and exists (select from products p where p.id = product_id));
create policy reviews_member on reviews for select to member
  using (account_id = (select viewer_id())
    or status = 'approved' and hidden_at is null and exists (select from products p where p.id = product_id));
create policy reviews_staff on reviews for select to staff using (true);

-- Everybody writes as a member, staff included, and what is written waits. So
-- staff have no right on anybody's words.
grant insert (id, product_id, account_id, rating, title, body, created_at) on reviews to member;
grant update (id, rating, title, body, status, hidden_at, reason, decided_by, decided_at, created_at) on reviews to member;
grant delete on reviews to member;
create policy reviews_offer on reviews for insert to member
  with check (account_id = (select viewer_id()) and status = 'pending' and exists (select from products p where p.id = product_id));
create policy reviews_rewrite on reviews for update to member
  using (account_id = (select viewer_id()))
  with check (account_id = (select viewer_id()) and status = 'pending' and hidden_at is null and decided_by is null and decided_at is null
    and exists (select from products p where p.id = product_id));
-- What was refused, is spam or hidden stays, for the record and for an appeal.
create policy reviews_withdraw on reviews for delete to member
  using (account_id = (select viewer_id()) and status in ('pending', 'approved') and hidden_at is null);

grant update (status, hidden_at, reason, decided_by, decided_at) on reviews to staff;
create policy reviews_decide on reviews for update to staff
  using (account_id is distinct from (select viewer_id())) with check (account_id is distinct from (select viewer_id()));
