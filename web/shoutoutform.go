package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// noneOfThese is the choice of who means none of the listed businesses.
const noneOfThese = "none"

// shoutOutNotices say what became of a shout-out. They stand in the address and
// not in a session, so that giving one makes nobody's pages uncacheable.
var shoutOutNotices = map[string]ui.NoticeProps{
	"approved": {Tone: ui.Good, Title: "Thank you", Text: "Your shout-out is here for everybody to read."},
	"pending":  {Tone: ui.Good, Title: "Thank you", Text: "Your shout-out shows once a moderator has read it."},
	"draft": {Tone: ui.Good, Title: "Thank you",
		Text: "Your shout-out shows once a moderator has read it. The directory did not have this business, so we proposed it for you."},
	"spam": {Text: "This was taken for spam or abuse, so it will not be shown."},
}

var shoutOutLabels = []label{{"directory_entry_id", "The business"}, {"business_name", "Business"}, {"city", "City"}, {"rating", "Stars"},
	{"body", "What they do well"}, {"submitter_name", "Your name"}}

// giveShoutOut takes a shout-out from anybody. Where listed businesses have the
// name, it asks first which of them is meant.
func (h *handlers) giveShoutOut(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	filled := views.ShoutOutFormProps{Open: true, Business: values.Get("business_name"), City: values.Get("city"), Rating: values.Get("rating"),
		Body: pastedText(values, "body"), Name: values.Get("submitter_name"), Chosen: values.Get("directory_entry_id")}
	in, of, err := h.readShoutOut(r, filled, values.Get("listed") != "")
	if err == nil {
		err = in.Check()
	}
	if err == nil && in.EntryID == "" && !in.Unlisted {
		if filled.Matches, err = h.businessChoices(r, in); err != nil {
			return nil, err
		}
		if len(filled.Matches) > 0 && values.Get("asked") == "" {
			return h.showShoutOuts(r, v, http.StatusOK, "", filled)
		}
		if len(filled.Matches) > 0 {
			err = core.InvalidField("directory_entry_id", "is open: choose one of these")
		}
	}
	var posted shoutouts.Posted
	var cookie *http.Cookie
	if err == nil {
		err = h.countShoutOut(r, v)
	}
	if err == nil {
		if !v.SignedIn() {
			in.Mark, cookie = h.Ballots.Browser(r)
		}
		posted, err = h.ShoutOuts.Post(r.Context(), v, in)
	}
	if err != nil {
		return h.refuseShoutOut(r, v, err, of, filled)
	}
	a := httpx.Redirect(http.StatusSeeOther, afterShoutOut(of, posted))
	if cookie != nil {
		a.SetHeader("Set-Cookie", cookie.String())
	}
	return a, nil
}

// readShoutOut is the form as an input. listed says that it came with a business
// to begin with, whose slug is of.
func (h *handlers) readShoutOut(r *http.Request, f views.ShoutOutFormProps, listed bool) (in shoutouts.Input, of string, err error) {
	in = shoutouts.Input{BusinessName: f.Business, City: f.City, Body: f.Body, SubmitterName: f.Name, EntryID: f.Chosen, From: httpx.OriginOf(r)}
	in.Rating, _ = strconv.ParseFloat(f.Rating, 64) // what is no number is no rating
	if in.EntryID == noneOfThese {
		in.EntryID, in.Unlisted = "", true
	}
	if !listed || !core.ValidID(in.EntryID) {
		return in, "", nil
	}
	found, err := h.Directory.ByIDs(r.Context(), []string{in.EntryID})
	if err == nil && len(found) == 0 {
		err = core.NotFoundf("This business is not in the directory any more.")
	}
	if err != nil {
		return in, "", err
	}
	in.BusinessName, in.City = firstLetters(found[0].Name, shoutouts.MaxBusiness), value(found[0].City)
	return in, found[0].Slug, nil
}

func firstLetters(s string, most int) string {
	if letters := []rune(s); len(letters) > most {
		return string(letters[:most])
	}
	return s
}

