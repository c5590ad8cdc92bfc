package settings

import "time"

// Every setting of the site: name, default, bounds, and what it means. The
// order is the one in which they are listed. Numbers are from CONTRACT.md
// §1 and §3.
var (
	SiteName      = text("site_name", "Homeplace", 1, 60, "The name of the site, as pages and mails show it.")
	SiteShortName = text("site_short_name", "Homeplace", 1, 12, "The name of the site where there is little room, such as below an icon on a phone.")
	ContactEmail  = text("contact_email", "", 0, 254, "The address that people write to; empty shows none.", emailForm)

	WritesPerHour               = number("writes_per_hour", 30, 1, 100_000, "How many writes an hour a member has at each endpoint.")
	AnonymousSubmissionsPerHour = number("anonymous_submissions_per_hour", 10, 1, 100_000, "How many things an hour can be sent from one address without signing in.")
	VotesPerHour                = number("votes_per_hour", 60, 1, 100_000, "How many votes an hour are counted from one address.")
	SignInAttempts              = number("sign_in_attempts", 10, 1, 10_000, "How many tries to sign in an address, and an account, has within sign_in_window.")
	SignInWindow                = duration("sign_in_window", 15*time.Minute, time.Minute, 24*time.Hour, "The time in which sign_in_attempts are counted.")
	SignUpsPerHour              = number("sign_ups_per_hour", 10, 1, 10_000, "How many times an hour one address can sign up, and ask for a forgotten password.")
	AccountMailsPerHour         = number("account_mails_per_hour", 5, 1, 1_000, "How many mails of one kind, such as for a forgotten password, can be asked for in an hour for one account.")
	AccessTokenLifetime         = duration("access_token_lifetime", time.Hour, time.Minute, 24*time.Hour, "How long the access token of a signed-in program is good before the program must renew it.")
	RefreshReuseWindow          = duration("refresh_reuse_window", 30*time.Second, time.Second, 10*time.Minute, "How long a program may use a renewed refresh token once more, as after a lost answer; later use ends its session.")
	RefreshesPerHour            = number("refreshes_per_hour", 1_000, 1, 1_000_000, "How many times an hour the programs at one address can renew their access tokens.")
	AskPerMinute                = number("ask_per_minute", 12, 1, 10_000, "How many questions a minute can be asked from one address.")

	AppFilesMax = number("app_files_max", 500, 1, 100_000, "How many data files an app can have.")

	PollDays             = number("poll_days", 30, 1, 365, "How many days a poll that a member makes is open; those that are published already keep their day.")
	PollsRequireApproval = boolean("polls_require_approval", false, "Whether every poll that a member makes waits for a moderator before it is published.")

	ShoutOutsRequireApproval = boolean("shoutouts_require_approval", true, "Whether every shout-out waits for a moderator before it is published; off, those that the moderation of texts approves are public at once.")

	AwardFile       = number("award_file", 10, 0, 10_000, "The points for a data file that an app's owner approved; 0 pays none, as for every award below.")
	AwardSaying     = number("award_saying", 5, 0, 10_000, "The points for a saying that moderators approved.")
	AwardShoutOut   = number("award_shoutout", 3, 0, 10_000, "The points for a shout-out that was approved.")
	AwardListing    = number("award_listing", 10, 0, 10_000, "The points for a new listing that moderators approved.")
	AwardPoll       = number("award_poll", 5, 0, 10_000, "The points for a poll that was approved.")
	AwardVote       = number("award_vote", 1, 0, 10_000, "The points for a vote in a poll.")
	AwardGame       = number("award_game", 1, 0, 10_000, "The points for playing one of the day's games.")
	AwardGameWon    = number("award_game_won", 2, 0, 10_000, "The further points for winning it.")
	AwardFakeReport = number("award_fake_report", 5, 0, 10_000, "The points for a report of a fake that moderators confirmed.")

	JudgementsDays = number("judgements_days", 90, 7, 3_650, "How many days what members wrote, and from where, is kept beside what moderation said of it; the verdict itself stays.")

	LLMBaseURL = text("llm_base_url", "", 0, 500, "Where a language model is asked about borderline texts, such as http://localhost:11434/v1: any server with the chat protocol of OpenAI. Empty asks none, and a person decides.", serverForm)
	LLMAPIKey  = secret("llm_api_key", 1_000, "The key that this server wants; empty sends none.")
	LLMModel   = text("llm_model", "", 0, 200, "The name of the model there; empty asks none.")
	LLMTimeout = duration("llm_timeout", 8*time.Second, time.Second, 5*time.Minute, "How long one question to the language model may take in all.")

	MapTileURL     = text("map_tile_url", "https://tile.openstreetmap.org/{z}/{x}/{y}.png", 0, 500, "Where maps get their pictures from, with {z}, {x} and {y} in it; empty shows no maps.", tilesForm)
	MapAttribution = text("map_attribution", "© OpenStreetMap contributors", 0, 200, "Whom maps name as their source.")
)
