package web

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/settings"
	"homeplace/web/httpx"
)

// calendarEvents is how many events the feed holds.
const calendarEvents = 100

// eventsCalendar is the next events, for calendars (RFC 5545).
func (h *handlers) eventsCalendar(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	events, err := h.Directory.Upcoming(r.Context(), calendarEvents)
	if err != nil {
		return nil, err
	}
	return h.calendar(events, "events.ics"), nil
}

// eventCalendar is one event, for calendars.
func (h *handlers) eventCalendar(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	kind, err := kindOf(r)
	if err != nil {
		return nil, err
	}
	e, err := h.entryFor(r.Context(), v, kind, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	if e.Kind != directory.KindEvent || e.StartsAt == nil {
		return nil, core.NotFoundf("%s has no date to put into a calendar.", e.Name)
	}
	return h.calendar([]directory.Summary{e.Summary}, e.Slug+".ics"), nil
}

func (h *handlers) calendar(events []directory.Summary, file string) *httpx.Answer {
	site := h.Settings.Text(settings.SiteName)
	var c calendarText
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.line("PRODID", "-//"+strings.NewReplacer("/", " ", "\n", " ").Replace(site)+"//Directory//EN")
	c.line("CALSCALE", "GREGORIAN")
	c.text("X-WR-CALNAME", site+" events")
	for _, s := range events {
		if s.StartsAt != nil {
			h.calendarEvent(&c, s)
		}
	}
	c.line("END", "VCALENDAR")
	return &httpx.Answer{Status: http.StatusOK, ContentType: "text/calendar; charset=utf-8", Body: []byte(c.b.String()),
		Header: http.Header{"Content-Disposition": {`inline; filename="` + file + `"`}}}
}

func (h *handlers) calendarEvent(c *calendarText, s directory.Summary) {
	const moment = "20060102T150405Z"
	page := h.Addresses.Page("directory", s.Kind.Segment(), s.Slug)
	c.line("BEGIN", "VEVENT")
	c.line("UID", s.ID+"@"+strings.TrimPrefix(strings.TrimPrefix(h.Addresses.Base(), "https://"), "http://"))
	c.line("DTSTAMP", s.UpdatedAt.UTC().Format(moment))
	c.line("DTSTART", s.StartsAt.UTC().Format(moment))
	if s.EndsAt != nil && s.EndsAt.After(*s.StartsAt) {
		c.line("DTEND", s.EndsAt.UTC().Format(moment))
	}
	c.text("SUMMARY", s.Name)
	c.text("DESCRIPTION", s.Summary)
	c.text("LOCATION", joined(", ", value(s.Address), placeOf(s)))
	if s.Lat != nil && s.Lng != nil {
		c.line("GEO", strconv.FormatFloat(*s.Lat, 'f', 6, 64)+";"+strconv.FormatFloat(*s.Lng, 'f', 6, 64))
	}
	c.line("URL", page)
	c.line("LAST-MODIFIED", s.UpdatedAt.UTC().Format(moment))
	c.line("END", "VEVENT")
}

// calendarText writes content lines of RFC 5545 §3.1.
type calendarText struct{ b strings.Builder }

// maxCalendarLine is the longest line in bytes, its break not counted.
const maxCalendarLine = 75

// line folds a line that is too long, never inside a letter.
func (c *calendarText) line(name, value string) {
	rest, room := name+":"+value, maxCalendarLine
	for len(rest) > room {
		cut := room
		for !utf8.RuneStart(rest[cut]) {
			cut--
		}
		c.b.WriteString(rest[:cut] + "\r\n ")
		rest, room = rest[cut:], maxCalendarLine-1
	}
	c.b.WriteString(rest + "\r\n")
}

var calendarEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// text is a line whose value people wrote; an empty one is left out.
func (c *calendarText) text(name, value string) {
	if value != "" {
		c.line(name, calendarEscapes.Replace(value))
	}
}
