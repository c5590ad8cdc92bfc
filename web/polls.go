package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/polls"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
)

const (
	pollsOnPage = 20 // closed ones
	openOnPage  = 100
)

// pollRoutes are the pages of the polls for everybody, for who asks, and for
// staff. The page of a poll is made for each who reads it: it shows what they
// chose.
func (h *handlers) pollRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	shown := []string{polls.Area, settings.Area}
	return []route{
		{method: get, pattern: views.PollsPage, page: h.polls, areas: shown, params: []string{"page"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: views.PollsPage + "/", page: withoutSlash},
		{method: get, pattern: views.NewPollPage, guard: member, page: h.newPoll},
		{method: post, pattern: views.NewPollPage, guard: member, page: h.askPoll},
		{method: get, pattern: views.PollsPage + "/{slug}", page: h.poll},
		{method: post, pattern: views.PollsPage + "/{slug}/vote", page: h.votePoll},
		{method: post, pattern: views.PollsPage + "/{slug}/close", guard: staff, page: h.closePoll},
		{method: post, pattern: views.PollsPage + "/{slug}/hide", guard: staff, page: h.hidePoll},
		{method: post, pattern: views.PollsPage + "/{slug}/unhide", guard: staff, page: h.unhidePoll},
	}
}

func pollPath(slug string) string { return views.PollsPage + "/" + slug }

// polls lists today's poll, the open ones and the closed ones.
func (h *handlers) polls(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, pollsOnPage)
	if err != nil {
		return nil, err
	}
	closed, err := h.Polls.List(r.Context(), polls.Filter{State: polls.Closed, Page: page})
	if err != nil {
		return nil, err
	}
	if len(closed.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("There are fewer pages of polls.")
	}
	p := views.PollsProps{Closed: h.pollRows(closed.Items, ""), Pager: pagerOf(views.PollsPage, number, closed.Total, closed.Page)}
	if closed.Total > 0 {
		p.Shown = rangeOf(closed.Page, len(closed.Items), closed.Total, "poll")
	}
	if number == 1 {
		open, err := h.Polls.List(r.Context(), polls.Filter{State: polls.Open, Page: core.Page{Limit: openOnPage}})
		if err != nil {
			return nil, err
		}
		if p.Today, err = h.todaysPoll(r, v); err != nil {
			return nil, err
		}
		today := ""
		if p.Today != nil {
			today = p.Today.Slug
		}
		p.Open = h.pollRows(open.Items, today)
	}
	frame := layout.FrameProps{Title: "Polls", Section: views.PollsPage,
		Description: "A question for everybody each day, and polls that neighbours make. Vote without an account, and see what others think."}
	if number > 1 {
		frame.Title += ", page " + strconv.Itoa(number)
		frame.Canonical = h.Addresses.Base() + p.Pager.Href(number)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Polls(p))
}

