package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/sessions"
	"homeplace/views"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

func (h *handlers) sessionsPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	list, err := h.Services.Sessions.List(r.Context(), v)
	if err != nil {
		return nil, err
	}
	props := views.SessionsProps{Frame: h.accountFrame(r, v, "Where you are signed in")}
	for _, s := range list {
		row := views.SessionRow{Name: browserName(s.UserAgent), From: s.AddressKey, LastSeen: h.moment(s.LastSeenAt), SignedIn: h.moment(s.CreatedAt)}
		if s.ID != session.ID(r) {
			row.End = views.SessionsPage + "/" + s.ID + "/end"
		}
		if s.Origin == "" {
			props.Browsers = append(props.Browsers, row)
			continue
		}
		row.Name, row.How = program(s)
		props.Programs = append(props.Programs, row)
	}
	return show(r, http.StatusOK, views.Sessions(props))
}

// signedInHow says in which way a program got in.
var signedInHow = map[sessions.Origin]string{
	sessions.OriginPassword: "With your password",
	sessions.OriginBrowser:  "Handed over by a browser of yours",
	sessions.OriginProvider: "Through another service’s sign-in",
}

func (h *handlers) endSession(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	id := chi.URLParam(r, "id")
	if id == session.ID(r) {
		return h.signOut(r, v)
	}
	if err := h.Services.Sessions.End(r.Context(), v, id); err != nil {
		return nil, err
	}
	return then(r, views.SessionsPage, "You are signed out there.")
}

func (h *handlers) endOtherSessions(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	ended, err := h.Services.Sessions.EndOthers(r.Context(), v, session.ID(r))
	if err != nil {
		return nil, err
	}
	notice := strconv.Itoa(ended) + " others are signed out."
	switch ended {
	case 0:
		notice = "You were signed in nowhere else."
	case 1:
		notice = "The other one is signed out."
	}
	return then(r, views.SessionsPage, notice)
}

// browserName makes of what a browser calls itself what people call it.
func browserName(userAgent string) string {
	browser, system := firstMark(userAgent, browserMarks), firstMark(userAgent, systemMarks)
	switch {
	case browser == "" && system == "":
		return "A browser or program"
	case browser == "":
		return "A browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

// program is a program's name and how it was signed in. One that a browser
// signed in has said nothing of itself until it first asks for a new pair.
func program(s sessions.Session) (name, how string) {
	if s.Origin == sessions.OriginBrowser && firstMark(s.UserAgent, browserMarks) != "" {
		return "A program", "Handed over by " + browserName(s.UserAgent)
	}
	return programName(s.UserAgent), signedInHow[s.Origin]
}

// programName is the first word that a program calls itself, or the browser
// that it lives in.
func programName(userAgent string) string {
	const longest = 40
	name, _, _ := strings.Cut(userAgent, " ")
	name, _, _ = strings.Cut(name, "/")
	if firstMark(userAgent, browserMarks) != "" || len(name) > longest || !plainWord(name) {
		return browserName(userAgent)
	}
	return name
}

// plainWord tells whether s is made of letters, digits and -_. alone.
func plainWord(s string) bool {
	const others = "-_."
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(others, c)) {
			return false
		}
	}
	return s != ""
}

// mark is a part of a browser's description and what it stands for. Most
// browsers name others too: the first of these that is found counts.
type mark struct{ part, name string }

var (
	browserMarks = []mark{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"}, {"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"}, {"curl/", "curl"}}
	systemMarks = []mark{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "Mac"},
		{"CrOS", "Chromebook"}, {"Linux", "Linux"}}
)

func firstMark(userAgent string, marks []mark) string {
	for _, m := range marks {
		if strings.Contains(userAgent, m.part) {
			return m.name
		}
	}
	return ""
}
