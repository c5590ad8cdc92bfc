package polls

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
	"homeplace/core/settings"
	"homeplace/core/slugs"
)

var importColumns = []string{"id", "slug", "question", "description", "options", "allow_comments", "status", "hidden", "reason", "owner",
	"daily_for", "opens_at", "closes_at"}

// row is a row of an import.
type row struct {
	Input
	slug, status, reason, owner string
	allow, hidden               rowfile.Flag
	daily, opens, closes        rowfile.Moment
	timed                       bool // the row says when it is open
}

// Import stores polls, upserted by slug; a missing slug is made from the
// question. A missing field leaves the stored value, but for the question and
// the answers, which a row always brings. A new one is published where the row
// gives no status, and open for as long as the setting says where it gives no
// times. Answers that somebody has voted for stay as they are. Votes do not come
// in. For the system.
func (s *Service) Import(ctx context.Context, v core.Viewer, r *rowfile.Reader, o rowfile.Options) (rowfile.Summary, error) {
	if v.Role != core.System {
		return rowfile.Summary{}, core.Forbiddenf("Only the operator of the site brings polls in and out in bulk.")
	}
	return rowfile.Import(ctx, r, importColumns, o, func(b *rowfile.Batch) error {
		return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
			tx.Touch(Area)
			tx.Touch(Tallies)
			return explained("store poll", b.Each(func(raw rowfile.Row) (bool, error) { return s.importRow(ctx, tx, raw, o) }), errNoPoll())
		})
	})
}

func (s *Service) importRow(ctx context.Context, tx *pg.Tx, raw rowfile.Row, o rowfile.Options) (isNew bool, err error) {
	var p core.Problems
	r := readRow(raw, &p)
	if err := r.check(); err != nil {
		for field, problem := range core.AsError(err).Fields {
			p.Add(field, "%s", problem)
		}
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	ownerID, err := o.Owner(ctx, r.owner)
	if err != nil {
		return false, err
	}
	if r.status == string(Published) || r.status == "" {
		s.giveTimes(&r)
	}
	id, isNew, err := upsert(ctx, tx, r, ownerID, s.now())
	if err != nil {
		return false, err
	}
	return isNew, replaceOptions(ctx, tx, id, r.Options)
}

// giveTimes fills in when a published poll is open.
func (s *Service) giveTimes(r *row) {
	now := s.now()
	r.timed = r.daily.Value != nil || r.opens.Value != nil || r.closes.Value != nil
	if r.daily.Value != nil {
		opens, closes := *r.daily.Value, r.daily.Value.AddDate(0, 0, 1)
		r.opens.Value, r.closes.Value = &opens, &closes
	}
	if r.opens.Value == nil {
		r.opens.Value = &now
	}
	if r.closes.Value == nil {
		closes := r.opens.Value.AddDate(0, 0, s.needs.Settings.Number(settings.PollDays))
		r.closes.Value = &closes
	}
}

func readRow(raw rowfile.Row, p *core.Problems) row {
	var r row
	var labels optionLabels
	raw.Fill(p, map[string]any{
		"slug": &r.slug, "question": &r.Question, "description": &r.Description, "options": &labels, "allow_comments": &r.allow,
		"status": &r.status, "hidden": &r.hidden, "reason": &r.reason, "owner": &r.owner, "daily_for": &r.daily, "opens_at": &r.opens, "closes_at": &r.closes,
	})
	r.Options = labels
	p.Text("reason", &r.reason, 0, MaxReason)
	switch Status(r.status) {
	case "", Published, Draft:
	case Refused:
		if r.reason == "" {
			p.Add("reason", "is required of a refused poll")
		}
	default:
		p.Add("status", "must be published, draft or refused, not %q", r.status)
	}
	if r.opens.Value != nil && r.closes.Value != nil && !r.opens.Value.Before(*r.closes.Value) {
		p.Add("closes_at", "must be after opens_at")
	}
	if r.daily.Value != nil {
		day := dayOf(*r.daily.Value)
		r.daily.Value, r.slug = &day, dailySlug(day)
		if r.owner != "" || r.status != "" && r.status != string(Published) {
			p.Add("daily_for", "is for published polls of the site, which have no owner")
		}
		return r
	}
	if r.slug == "" {
		r.slug = slugs.Make("poll", r.Question)
	}
	if !core.ValidSlug(r.slug) || r.slug == "new" || strings.HasPrefix(r.slug, "daily-") {
		p.Add("slug", "must be 2 to 80 lowercase letters, digits and single hyphens, and neither new nor daily-…")
	}
	return r
}

// optionLabels are the answers as texts, or as the API gives them.
type optionLabels []string

// UnmarshalJSON reads the list.
func (l *optionLabels) UnmarshalJSON(data []byte) error {
	var words rowfile.Words
	if json.Unmarshal(data, &words) == nil {
		*l = optionLabels(words)
		return nil
	}
	var list []struct{ Label string }
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New("must be a list of texts")
	}
	for _, one := range list {
		*l = append(*l, one.Label)
	}
	return nil
}

