package core

// Award is what an account earns for a thing that it did. How many points that
// is stands in the settings; a thing pays each account once for each reason.
type Award struct {
	AccountID string
	Reason    AwardReason
	Detail    string // for the account's own log, such as "prices.json for Block Map"
	RefType   string // of the thing, such as "app_submission"
	RefID     string // the thing's id
}

// AwardReason names why points are paid (CONTRACT.md §3 Points).
type AwardReason string

// The reasons.
const (
	AwardFile       AwardReason = "file_approved"
	AwardSaying     AwardReason = "saying_approved"
	AwardShoutOut   AwardReason = "shoutout_approved"
	AwardListing    AwardReason = "listing_approved"
	AwardPoll       AwardReason = "poll_approved"
	AwardVote       AwardReason = "poll_vote"
	AwardGame       AwardReason = "game_played"
	AwardGameWon    AwardReason = "game_won"
	AwardFakeReport AwardReason = "fake_report_confirmed"
)
