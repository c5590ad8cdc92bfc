package web

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"homeplace/core"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// show draws a page.
func show(r *http.Request, status int, page templ.Component) (*httpx.Answer, error) {
	return httpx.HTML(status, func(w io.Writer) error { return page.Render(r.Context(), w) })
}

// tagline says what the site is, in the footer and the title of the first page.
const tagline = "A directory kept by the neighbours who live with it."

// frame fills in what surrounds every page: the caller gives title,
// description and section, and on the desk how much waits. A page that search engines should find has its path
// for its canonical address; f.NoIndex leaves it out.
func (h *handlers) frame(r *http.Request, v core.Viewer, f layout.FrameProps) layout.FrameProps {
	f.SiteName = h.Settings.Text(settings.SiteName)
	f.Tagline = tagline
	if f.Canonical == "" && !f.NoIndex {
		f.Canonical = h.Addresses.Base() + strings.TrimSuffix(r.URL.EscapedPath(), "/")
	}
	if v.SignedIn() {
		f.Viewer = layout.Viewer{SignedIn: true, Username: v.Username, Staff: v.IsStaff(), Admin: v.Admin, Waiting: f.Viewer.Waiting}
	}
	if f.Viewer.Staff && f.Viewer.Waiting == "" {
		if n, err := h.Desk.Waiting(r.Context(), v); err == nil { // a page does not fail for a number in its menu
			f.Viewer.Waiting = waitingText(n)
		}
	}
	if notice, err := session.TakeNotice(r); err == nil && notice != "" {
		f.Flash = append(f.Flash, ui.NoticeProps{Tone: ui.Good, Text: notice})
	}
	return f
}

// then leads to another page of this site after a form was taken, with a
// notice that it shows once; an empty notice shows none.
func then(r *http.Request, path, notice string) (*httpx.Answer, error) {
	if notice != "" {
		if err := session.SetNotice(r, notice); err != nil {
			return nil, err
		}
	}
	return httpx.Redirect(http.StatusSeeOther, path), nil
}

// problem is the page of an error.
func (h *handlers) problem(r *http.Request, err error) *httpx.Answer {
	e := httpx.Report(r, err)
	status := httpx.Status(e.Kind)
	props := views.ErrorProps{Status: status, Message: e.Msg, RequestID: httpx.RequestID(r)}
	props.Frame = h.frame(r, core.Nobody(), layout.FrameProps{Title: props.Headline(), NoIndex: true})
	a, err := show(r, status, views.Error(props))
	if err != nil { // the error page itself is broken: the plain answer of the API is not
		return httpx.ErrorAnswer(r, err)
	}
	a.Header = httpx.ErrorHeader(r, e)
	return a
}

// signInFirst is the address of the sign-in that leads back to the page asked
// for.
func signInFirst(r *http.Request) string {
	return "/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// ownPath keeps a path of this site and turns anything else into fallback, so
// that nobody is led away by a link that was sent to them.
func ownPath(path, fallback string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return fallback
	}
	return path
}

// form reads the fields of a form that was sent.
func form(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		return nil, (&core.Error{Kind: core.Invalid, Code: "malformed_form", Msg: "The form did not arrive whole. Please send it again."}).Wrap(err)
	}
	return r.PostForm, nil
}

// refused tells whether err is about what the person wrote, so that the form
// is shown again with a word at each field; any other error is a page of its
// own.
func refused(err error) (fields map[string]string, message string, ok bool) {
	if err == nil {
		return nil, "", false
	}
	e := core.AsError(err)
	switch e.Kind {
	case core.Invalid, core.Conflict, core.RateLimited, core.Unauthenticated:
		return e.Fields, e.Msg, true
	}
	return nil, "", false
}