func upsert(ctx context.Context, tx *pg.Tx, r row, ownerID string, now time.Time) (id string, isNew bool, err error) {
	err = tx.QueryRow(ctx, `
		insert into polls as p (id, slug, question, description, status, reason, daily_for, opens_at, closes_at, allow_comments, author_id, hidden_at, created_at)
		values (@id, @slug, @question, @description, coalesce(nullif(@status, ''), 'published'), case when @status = 'refused' then @reason else '' end, @daily::date,
			case when @status in ('', 'published') then @opens::timestamptz end, case when @status in ('', 'published') then @closes::timestamptz end,
			coalesce(@allow, true), nullif(@owner, '')::uuid, case when @hidden then @now::timestamptz end, @now)
		on conflict (slug) do update
		set question = @question, description = @description, allow_comments = coalesce(@allow, p.allow_comments),
			status = coalesce(nullif(@status, ''), p.status), reason = case when coalesce(nullif(@status, ''), p.status) = 'refused' then coalesce(nullif(@reason, ''), p.reason) else '' end,
			opens_at = case when coalesce(nullif(@status, ''), p.status) = 'published' then case when @keep then coalesce(p.opens_at, @opens) else @opens end end,
			closes_at = case when coalesce(nullif(@status, ''), p.status) = 'published' then case when @keep then coalesce(p.closes_at, @closes) else @closes end end,
			author_id = coalesce(nullif(@owner, '')::uuid, p.author_id),
			hidden_at = case @hidden when true then coalesce(p.hidden_at, @now) when false then null else p.hidden_at end
		returning p.id, p.xmax = 0`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "slug": r.slug, "question": r.Question, "description": r.Description, "status": r.status, "reason": r.reason,
			"daily": r.daily.Value, "opens": r.opens.Value, "closes": r.closes.Value, "allow": r.allow.Value, "owner": ownerID, "hidden": r.hidden.Value,
			"now": now, "keep": !r.timed}).
		Scan(&id, &isNew)
	return id, isNew, err
}

// replaceOptions leaves the answers alone where they are the same, and refuses
// to change those that have votes.
func replaceOptions(ctx context.Context, tx *pg.Tx, pollID string, labels []string) error {
	now, err := optionsOf(ctx, tx, pollID)
	if err != nil {
		return err
	}
	if slices.EqualFunc(now, labels, func(o Option, label string) bool { return o.Label == label }) {
		return nil
	}
	if (Poll{Options: now}).Votes() > 0 {
		return core.InvalidField("options", "cannot change any more: people have voted")
	}
	if _, err := tx.Exec(ctx, `delete from poll_options where poll_id = $1`, pollID); err != nil {
		return err
	}
	return insertOptions(ctx, tx, pollID, labels)
}
