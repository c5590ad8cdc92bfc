package main

import (
	"context"
	"log/slog"

	"homeplace/api/gotrue"
	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/auditlog"
	"homeplace/core/bearer"
	"homeplace/core/blocks"
	"homeplace/core/desk"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/fakereports"
	"homeplace/core/geography"
	"homeplace/core/idempotency"
	"homeplace/core/llm"
	"homeplace/core/mail"
	"homeplace/core/moderation"
	"homeplace/core/pg"
	"homeplace/core/points"
	"homeplace/core/polls"
	"homeplace/core/provider"
	"homeplace/core/ratelimit"
	"homeplace/core/recent"
	"homeplace/core/reports"
	"homeplace/core/reviews"
	"homeplace/core/sayings"
	"homeplace/core/search"
	"homeplace/core/secret"
	"homeplace/core/sessions"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/core/signing"
	"homeplace/core/takeout"
	"homeplace/web/httpx"
)

// services are all services over one database: who gets what stands here and
// nowhere else.
type services struct {
	moderation    *moderation.Service
	db            *pg.DB
	settings      *settings.Service
	geography     *geography.Service
	accounts      *accounts.Service
	sessions      *sessions.Service
	apps          *apps.Service
	points        *points.Service
	sayings       *sayings.Service
	directory     *directory.Service
	contributions *contributions.Service
	reports       *reports.Service
	fakeReports   *fakereports.Service
	reviews       *reviews.Service
	blocks        *blocks.Service
	auditLog      *auditlog.Service
	recent        *recent.Service // nil for commands
	search        *search.Service
	limits        *ratelimit.Service
	idempotency   *idempotency.Service
	model         *llm.Client

	// Nil for commands, which let nobody in.
	access    *accounts.Access
	keys      *signing.Service
	programs  *sessions.Programs
	bearer    *bearer.Service
	takeout   *takeout.Service
	polls     *polls.Service
	desk      *desk.Service
	shoutOuts *shoutouts.Service
	secret    secret.Secret
}

func wire(db *pg.DB) *services {
	audit := auditlog.New(db, core.Now)
	s := &services{
		db:          db,
		auditLog:    audit,
		settings:    settings.New(db).WithAudit(audit),
		geography:   geography.New(db),
		sessions:    sessions.New(db, core.Now).WithAudit(audit),
		limits:      ratelimit.New(db),
		idempotency: idempotency.New(db),
	}
	s.model = llm.New(s.modelOptions, core.Now)
	s.points = points.New(db, core.Now, s.settings).WithAudit(audit)
	s.blocks = blocks.New(db, core.Now, blocks.Needs{Settings: s.settings, Audit: s.auditLog})
	s.moderation = moderation.New(db, core.Now, moderation.Needs{Settings: s.settings, Model: s.model, Blocks: s.blocks, Audit: s.auditLog,
		QueueCreated: accounts.QueueCreated, Log: slog.Default()})
	s.accounts = accounts.New(db, core.Now).WithAudit(audit).WithModerator(s.moderation)
	s.apps = apps.New(db, core.Now, apps.Needs{Settings: s.settings, Awards: s.points, Audit: s.auditLog, Moderator: s.moderation})
	s.sayings = sayings.New(db, core.Now, sayings.Needs{Awards: s.points, Moderator: s.moderation, Audit: s.auditLog})
	s.reviews = reviews.New(db, core.Now, reviews.Needs{Moderator: s.moderation})
	s.directory = directory.New(db, core.Now, s.geography.Current)
	s.contributions = contributions.New(db, core.Now, s.directory, s.points)
	s.reports = reports.New(db, core.Now, reports.Needs{Audit: s.auditLog,
		Targets: map[reports.Type]reports.Targets{reports.TypeEntry: s.directory, reports.TypeApp: s.apps},
		Pages: map[reports.Type]func(core.Reportable) string{
			reports.TypeEntry: func(t core.Reportable) string { return directory.Path(directory.Kind(t.Kind), t.Slug) },
			reports.TypeApp:   func(t core.Reportable) string { return apps.Path(t.Slug) },
		}})
	s.fakeReports = fakereports.New(db, core.Now, fakereports.Needs{Awards: s.points, Moderator: s.moderation})
	s.search = search.New(db, s.directory, s.geography.Current)
	return s
}

// modelOptions name the language model as the settings do now.
func (s *services) modelOptions() llm.Options {
	return llm.Options{BaseURL: s.settings.Text(settings.LLMBaseURL), Key: llm.Key(s.settings.Secret(settings.LLMAPIKey)),
		Model: s.settings.Text(settings.LLMModel), Timeout: s.settings.Span(settings.LLMTimeout)}
}