// businessChoices are the listed businesses of the name to choose from; none
// where there are none.
func (h *handlers) businessChoices(r *http.Request, in shoutouts.Input) ([]ui.Option, error) {
	found, err := h.ShoutOuts.Matches(r.Context(), in.BusinessName, in.City)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var options []ui.Option
	for _, b := range found {
		options = append(options, ui.Option{Value: b.ID, Text: b.Name, Help: joined(", ", b.City, b.Region)})
	}
	return append(options, ui.Option{Value: noneOfThese, Text: "None of these: it is another one"}), nil
}

// countShoutOut takes from the same allowances as the API.
func (h *handlers) countShoutOut(r *http.Request, v core.Viewer) error {
	if !v.SignedIn() {
		return httpx.TakeLimit(r, h.Limiter, httpx.AnonymousLimit(h.Settings.Number(settings.AnonymousSubmissionsPerHour)), visitorKey(r))
	}
	limit := httpx.Limit{Name: "write", Max: h.Settings.Number(settings.WritesPerHour), Per: time.Hour}
	return httpx.TakeLimit(r, h.Limiter, limit, v.ID+" POST /api/business-shoutouts")
}

func afterShoutOut(of string, posted shoutouts.Posted) string {
	sent := string(posted.Status)
	if posted.Status == shoutouts.Pending && posted.Draft != "" {
		sent = "draft"
	}
	values := url.Values{"sent": {sent}}
	if of != "" {
		values.Set("business", of)
	}
	return addressWith(views.ShoutOutsPage, values)
}

// refuseShoutOut shows the form again with what is wrong with it.
func (h *handlers) refuseShoutOut(r *http.Request, v core.Viewer, err error, of string, filled views.ShoutOutFormProps) (*httpx.Answer, error) {
	fields, message, ok := refused(err)
	if !ok {
		return nil, err
	}
	for _, l := range shoutOutLabels {
		if text, wrong := fields[l.name]; wrong {
			filled.Refusal.Fields = append(filled.Refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: text})
		}
	}
	if len(filled.Refusal.Fields) == 0 {
		filled.Refusal.Problem = message
	}
	a, showErr := h.showShoutOuts(r, v, formStatus(err), of, filled)
	if showErr == nil && core.KindOf(err) == core.RateLimited {
		a.Header = httpx.ErrorHeader(r, core.AsError(err))
	}
	return a, showErr
}

func (h *handlers) sentShoutOut(s shoutouts.Sent) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "Shout-out", Name: joined(", ", s.BusinessName, s.City), Reason: s.Reason, Sent: h.moment(s.CreatedAt), Reader: "A moderator",
		About: joined(" · ", strconv.FormatFloat(s.Rating, 'f', -1, 64)+" of 5 stars", excerpt(oneLine(s.Body), 120))}
	switch {
	case s.Status == shoutouts.Refused:
		p.State, p.Tone = "Not taken", "state-bad"
	case s.Status == shoutouts.Spam:
		p.State, p.Tone = "Taken for spam", "state-bad"
	case s.HiddenAt != nil:
		p.State, p.Tone = "Hidden by a moderator", "state-bad"
	case s.Status == shoutouts.Approved:
		p.State, p.Tone, p.Href = "Published", "state-good", views.ShoutOutsPage
	default:
		p.State, p.Withdraw = "Waiting for a moderator", sentShoutOutPath+"/"+s.ID+"/withdraw"
	}
	if s.BusinessSlug != "" && p.Href != "" {
		p.Href = shoutOutsAddress(s.BusinessSlug, 1)
	}
	if s.DecidedAt != nil {
		p.Decided = h.moment(*s.DecidedAt)
	}
	if s.Status == shoutouts.Refused || s.Status == shoutouts.Spam || s.HiddenAt != nil {
		p.Appeal = appealAddress(shoutouts.Scope, s.ID)
	}
	return p
}

// withdrawShoutOut takes back what waits.
func (h *handlers) withdrawShoutOut(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.ShoutOuts.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, submissionsPath, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, submissionsPath, "Taken back.")
}
