package web

import (
	"net/http"
	"net/url"
	"strings"

	"homeplace/static"
	"homeplace/web/httpx"
)

// themeCookie remembers a person's choice of colours. It is no secret, and the
// pages' script reads it to mark the button.
const themeCookie = "theme"

// themeAge in seconds: one year.
const themeAge = 365 * 24 * 60 * 60

// themeFiles are the style sheets that a choice adds to the pages' own, which
// follow the system.
var themeFiles = map[string]string{"light": "theme-light.css", "dark": "theme-dark.css"}

// noTheme is the style sheet of those who follow their system.
var noTheme = static.File{Body: []byte("\n"), Type: "text/css; charset=utf-8", ETag: `"system"`}

// themeSheet answers the one style sheet that differs between people, so that
// pages can be the same for everyone. Browsers keep it, and ask each time.
func themeSheet(w http.ResponseWriter, r *http.Request) {
	file := &noTheme
	if c, err := r.Cookie(themeCookie); err == nil {
		if chosen, ok := static.Get(themeFiles[c.Value]); ok {
			file = chosen
		}
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Add("Vary", "Cookie")
	file.Send(w, r)
}

// chooseTheme sets the cookie and leads back to the page that asked.
func chooseTheme(r *http.Request) (*httpx.Answer, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, 1<<10)
	choice := r.PostFormValue("theme")
	cookie := http.Cookie{Name: themeCookie, Value: choice, Path: "/", MaxAge: themeAge, SameSite: http.SameSiteLaxMode}
	if _, ok := themeFiles[choice]; !ok {
		cookie.Value, cookie.MaxAge = "", -1
	}
	a := httpx.Redirect(http.StatusSeeOther, cameFrom(r))
	a.SetHeader("Set-Cookie", cookie.String())
	return a, nil
}

// cameFrom is the path and query of the page of this site that sent the
// request, or the first page. It never leads to another site.
func cameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host || (u.Scheme != "http" && u.Scheme != "https") {
		return "/"
	}
	path := u.EscapedPath()
	// Browsers read // and /\ at the start as another host.
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.HasPrefix(path, "/\\") {
		return "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return path
}
