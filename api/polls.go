package api

import (
	"cmp"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/polls"
	"homeplace/web/httpx"
)

// pollItem is a poll in lists (SERVICE.md §2).
type pollItem struct {
	Slug     string  `json:"slug"`
	Question string  `json:"question"`
	Status   string  `json:"status"`
	DailyFor *string `json:"daily_for"`
	URL      string  `json:"url"` // of the page
	APIURL   string  `json:"api_url"`
}

func (h *handlers) pollItem(p polls.Summary) pollItem {
	item := pollItem{Slug: p.Slug, Question: p.Question, Status: string(p.State),
		URL: h.Addresses.Page("polls", p.Slug), APIURL: h.Addresses.API("polls", p.Slug)}
	if p.Status != polls.Published { // its author and staff alone see it
		item.Status = string(p.Status)
	}
	if p.DailyFor != nil {
		day := p.DailyFor.Format(time.DateOnly)
		item.DailyFor = &day
	}
	return item
}

type pollList struct {
	envelope
	Polls []pollItem `json:"polls"`
}

func (h *handlers) listPolls(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := polls.Filter{State: polls.State(cmp.Or(q.Enum("status", string(polls.Open), string(polls.Closed)), string(polls.Open))),
		Page: q.Page(polls.ListRule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Polls.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	items := make([]pollItem, len(found.Items))
	for i, p := range found.Items {
		items[i] = h.pollItem(p)
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(pollList{e, items}, e)
}

// pollDetail is a poll on its own (SERVICE.md §2, CONTRACT.md §3).
type pollDetail struct {
	pollItem
	Description   string        `json:"description"`
	ClosesAt      *time.Time    `json:"closes_at"`
	AllowComments bool          `json:"allow_comments"`
	Options       []pollOption  `json:"options"`
	Results       []pollResult  `json:"results"`
	TotalVotes    int           `json:"total_votes"`
	VoteURL       string        `json:"vote_url"`
	Comments      []pollComment `json:"comments"`
}

type pollOption struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	SortOrder int    `json:"sort_order"`
}

type pollResult struct {
	OptionID string  `json:"option_id"`
	Label    string  `json:"label"`
	Votes    int     `json:"votes"`
	Pct      float64 `json:"pct"`
}

type pollComment struct {
	Body        string    `json:"body"`
	DisplayName *string   `json:"display_name"`
	CreatedAt   time.Time `json:"created_at"`
}

func (h *handlers) poll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p, err := h.Polls.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, h.pollDetail(p))
}

func (h *handlers) pollDetail(p polls.Poll) pollDetail {
	d := pollDetail{pollItem: h.pollItem(p.Summary), Description: p.Description, ClosesAt: p.ClosesAt, AllowComments: p.AllowComments,
		Options: make([]pollOption, len(p.Options)), Results: make([]pollResult, len(p.Options)), TotalVotes: p.Votes(),
		VoteURL: h.Addresses.API("polls", p.Slug, "vote"), Comments: make([]pollComment, len(p.Comments))}
	for i, o := range p.Options {
		d.Options[i] = pollOption{ID: o.ID, Label: o.Label, SortOrder: o.SortOrder}
		d.Results[i] = pollResult{OptionID: o.ID, Label: o.Label, Votes: o.Votes, Pct: polls.Share(o.Votes, d.TotalVotes)}
	}
	for i, c := range p.Comments {
		name := c.AuthorTitle
		if name == nil {
			name = c.AuthorName
		}
		d.Comments[i] = pollComment{Body: c.Body, DisplayName: name, CreatedAt: c.CreatedAt.UTC()}
	}
	return d
}

type pollInput struct {
	Question      string   `json:"question"`
	Description   string   `json:"description"`
	Options       []string `json:"options"`
	AllowComments *bool    `json:"allow_comments"`
}

type pollCreated struct {
	pollDetail
	PendingReview bool `json:"pending_review"`
}

func (h *handlers) createPoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body pollInput
	if err := httpx.DecodeJSON(r, &body, httpx.DefaultBody); err != nil {
		return nil, err
	}
	p, err := h.Polls.Create(r.Context(), v, polls.Input{Question: body.Question, Description: body.Description, Options: body.Options,
		AllowComments: body.AllowComments == nil || *body.AllowComments, From: httpx.OriginOf(r)})
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusCreated, pollCreated{h.pollDetail(p), p.Status == polls.Draft})
}

type pollVote struct {
	OptionID string `json:"option_id"`
	Comment  string `json:"comment"`
}

type pollVoted struct {
	OK            bool                `json:"ok"`
	Duplicate     bool                `json:"duplicate"`
	CommentStatus polls.CommentStatus `json:"comment_status"`
}

func (h *handlers) vote(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body pollVote
	if err := httpx.DecodeJSON(r, &body, httpx.DefaultBody); err != nil {
		return nil, err
	}
	voter, cookie := h.Ballots.Voter(r)
	out, err := h.Polls.Vote(r.Context(), v, chi.URLParam(r, "slug"), polls.VoteInput{OptionID: body.OptionID, Comment: body.Comment, Voter: voter})
	if err != nil {
		return nil, err
	}
	a, err := httpx.JSON(http.StatusOK, pollVoted{OK: true, Duplicate: out.Duplicate, CommentStatus: out.Comment})
	if err != nil {
		return nil, err
	}
	a.SetHeader("Deprecation", voteDeprecated)
	if cookie != nil {
		a.SetHeader("Set-Cookie", cookie.String())
	}
	return a, nil
}

// voteDeprecated dates the archiving of the form in which votes come in (RFC
// 9745): 1 January 2026.
const voteDeprecated = "@1767225600"

func refuseVote(r *http.Request, err error) *httpx.Answer {
	a := httpx.ErrorAnswer(r, err)
	a.SetHeader("Deprecation", voteDeprecated)
	return a
}