// pollRows are lines of a list; the one that has the slug stands elsewhere.
func (h *handlers) pollRows(list []polls.Summary, without string) (rows []ui.EntryProps) {
	for _, s := range list {
		if s.Slug == without {
			continue
		}
		row := ui.EntryProps{Href: pollPath(s.Slug), Title: s.Question, NoCover: true, Tag: "by " + asker(s).Text, Strong: "Open until " + untilWords(s)}
		if s.DailyFor != nil {
			row.Tag = "Question of the day"
		}
		if s.State == polls.Closed {
			row.Strong = "Closed " + s.ClosesAt.Format("2 January 2006")
			if s.DailyFor != nil {
				row.Strong = s.DailyFor.Format("2 January 2006")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// asker is who asks, with the address of their profile.
func asker(s polls.Summary) ui.Link {
	switch {
	case s.DailyFor != nil:
		return ui.Link{Text: "the site"}
	case s.AuthorName == nil:
		return ui.Link{Text: "a former member"}
	case value(s.AuthorTitle) != "":
		return ui.Link{Text: *s.AuthorTitle, Href: "/u/" + *s.AuthorName}
	}
	return ui.Link{Text: *s.AuthorName, Href: "/u/" + *s.AuthorName}
}

// untilWords say when an open poll closes.
func untilWords(s polls.Summary) string {
	switch {
	case s.State != polls.Open:
		return ""
	case s.DailyFor != nil:
		return "midnight UTC"
	}
	return s.ClosesAt.Format("2 January, 15:04") + " UTC"
}

// pollBox lays out a poll with its answers and results; chosen is what the
// viewer voted, "" where they have not.
func pollBox(p polls.Poll, chosen string) views.PollBoxProps {
	box := views.PollBoxProps{Slug: p.Slug, Question: p.Question, Kicker: "A poll", Until: untilWords(p.Summary), Votes: votesOf(p.Votes()),
		Ask: p.State == polls.Open && chosen == "", Comment: p.AllowComments}
	if p.DailyFor != nil {
		box.Kicker = "The question of the day"
	}
	for _, o := range p.Options {
		share := polls.Share(o.Votes, p.Votes())
		box.Options = append(box.Options, ui.Option{Value: o.ID, Text: o.Label})
		box.Results = append(box.Results, views.PollResultProps{Label: o.Label, Votes: votesOf(o.Votes), Share: share,
			Percent: strconv.FormatFloat(share*100, 'f', 1, 64) + "%", Own: o.ID == chosen})
	}
	return box
}

func votesOf(n int) string {
	if n == 1 {
		return "1 vote"
	}
	return thousands(n) + " votes"
}

// todaysPoll is the poll of the day to vote on, or its results to a member who
// has; nil where there is none. Nobody's is the same for everybody, so that it
// can be cached.
func (h *handlers) todaysPoll(r *http.Request, v core.Viewer) (*views.PollBoxProps, error) {
	p, found, err := h.Polls.Today(r.Context())
	if err != nil || !found {
		return nil, err
	}
	chosen := ""
	if v.SignedIn() {
		if chosen, err = h.Polls.Choice(r.Context(), v, p.ID, polls.Voter{}); err != nil {
			return nil, err
		}
	}
	box := pollBox(p, chosen)
	box.Comment = false // the poll's own page takes it
	return &box, nil
}

// pollVisit is what a visit to a poll knows besides the address.
type pollVisit struct {
	err          error // what was wrong with the last vote
	chosen, said string
}

func (h *handlers) poll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showPoll(r, v, http.StatusOK, pollVisit{})
}

func (h *handlers) showPoll(r *http.Request, v core.Viewer, status int, visit pollVisit) (*httpx.Answer, error) {
	p, err := h.Polls.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	var voter polls.Voter
	if h.Ballots.Carried(r) {
		voter, _ = h.Ballots.Voter(r)
	}
	chosen, err := h.Polls.Choice(r.Context(), v, p.ID, voter)
	if err != nil {
		return nil, err
	}
	props := views.PollProps{Box: pollBox(p, chosen), Description: p.Description, By: asker(p.Summary), Comment: p.AllowComments, Heading: "How it stands"}
	props.Box.Chosen, props.Box.Said, props.Box.Refusal = visit.chosen, visit.said, voteRefusal(visit.err)
	props.Results = p.Status == polls.Published && (!props.Box.Ask || lenient(httpx.ParseQuery(r), "results") != "")
	if p.State == polls.Closed {
		props.Heading = "How it went"
	}
	if p.OpensAt != nil && p.DailyFor == nil {
		props.Asked = h.moment(*p.OpensAt)
	} else if p.DailyFor != nil {
		props.Asked = ui.Text("on " + p.DailyFor.Format("Monday, 2 January 2006"))
	}
	for _, c := range p.Comments {
		props.Comments = append(props.Comments, views.PollCommentProps{Body: c.Body, By: commenter(c), When: h.moment(c.CreatedAt)})
	}
	h.moderatorsPart(&props, v, p)
	frame := layout.FrameProps{Title: p.Question, Section: views.PollsPage, Article: true, NoIndex: !p.Public(), Canonical: h.Addresses.Page("polls", p.Slug),
		Description: excerpt(joined(" ", p.Description, "A poll: see what neighbours think, and vote without an account."), 220)}
	if notice := voteNotice(r); notice != nil {
		frame.Flash = []ui.NoticeProps{*notice}
	}
	if !p.Public() {
		frame.Canonical = ""
	}
	props.Frame = h.frame(r, v, frame)
	return show(r, status, views.Poll(props))
}

// moderatorsPart adds what staff may do, and who sees a poll that is not public.
func (h *handlers) moderatorsPart(props *views.PollProps, v core.Viewer, p polls.Poll) {
	path := pollPath(p.Slug)
	if polls.CanModerate(v, p.Summary) {
		switch {
		case p.Status == polls.Draft:
			props.Decide = casePath("poll", p.ID)
		case p.HiddenAt != nil:
			props.Unhide = path + "/unhide"
		case p.Status == polls.Published:
			props.Hide = path + "/hide"
		}
		if p.State == polls.Open {
			props.Close = path + "/close"
		}
	}
	if (p.HiddenAt != nil || p.Status == polls.Refused) && v.SignedIn() && value(p.AuthorName) == v.Username {
		props.Appeal = appealAddress("poll", p.ID)
	}
	switch {
	case p.HiddenAt != nil:
		props.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This poll is hidden", Text: "A moderator took it out of sight. Only its author and the moderators see it."}
	case p.Status == polls.Draft:
		props.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This poll waits for a moderator", Text: "Only its author and the moderators see it until then."}
	case p.Status == polls.Refused:
		props.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This poll was not taken", Text: quoted(p.Reason)}
	}
}

func commenter(c polls.Comment) ui.Link {
	switch {
	case c.AuthorName == nil:
		return ui.Link{Text: "A neighbour"}
	case value(c.AuthorTitle) != "":
		return ui.Link{Text: *c.AuthorTitle, Href: "/u/" + *c.AuthorName}
	}
	return ui.Link{Text: *c.AuthorName, Href: "/u/" + *c.AuthorName}
}

// votePoll takes a vote. A browser without the cookie gets one and is sent here
// again with its form, so that two people behind one address are two; one that
// keeps no cookies is told apart by its address.
func (h *handlers) votePoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	path := pollPath(chi.URLParam(r, "slug"))
	if !h.Ballots.Carried(r) && r.URL.Query().Get("cookie") == "" {
		a := httpx.Redirect(http.StatusTemporaryRedirect, path+"/vote?cookie=asked")
		a.SetHeader("Set-Cookie", h.Ballots.Fresh().String())
		return a, nil
	}
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	limit := httpx.Limit{Name: ballot.LimitName, Max: h.Settings.Number(settings.VotesPerHour), Per: time.Hour}
	if err := httpx.TakeLimit(r, h.Limiter, limit, visitorKey(r)); err != nil {
		return nil, err
	}
	voter, _ := h.Ballots.Voter(r)
	in := polls.VoteInput{OptionID: values.Get("option_id"), Comment: values.Get("comment"), Voter: voter}
	out, err := h.Polls.Vote(r.Context(), v, chi.URLParam(r, "slug"), in)
	switch {
	case isConflict(err, "poll_closed"):
		return httpx.Redirect(http.StatusSeeOther, path+"?vote=late#results"), nil
	case core.KindOf(err) == core.Invalid && err != nil:
		return h.showPoll(r, v, formStatus(err), pollVisit{err: err, chosen: in.OptionID, said: in.Comment})
	case err != nil:
		return nil, err
	case out.Duplicate:
		return httpx.Redirect(http.StatusSeeOther, path+"?results=1&vote=again#results"), nil
	}
	return httpx.Redirect(http.StatusSeeOther, path+"?results=1&vote="+string(out.Comment)+"#results"), nil
}

// voteNotices say what became of a vote. They stand in the address and not in a
// session, so that voting alone makes nobody's pages uncacheable.
var voteNotices = map[string]ui.NoticeProps{
	"late":                        {Tone: ui.Warn, Text: "This poll has closed, so your vote was not counted."},
	"again":                       {Text: "You had voted here before. Your first answer counts."},
	string(polls.CommentNone):     {Tone: ui.Good, Text: "Your vote counts. Thank you."},
	string(polls.CommentApproved): {Tone: ui.Good, Text: "Your vote counts, and your word shows below. Thank you."},
	string(polls.CommentPending):  {Tone: ui.Good, Text: "Your vote counts. Your word shows once a moderator has looked at it."},
	string(polls.CommentRejected): {Text: "Your vote counts. Your word was taken for spam or abuse, so it is not shown."},
}

func voteNotice(r *http.Request) *ui.NoticeProps {
	notice, ok := voteNotices[lenient(httpx.ParseQuery(r), "vote")]
	if !ok {
		return nil
	}
	return &notice
}

func voteRefusal(err error) (refusal views.Refusal) {
	fields, message, ok := refused(err)
	if !ok {
		return refusal
	}
	for _, l := range []label{{"option_id", "Your answer"}, {"comment", "The word with it"}} {
		if text, wrong := fields[l.name]; wrong {
			refusal.Fields = append(refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: text})
		}
	}
	if len(refusal.Fields) == 0 {
		refusal.Problem = message
	}
	return refusal
}
