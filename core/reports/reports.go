// Package reports takes what members report as wrong or harmful: entries, apps
// and other things that areas lend it as targets. The third member with an open
// report hides a target at once; moderators keep, hide or restore it.
package reports

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Type is what a target is.
type Type string

// The types (SERVICE.md §4). One whose area does not exist has no targets.
const (
	TypeEntry    Type = "directory_entry"
	TypeApp      Type = "app"
	TypeJob      Type = "job"
	TypePlaybook Type = "playbook"
	TypeHomage   Type = "homage_entry"
	TypeNews     Type = "news_post"
)

// Types are all of them.
var Types = []Type{TypeEntry, TypeApp, TypeJob, TypePlaybook, TypeHomage, TypeNews}

// Category is what somebody finds wrong.
type Category string

// Categories are all of them (SERVICE.md §4).
var Categories = []Category{"not_black_owned", "misleading", "spam", "duplicate", "abusive", "other"}

// Status is what became of a report.
type Status string

// Open is the only status from which another follows.
const (
	Open      Status = "open"
	Withdrawn Status = "withdrawn"
	Dismissed Status = "dismissed" // a moderator kept the target
	Upheld    Status = "upheld"    // a moderator hid it
)

// HideAt is how many members with an open report hide a target.
const HideAt = 3

// MaxOpen is how many reports of one member may be open at a time. The database
// holds it (report_room).
const MaxOpen = 50

// MineRule is the paging of what a member sent.
var MineRule = core.PageRule{Default: 24, Max: 100}

// Longest texts, in Unicode characters.
const (
	MaxDetail = 1000 // SERVICE.md §8
	MaxReason = 500  // of a decision
)

// Targets are the things of one type, as their area lends them to reports. All
// run in a transaction of reports.
type Targets interface {
	// ReportableTx reads a thing that is public, or would be but for being
	// hidden. Errors: NotFound.
	ReportableTx(ctx context.Context, q pg.Querier, id string) (core.Reportable, error)
	// HideTx takes it out of every public read; RestoreTx puts it back. Neither
	// counts as an edit.
	HideTx(ctx context.Context, tx *pg.Tx, id string) error
	RestoreTx(ctx context.Context, tx *pg.Tx, id string) error
}

// Input is a report.
type Input struct {
	Type     Type
	TargetID string
	Category Category
	Detail   string // may be empty
}

// Outcome is what became of sending one.
type Outcome struct {
	Duplicate bool   // the viewer has reported this already; nothing was stored
	Status    Status // of the report that was stored
}

// Report is what a member sent.
type Report struct {
	ID         string
	TargetType Type
	TargetID   string
	Title      string // of the target when it was last reported
	ReporterID string // empty, as Username is, where the member has left
	Username   string
	Category   Category
	Detail     string
	Status     Status
	Reason     string // of the decision
	DecidedAt  *time.Time
	CreatedAt  time.Time
}

// CanDecide tells whether the viewer may keep, hide and restore the target:
// staff may, but nobody decides about their own.
func CanDecide(v core.Viewer, t core.Reportable) bool {
	return v.IsStaff() && (t.OwnerID == "" || t.OwnerID != v.ID)
}

func check(in *Input) error {
	var p core.Problems
	in.TargetID = strings.ToLower(strings.TrimSpace(in.TargetID))
	switch {
	case in.Type == "":
		p.Add("target_type", "is required")
	case !slices.Contains(Types, in.Type):
		p.Add("target_type", "must be one of %s", joined(Types))
	}
	switch {
	case in.TargetID == "":
		p.Add("target_id", "is required")
	case !core.ValidID(in.TargetID):
		p.Add("target_id", "must be an id of 36 characters, as lists and details give it")
	}
	switch {
	case in.Category == "":
		p.Add("reason_category", "is required")
	case !slices.Contains(Categories, in.Category):
		p.Add("reason_category", "must be one of %s", joined(Categories))
	}
	p.Text("reason_detail", &in.Detail, 0, MaxDetail)
	return p.Err()
}

func joined[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, word := range list {
		words[i] = string(word)
	}
	return strings.Join(words, ", ")
}

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to report something.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to see what was reported.")
	}
	return core.Forbiddenf("Only moderators decide what was reported.")
}

func errNoTarget() *core.Error {
	return core.NotFoundf("There is nothing like that here to report. It may have been withdrawn.")
}

func errNoCase() *core.Error { return core.NotFoundf("Nothing was reported under this address.") }