// letIn adds what only a running site has: people who come in, mails with
// links to its pages, and programs that are signed in. jwts is nil where no
// outside provider's are taken.
func (s *services) letIn(post *mail.Mailer, installation secret.Secret, addresses httpx.Addresses, jwts *provider.Verifier, log *slog.Logger) {
	s.secret = installation
	s.polls = polls.New(s.db, core.Now, polls.Needs{Settings: s.settings, Secret: installation, Awards: s.points, Moderator: s.moderation, Audit: s.auditLog})
	s.shoutOuts = shoutouts.New(s.db, core.Now, shoutouts.Needs{Settings: s.settings, Secret: installation, Awards: s.points,
		Moderator: s.moderation, Drafts: s.contributions})
	s.desk = desk.New(s.db, core.Now, desk.Needs{Audit: s.auditLog, Blocks: s.blocks, Judge: s.moderation, Queues: s.queues()})
	s.access = accounts.NewAccess(s.db, core.Now, accounts.Needs{
		Mail: post, Limits: s.limits, Sessions: s.sessions, Settings: s.settings, Page: addresses.Page, Log: log, Moderator: s.moderation,
		Leavers: []accounts.Leaver{
			s.contributions,
			s.apps,
			s.reports,
			s.sayings,
			s.fakeReports,
			s.polls,
			s.desk,
			s.shoutOuts,
			s.reviews,
			s.moderation,
		}})
	s.recent = recent.New(log, s.submissions()...)
	s.takeout = takeout.New(s.limits, core.Now,
		takeout.Profile(s.accounts),
		takeout.SignIns(s.access),
		takeout.Tokens(s.accounts),
		takeout.Sessions(s.sessions),
		takeout.Contributions(s.contributions),
		takeout.Entries(s.directory),
		takeout.Apps(s.apps),
		takeout.Submissions(s.apps),
		takeout.Reports(s.reports),
		takeout.Appeals(s.desk),
		takeout.Sayings(s.sayings),
		takeout.FakeReports(s.fakeReports),
		takeout.Polls(s.polls),
		takeout.ShoutOuts(s.shoutOuts),
		takeout.Reviews(s.reviews),
		takeout.Points(s.points),
	)
	s.keys = signing.New(s.db, installation, core.Now)
	s.programs = sessions.NewPrograms(s.db, core.Now, sessions.ProgramNeeds{
		Keys: s.keys, Secret: installation, Settings: s.settings, Issuer: addresses.Base() + gotrue.Prefix})
	var outside bearer.Outside
	if jwts != nil {
		outside = s.access.Outside(jwts)
	}
	s.bearer = bearer.New(s.accounts, s.programs, outside)
}

// queues are what the desk shows, in the order of its tabs.
func (s *services) queues() []desk.Queue {
	return []desk.Queue{
		{Type: "contribution", Label: "Listings", Cases: s.contributions.Desk()},
		{Type: "app", Label: "Apps", Cases: s.apps.Desk()},
		{Type: "saying", Label: "Sayings", Cases: s.sayings.Desk()},
		{Type: "poll", Label: "Polls", Cases: s.polls.Desk()},
		{Type: "poll_comment", Label: "Comments", Cases: s.polls.CommentDesk()},
		{Type: reviews.Scope, Label: "Reviews", Cases: s.reviews.Desk()},
		{Type: shoutouts.Scope, Label: "Shout-outs", Cases: s.shoutOuts.Desk()},
		{Type: "report", Label: "Reports", Cases: s.reports.Desk()},
		{Type: fakereports.Type, Label: "Fakes", Cases: s.fakeReports.Desk()},
		{Type: "profile", Label: "Profiles", Cases: s.accounts.Desk()},
	}
}

// submissions are the areas that people send things in to, as staff follow them.
func (s *services) submissions() []recent.Source {
	return []recent.Source{
		{Key: "app_file", Read: s.apps.RecentFiles},
		{Key: "app", Read: s.apps.Recent},
		{Key: "directory_entry", Read: s.contributions.Recent},
		{Key: "saying", Read: s.sayings.Recent},
		{Key: "poll", Read: s.polls.Recent},
		{Key: "poll_comment", Read: s.polls.RecentComments},
		{Key: "report", Read: s.reports.Recent},
		{Key: "fake_report", Read: s.fakeReports.Recent},
		{Key: "shoutout", Read: s.shoutOuts.Recent},
		{Key: "review", Read: s.reviews.Recent},
	}
}

// prepare reads the settings and fills what a new database starts with.
func (s *services) prepare(ctx context.Context) error {
	if err := s.directory.Seed(ctx); err != nil {
		return err
	}
	return s.settings.Load(ctx)
}
