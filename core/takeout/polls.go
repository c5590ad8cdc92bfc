package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/polls"
)

type pollFile struct {
	ID          string     `json:"id"`
	Slug        string     `json:"slug"`
	Question    string     `json:"question"`
	Description string     `json:"description"`
	Status      string     `json:"status"`
	Reason      string     `json:"reason"`
	OpensAt     *time.Time `json:"opens_at"`
	ClosesAt    *time.Time `json:"closes_at"`
	CreatedAt   time.Time  `json:"created_at"`
}

type pollCommentFile struct {
	Poll      string    `json:"poll"`
	Body      string    `json:"body"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason"`
	CreatedAt time.Time `json:"created_at"`
}

// Polls are the polls that the owner made and what they said with their votes.
func Polls(s *polls.Service) Section {
	return Section{Name: "Polls", About: "The polls that you made, and what you said with your votes, with what became of each.",
		Files: func(ctx context.Context, v core.Viewer, add adder) error {
			made, err := gathered(polls.MineRule, func(page core.Page) (core.List[polls.Poll], error) { return s.Mine(ctx, v, page) },
				func(p polls.Poll) pollFile {
					return pollFile{ID: p.ID, Slug: p.Slug, Question: p.Question, Description: p.Description, Status: string(p.Status), Reason: p.Reason,
						OpensAt: p.OpensAt, ClosesAt: p.ClosesAt, CreatedAt: p.CreatedAt}
				})
			if err != nil {
				return err
			}
			if err := addJSON(add, "polls.json", made); err != nil {
				return err
			}
			said, err := gathered(polls.MineRule, func(page core.Page) (core.List[polls.Comment], error) { return s.MyComments(ctx, v, page) },
				func(c polls.Comment) pollCommentFile {
					return pollCommentFile{Poll: c.PollSlug, Body: c.Body, Status: string(c.Status), Reason: c.Reason, CreatedAt: c.CreatedAt}
				})
			if err != nil {
				return err
			}
			return addJSON(add, "poll-comments.json", said)
		}}
}
