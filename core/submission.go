package core

import "time"

// Submission is something that was sent in, as staff see the latest of all areas
// (SERVICE.md §4 Admin).
type Submission struct {
	Source      string // key of its area, such as "saying" or "poll_comment" (CONTRACT.md §3)
	ID          string
	Title       string // one line
	Status      string
	SubmittedBy string // username, or the name that was given; empty where neither is known
	CreatedAt   time.Time
	Path        string // of the page where staff look at it
}
