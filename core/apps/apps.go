// Package apps holds community-built apps with their JSON data files: an app
// has an owner who uploads files and decides what members submit, and staff who
// publish it, refuse it or hide it, and never touch its files.
//
// An app is public while it is published, its public API is on and it is not
// hidden. Files are kept byte for byte, each with its earlier versions.
package apps

import (
	"time"

	"homeplace/core"
	"homeplace/core/markdown"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "apps"

// Status is what staff decided about an app.
type Status string

// The states of an app. A new one is pending.
const (
	Pending   Status = "pending"
	Published Status = "published"
	Refused   Status = "refused"
)

// Paging of the lists (SERVICE.md §8, and CONTRACT.md §1 where it names none).
var (
	ListRule       = core.PageRule{Default: 50, Max: 100}
	FileRule       = core.PageRule{Default: 100, Max: 500}
	VersionRule    = core.PageRule{Default: 24, Max: 100}
	SubmissionRule = core.PageRule{Default: 24, Max: 100}
)

// Longest texts, in Unicode characters.
const (
	MaxName        = 80
	MaxSummary     = 200
	MaxDescription = 10_000
	MaxMessage     = 500 // of an upload or a submission (CONTRACT.md §3)
	MaxReason      = 500 // of a decision
	MaxFilename    = 120 // ASCII only (CONTRACT.md §3)
	maxAddress     = 500
)

// How much there may be. The database holds MaxApps and MaxPendingOfMember
// (migrations/0010_apps.sql); how many files an app has is the setting
// app_files_max.
const (
	MaxApps            = 20  // of one owner
	MaxVersions        = 100 // kept of one file; the oldest leaves, never the current one
	MaxPendingOfMember = 20  // submissions of one member to one app that wait
	MaxPendingOfApp    = 500 // submissions to one app that wait
	MaxDecisions       = 100 // submissions decided at once
)

// Summary is an app as lists show it.
type Summary struct {
	ID          string
	Slug        string
	Name        string
	Summary     string
	HomepageURL *string
	RepoURL     *string
	Files       int
	CreatedAt   time.Time
	UpdatedAt   time.Time // of the app or the latest of its files

	Status     Status
	APIEnabled bool
	HiddenAt   *time.Time
	OwnerID    *string // nil: nobody owns it, and staff keep it
	OwnerName  *string // username
	OwnerTitle *string // display name; nil where the owner gave none
}

// App is an app in full.
type App struct {
	Summary
	Description     string // Markdown
	DescriptionHTML markdown.HTML
	Reason          string // why staff refused it; "" otherwise
}

// Public tells whether everybody sees the app (CONTRACT.md §3).
func (a Summary) Public() bool { return a.Status == Published && a.APIEnabled && a.HiddenAt == nil }

// Path is where the page of an app is.
func Path(slug string) string { return "/apps/" + slug }

// CanManage tells whether the viewer keeps the app: changes it, uploads files
// and decides what was submitted. That is the owner, and staff for an app that
// nobody owns.
func CanManage(v core.Viewer, a Summary) bool {
	if a.OwnerID == nil {
		return v.IsStaff()
	}
	return v.SignedIn() && *a.OwnerID == v.ID || v.Role == core.System
}

// CanModerate tells whether the viewer may publish, refuse, hide and show the
// app: staff may, but nobody decides about an app of their own.
func CanModerate(v core.Viewer, a Summary) bool {
	return v.IsStaff() && (a.OwnerID == nil || *a.OwnerID != v.ID)
}

// restorable tells whether staff may publish it after all, or show it again.
func (a Summary) restorable() bool {
	return a.Status == Refused || a.Status == Published && a.HiddenAt != nil
}

// Filter narrows List.
type Filter struct {
	Query string // in the name, any letter case
	Page  core.Page
}

// Input is a new app.
type Input struct {
	Slug        string // "" makes one from the name
	Name        string
	Summary     string
	Description string // Markdown
	HomepageURL string
	RepoURL     string
}

// Patch changes what is not nil. An empty address takes it away.
type Patch struct {
	Name        *string
	Summary     *string
	Description *string
	HomepageURL *string
	RepoURL     *string
}

// FormOf is the app as an edit form starts with it.
func FormOf(a App) Input {
	in := Input{Slug: a.Slug, Name: a.Name, Summary: a.Summary.Summary, Description: a.Description}
	if a.HomepageURL != nil {
		in.HomepageURL = *a.HomepageURL
	}
	if a.RepoURL != nil {
		in.RepoURL = *a.RepoURL
	}
	return in
}
