package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/sayings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

var sayingLabels = []label{{"text", "The saying"}, {"meaning", "What it means"}, {"attribution", "Whose it is"},
	{"region", "Where it is said"}, {"category", "What it is about"}}

// sayingFields are the controls with words in them.
func (h *handlers) sayingFields(ctx context.Context, w sayings.Words) (views.SayingFields, error) {
	f := views.SayingFields{Text: w.Text, Meaning: w.Meaning, Attribution: w.Attribution, Region: w.Region, Category: w.Category,
		MaxText: sayings.MaxText, MaxMeaning: sayings.MaxMeaning, MaxAttribution: sayings.MaxAttribution, MaxRegion: sayings.MaxRegion,
		Categories: []ui.Option{{Text: "None of these"}}}
	list, err := h.Sayings.Categories(ctx)
	for _, c := range list {
		f.Categories = append(f.Categories, ui.Option{Value: c.Slug, Text: c.Label})
	}
	return f, err
}

func readWords(values url.Values) sayings.Words {
	return sayings.Words{Text: pastedText(values, "text"), Meaning: pastedText(values, "meaning"), Attribution: values.Get("attribution"),
		Region: values.Get("region"), Category: values.Get("category")}
}

// newSaying is the form in which a member brings a saying.
func (h *handlers) newSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p, err := h.newSayingProps(r, v, sayings.Words{})
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.NewSaying(p))
}

func (h *handlers) newSayingProps(r *http.Request, v core.Viewer, w sayings.Words) (p views.NewSayingProps, err error) {
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Bring a saying", Section: views.SayingsPage, NoIndex: true})
	p.Fields, err = h.sayingFields(r.Context(), w)
	return p, err
}

func (h *handlers) bringSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	w := readWords(values)
	sent, err := h.Sayings.Submit(r.Context(), v, sayings.Input{Words: w, From: httpx.OriginOf(r)})
	switch {
	case err != nil:
		p, pageErr := h.newSayingProps(r, v, w)
		if pageErr != nil {
			return nil, pageErr
		}
		if slug, ok := core.AsError(err).Details["slug"].(string); ok {
			p.Here = sayingPath(slug)
		}
		return h.refuse(r, err, sayingLabels, func(refusal views.Refusal) templ.Component {
			p.Fields.Refusal = refusal
			return views.NewSaying(p)
		})
	case sent.Status == sayings.Spam:
		return then(r, submissionsPath, "This was taken for spam, so it will not be shown.")
	}
	return then(r, submissionsPath, "Thank you. Your saying waits for a moderator now.")
}

func (h *handlers) sentSaying(s sayings.Sent) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "Saying", Name: excerpt(oneLine(s.Text), 120), About: joined(" · ", s.Attribution, s.Region),
		Reason: s.Reason, Sent: h.moment(s.CreatedAt), Reader: "A moderator"}
	p.State, p.Tone = sayingState(s)
	if s.Status == sayings.Published {
		p.Href = sayingPath(s.Slug)
	}
	if s.DecidedAt != nil {
		p.Decided = h.moment(*s.DecidedAt)
	}
	if s.Status == sayings.Refused || s.Status == sayings.Spam || s.HiddenAt != nil {
		p.Appeal = appealAddress("saying", s.ID)
	}
	if sayings.CanWithdraw(s) {
		p.Withdraw = sentSayingsPath + "/" + s.ID + "/withdraw"
	}
	return p
}

// sayingState says what became of a saying, with the class that colours it.
func sayingState(s sayings.Sent) (words, tone string) {
	switch {
	case s.Status == sayings.Refused:
		return "Not taken", "state-bad"
	case s.Status == sayings.Spam:
		return "Taken for spam", "state-bad"
	case s.Status == sayings.Draft:
		return "A draft", "state-over"
	case s.Status == sayings.Published && s.HiddenAt != nil:
		return "Hidden by a moderator", "state-bad"
	case s.Status == sayings.Published:
		return "Published", "state-good"
	}
	return "Waiting for a moderator", ""
}

func (h *handlers) withdrawSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.Sayings.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, submissionsPath, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, submissionsPath, "Taken back.")
}
