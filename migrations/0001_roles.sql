-- +goose Up
-- The four roles that requests run as. They are shared by all databases of a
-- cluster, so another database may have made them before, even at this moment.
-- +goose StatementBegin
do $$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'member', 'staff', 'system'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin noinherit nobypassrls', wanted);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
  end loop;
end
$$;
-- +goose StatementEnd

-- All four are trusted extensions: the owner of the database may add them.
create extension if not exists citext;
create extension if not exists cube;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

revoke create on schema public from public;
grant usage on schema public to anon, member, staff, system;

-- The account on whose behalf the transaction runs; null for nobody.
create function viewer_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.viewer_id', true), '')::uuid;

-- Makes the role that the program logs in as, or sets its password anew. It
-- owns nothing and inherits nothing, so a query must first become one of the
-- four roles. Run by the owner at start; nobody else may call it.
-- +goose StatementBegin
create function homeplace_ensure_login(name text, secret text) returns void
  language plpgsql as
$$
begin
  if not exists (select from pg_roles where rolname = name) then
    begin
      execute format('create role %I login noinherit nobypassrls nosuperuser', name);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end if;
  execute format('alter role %I with login noinherit password %L', name, nullif(secret, ''));
  execute format('grant anon, member, staff, system to %I', name);
end
$$;
-- +goose StatementEnd
revoke execute on function homeplace_ensure_login(text, text) from public;
