package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// appReplies are reasons that fit often.
var appReplies = []string{
	"Please say in a sentence what it does and for whom.",
	"There is no data here yet. Upload a first file, then save the app again.",
	"The website cannot be reached. Put its address right, then save the app again.",
	"We have an app for this already. Suggest your files there.",
	"This is not a tool for the community.",
}

// appVisit is what a visit to the queue of apps knows besides the address.
type appVisit struct {
	slug   string // the chosen app; "" = the oldest
	notice string // what the last decision met with
	err    error  // what was wrong with it
	reply  string
	reason string
}

// appQueue shows the apps that wait, and one of them.
func (h *handlers) appQueue(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showAppDesk(r, v, http.StatusOK, appVisit{slug: httpx.ParseQuery(r).String("id")})
}

func (h *handlers) showAppDesk(r *http.Request, v core.Viewer, status int, d appVisit) (*httpx.Answer, error) {
	number, size := pageNumber(httpx.ParseQuery(r)), apps.QueueRule.Default
	list, err := h.Apps.PendingApps(r.Context(), v, core.Page{Limit: size, Offset: (number - 1) * size})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && list.Total > 0 { // the last of this page was decided
		return httpx.Redirect(http.StatusSeeOther, appDeskPath), nil
	}
	p := views.AppQueueProps{Desk: views.DeskProps{Chosen: d.slug != "", Back: pageAddress(appDeskPath, number),
		Pager: pagerOf(appDeskPath, number, list.Total, list.Page), Browse: ui.Link{Text: "Browse the apps", Href: views.AppsPage}}}
	var counts map[string]int
	if p.Desk.Queues, counts, err = h.queues(r.Context(), v, appDeskPath); err != nil {
		return nil, err
	}
	var oldest time.Time
	if len(list.Items) > 0 {
		oldest = list.Items[0].CreatedAt
		if d.slug == "" {
			d.slug = list.Items[0].Slug
		}
	}
	p.Desk.Lead = h.queueLead(list.Total, oldest, number)
	for _, a := range list.Items {
		p.Desk.Waiting = append(p.Desk.Waiting, views.WaitingProps{Href: appCaseAddress(a.Slug, number), Name: a.Name, Current: a.Slug == d.slug,
			About: joined(" · ", ownerName(a.Summary), fileCount(a.Files), ui.Ago(a.CreatedAt, h.Now(), nil))})
	}
	if d.slug != "" {
		if p.Case, err = h.appCase(r, v, d); err != nil {
			return nil, err
		}
	}
	frame := layout.FrameProps{Title: "Desk", NoIndex: true}
	if d.notice != "" {
		frame.Flash = []ui.NoticeProps{{Tone: ui.Warn, Text: d.notice}}
	}
	p.Frame = h.frame(r, v, frame)
	p.Frame.Viewer.Waiting = waitingText(counts)
	return show(r, status, views.AppQueue(p))
}

func appCaseAddress(slug string, number int) string {
	address := appDeskPath + "?id=" + slug
	if number > 1 {
		address += "&page=" + strconv.Itoa(number)
	}
	return address
}

// appCase lays out the app that the moderator looks at.
func (h *handlers) appCase(r *http.Request, v core.Viewer, d appVisit) (*views.AppCaseProps, error) {
	a, err := h.Apps.Get(r.Context(), v, d.slug)
	if err != nil {
		return nil, err
	}
	owner := ownerPage(a.Summary)
	p := &views.AppCaseProps{Slug: a.Slug, Name: a.Name, Href: appPath(a.Slug), Summary: a.Summary.Summary, By: owner.Text, Page: owner.Href,
		Sent: h.moment(a.CreatedAt), Homepage: webLink(a.HomepageURL), Repo: webLink(a.RepoURL), About: a.DescriptionHTML,
		Files: ui.Link{Text: fileCount(a.Files), Href: appPath(a.Slug) + "#files"}, Mine: !apps.CanModerate(v, a.Summary),
		Publish: appDeskPath + "/" + a.Slug + "/publish", Refuse: appDeskPath + "/" + a.Slug + "/refuse",
		Replies: []ui.Option{{Text: "None"}}, Reply: d.reply, Reason: d.reason}
	if a.Status != apps.Pending {
		p.Decided = "This no longer waits: it was " + string(a.Status) + "."
	}
	for _, reply := range appReplies {
		p.Replies = append(p.Replies, ui.Option{Value: reply, Text: reply})
	}
	if fields, message, ok := refused(d.err); ok {
		if p.ReasonError = message; fields["reason"] != "" {
			p.ReasonError = "The reason " + fields["reason"] + "."
		}
		p.Errors = []ui.FieldError{{ID: "reason", Text: p.ReasonError}}
	}
	return p, nil
}

func (h *handlers) publishApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	d := appVisit{slug: chi.URLParam(r, "slug")}
	a, err := h.Apps.Publish(r.Context(), v, d.slug)
	return h.appDecision(r, v, err, a.Name+" is published.", d)
}

// refuseApp declines with a saved reply, the moderator's own words, or both.
func (h *handlers) refuseApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := appVisit{slug: chi.URLParam(r, "slug"), reply: values.Get("reply"), reason: values.Get("reason")}
	a, err := h.Apps.Refuse(r.Context(), v, d.slug, strings.TrimSpace(d.reply+"\n"+strings.TrimSpace(pastedText(values, "reason"))))
	return h.appDecision(r, v, err, a.Name+" is refused. "+ownerName(a.Summary)+" reads why.", d)
}

// appDecision leads on after publishing or refusing.
func (h *handlers) appDecision(r *http.Request, v core.Viewer, err error, notice string, d appVisit) (*httpx.Answer, error) {
	switch {
	case err == nil:
		return then(r, appDeskPath, notice)
	case isConflict(err, "already_decided"):
		return h.showAppDesk(r, v, http.StatusConflict, appVisit{notice: core.AsError(err).Msg})
	case core.KindOf(err) == core.Invalid:
		d.err = err
		return h.showAppDesk(r, v, formStatus(err), d)
	}
	return nil, err
}

func (h *handlers) hideApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Apps.Hide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, appPath(slug), "Hidden. Only its owner and the moderators see it now.")
}

func (h *handlers) unhideApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Apps.Unhide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, appPath(slug), "It is no longer hidden.")
}
