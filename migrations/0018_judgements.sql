-- +goose Up
-- What the moderation pipeline said of every text (CONTRACT.md §4). A row is one
-- text that was judged, stored before the text itself; the latest of a target
-- is the one that holds. After a while, and when its sender leaves, a row loses
-- what was written and where it came from.
create table judgements (
  id           uuid primary key,
  scope        text not null check (length(scope) between 1 and 60),
  target_type  text not null default '' check (length(target_type) <= 60),
  target_id    text not null default '' check (length(target_id) <= 200),
  account_id   uuid, -- null: nobody was signed in, or they left. No foreign key: a name is judged before its account is there
  address_key  text not null default '' check (length(address_key) <= 64),
  shared       boolean not null, -- many people may stand behind the address
  body         text not null,
  text_hash    bytea check (length(text_hash) = 32), -- of the folded words; null: too short to tell who copied whom
  fingerprint  bigint not null, -- texts that differ little differ in few bits; 0: too short
  decision     text not null check (decision in ('approve', 'review', 'reject')),
  score        double precision not null check (score between 0 and 1),
  reasons      jsonb not null check (jsonb_typeof(reasons) = 'array'),
  asked_model  boolean not null,
  created_at   timestamptz not null
);
create index judgements_target on judgements (target_type, target_id, created_at desc);
create index judgements_account on judgements (account_id, created_at desc) where account_id is not null;
create index judgements_address on judgements (address_key, created_at desc) where address_key <> '';
create index judgements_hash on judgements (text_hash, created_at) where text_hash is not null;
create index judgements_latest on judgements (created_at, id);
-- What is still to be emptied.
create index judgements_bodies on judgements (created_at) where body <> '' or address_key <> '';
-- Of four bands of 16 bits, two fingerprints that differ in three bits or fewer
-- share at least one.
create index judgements_band0 on judgements ((fingerprint & 65535), created_at) where fingerprint <> 0;
create index judgements_band1 on judgements ((fingerprint >> 16 & 65535), created_at) where fingerprint <> 0;
create index judgements_band2 on judgements ((fingerprint >> 32 & 65535), created_at) where fingerprint <> 0;
create index judgements_band3 on judgements ((fingerprint >> 48 & 65535), created_at) where fingerprint <> 0;

-- Word rules beside those that come with the program. A row of origin 'ours' says
-- that the built-in rule of its term is switched off.
create table word_rules (
  id         uuid primary key,
  term       text not null check (length(term) between 1 and 1000),
  action     text not null check (action in ('deny', 'review', 'allow')),
  severity   int not null check (severity between 1 and 3),
  category   text not null check (category ~ '^[a-z][a-z_]{0,29}$'),
  scope      text not null default '' check (length(scope) <= 200),
  note       text not null default '' check (length(note) <= 500),
  state      text not null check (state in ('draft', 'on', 'off')),
  origin     text not null check (origin in ('ours', 'added')),
  rule_hash  bytea not null check (length(rule_hash) = 32), -- of what it matches and does
  created_by uuid references accounts on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null, -- when what it matches or does last changed
  constraint word_rules_ours check (origin <> 'ours' or state = 'off'),
  constraint word_rules_term_key unique (origin, term, scope)
);

-- Rules that were tried against texts of the past, by the hash of what they match
-- and do: only such a rule can be switched on.
create table word_trials (
  id         uuid primary key,
  rule_hash  bytea not null check (length(rule_hash) = 32),
  texts      int not null check (texts >= 0),
  tried_by   uuid references accounts on delete set null,
  created_at timestamptz not null
);
create index word_trials_rule on word_trials (rule_hash, created_at desc);

-- Profile texts that the pipeline held, or a moderator refused. While a row is
-- here the public profile has the username alone; the texts are only in here.
create table profile_reviews (
  account_id   uuid primary key references accounts on delete cascade,
  display_name text check (length(display_name) between 1 and 60),
  bio          text not null default '' check (length(bio) <= 500),
  status       text not null default 'waiting' check (status in ('waiting', 'approved', 'refused', 'spam')),
  reason       text not null default '' check (length(reason) <= 500),
  decided_by   uuid references accounts on delete set null,
  decided_at   timestamptz,
  created_at   timestamptz not null,
  constraint profile_reviews_decision check ((decided_at is not null) = (status <> 'waiting'))
);
create index profile_reviews_latest on profile_reviews (created_at desc, account_id);
create index profile_reviews_decided_by on profile_reviews (decided_by) where decided_by is not null;

-- +goose StatementBegin
create function profile_waits() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'DELETE' then
    perform desk_waits('profile', old.account_id, false, '', null, null);
    return null;
  end if;
  perform desk_waits('profile', new.account_id, new.status = 'waiting',
    coalesce(new.display_name, new.bio), new.account_id, new.created_at);
  return null;
end
$$;
-- +goose StatementEnd
create trigger profile_reviews_wait after insert or update of status, display_name, bio, created_at or delete on profile_reviews
  for each row execute function profile_waits();

-- The owner of an app reads the message all the same, with a word of caution.
alter table app_submissions add column questionable boolean not null default false;
grant insert (questionable) on app_submissions to member, staff;

alter table judgements enable row level security;
alter table judgements force row level security;
alter table word_rules enable row level security;
alter table word_rules force row level security;
alter table word_trials enable row level security;
alter table word_trials force row level security;
alter table profile_reviews enable row level security;
alter table profile_reviews force row level security;

grant select, insert, update, delete on judgements, word_rules, word_trials, profile_reviews to system;
create policy judgements_system on judgements to system using (true) with check (true);
create policy word_rules_system on word_rules to system using (true) with check (true);
create policy word_trials_system on word_trials to system using (true) with check (true);
create policy profile_reviews_system on profile_reviews to system using (true) with check (true);

-- Moderators read what was judged and by which rules; the program alone writes.
grant select on judgements, word_rules, word_trials to staff;
create policy judgements_read on judgements for select to staff using (true);
create policy word_rules_read on word_rules for select to staff using (true);
create policy word_trials_read on word_trials for select to staff using (true);

-- Members read how their own stands, but not who decided. Nobody decides about
-- their own.
grant select (account_id, display_name, bio, status, reason, decided_at, created_at) on profile_reviews to member;
grant select on profile_reviews to staff;
grant update (status, reason, decided_by, decided_at) on profile_reviews to staff;
create policy profile_reviews_own on profile_reviews for select to member using (account_id = (select viewer_id()));
create policy profile_reviews_read on profile_reviews for select to staff using (true);
create policy profile_reviews_decide on profile_reviews for update to staff
  using (account_id <> (select viewer_id())) with check (account_id <> (select viewer_id()));
