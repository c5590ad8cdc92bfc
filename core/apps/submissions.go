package apps

import (
	"encoding/json"
	"time"

	"homeplace/core"
	"homeplace/core/apps/difference"
)

// SubmissionStatus is what became of a submission.
type SubmissionStatus string

// Waiting is the only status from which another follows.
const (
	Waiting   SubmissionStatus = "pending"
	Approved  SubmissionStatus = "approved"
	Rejected  SubmissionStatus = "rejected"
	Withdrawn SubmissionStatus = "withdrawn"
)

// SubmitInput is a file that a member proposes. Content is the JSON value as it
// was sent: an object or array is stored as it stands, of a string its text.
type SubmitInput struct {
	Filename string
	Content  json.RawMessage
	Message  string // for the owner; may be empty
	From     core.Origin
}

// Submission is a file that a member proposed for an app.
type Submission struct {
	ID             string
	AppID          string
	AppSlug        string
	AppName        string
	Filename       string
	SizeBytes      int
	SHA256         string
	Message        string
	Questionable   bool    // the moderation pipeline would have held the message
	AccountID      *string // nil for one who left
	Username       *string
	DisplayName    *string
	BaseVersion    int // number of the current version when it was sent; 0 = there was no such file
	CurrentVersion int // the same now
	Status         SubmissionStatus
	Reason         string  // what the owner said with the decision; may be empty
	DecidedBy      *string // username
	DecidedAt      *time.Time
	VersionNumber  *int // what an approved one became; nil once that version has left
	CreatedAt      time.Time

	Content []byte `db:"-"` // only Submission fills it in
}

// BaseChanged tells that the file has changed since a submission that waits was
// sent, so that to approve it would undo what came between.
func (s Submission) BaseChanged() bool {
	return s.Status == Waiting && s.BaseVersion != s.CurrentVersion
}

// CanWithdraw tells whether the viewer may take the submission back.
func CanWithdraw(v core.Viewer, s Submission) bool {
	return v.SignedIn() && s.AccountID != nil && *s.AccountID == v.ID && s.Status == Waiting
}

// SubmissionFilter narrows Submissions.
type SubmissionFilter struct {
	Status   SubmissionStatus // "" = Waiting, oldest first; any other latest first
	Filename string           // "" = every file
	Page     core.Page
}

// SubmissionList is a page of what was submitted to an app.
type SubmissionList struct {
	core.List[Submission]
	App    Summary
	Counts map[SubmissionStatus]int // of the app, all four states
}

// ApproveInput is how an owner approves.
type ApproveInput struct {
	Reason string // a word to the submitter; may be empty
	// BaseSeen is the number of the current version that the owner looked at, 0
	// for none: needed once the file has changed since the submission.
	BaseSeen *int
}

// Outcome is what became of one submission of several.
type Outcome struct {
	ID         string
	Submission Submission // zero where Err is not nil
	Err        error      // a *core.Error
}

// Comparison is a submission beside the file as it is now.
type Comparison struct {
	Submission Submission
	Difference difference.Difference // against the current version; all is added where there is none
}
