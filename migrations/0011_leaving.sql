-- +goose Up
-- A link may also confirm another e-mail address: it is mailed there, and its
-- address becomes the account's when it is used.
alter table account_links drop constraint account_links_purpose_check;
alter table account_links add constraint account_links_purpose_check
  check (purpose in ('verify', 'recover', 'change_email'));

-- What a member sent may outlive the account, without the name.
alter table directory_contributions alter column account_id drop not null;
alter table directory_contributions drop constraint directory_contributions_account_id_fkey;
alter table directory_contributions add constraint directory_contributions_account_id_fkey
  foreign key (account_id) references accounts on delete set null;

-- Nobody's is nobody's own: staff decide it.
alter policy directory_contributions_decide on directory_contributions
  using (account_id is distinct from (select viewer_id()) and status = 'pending')
  with check (account_id is distinct from (select viewer_id()) and status in ('approved', 'refused') and decided_by = (select viewer_id()));

drop trigger directory_contributions_room on directory_contributions;
create trigger directory_contributions_room before insert on directory_contributions
  for each row when (new.status = 'pending' and new.account_id is not null)
  execute function directory_contribution_room();

-- The numbers on a profile.
create index directory_contributions_given on directory_contributions (account_id, kind) where status = 'approved';
