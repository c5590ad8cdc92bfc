package web

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"homeplace/core/directory"
	"homeplace/views/ui"
)

// kindWords are how the kinds are called on pages.
type kindWords struct {
	one, many, title string // "person", "people", "People"
	label            string // "Person"
	text             string // what the list holds
}

var wordsOf = map[directory.Kind]kindWords{
	directory.KindBusiness: {"business", "businesses", "Businesses", "Business", "Shops, kitchens, makers and trades."},
	directory.KindLandmark: {"landmark", "landmarks", "Landmarks", "Landmark", "Places that remember who came before."},
	directory.KindService:  {"service", "services", "Services", "Service", "Help that neighbours can count on."},
	directory.KindEvent:    {"event", "events", "Events", "Event", "What is on, soonest first."},
	directory.KindPerson:   {"person", "people", "People", "Person", "Who built, sang, taught and led."},
}

// countOf says how many there are of a kind: "1 person", "312 businesses".
func countOf(n int, kind directory.Kind) string {
	if n == 1 {
		return "1 " + wordsOf[kind].one
	}
	return thousands(n) + " " + wordsOf[kind].many
}

// thousands writes a number as people read it: 12,930.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func entryPath(kind directory.Kind, slug string) string { return listPath(kind) + "/" + slug }

func listPath(kind directory.Kind) string { return "/directory/" + kind.Segment() }

// placeOf is the town of an entry: "Atlanta, GA".
func placeOf(s directory.Summary) string {
	country := ""
	if s.Country != nil && *s.Country != "US" {
		country = *s.Country
	}
	return joined(", ", value(s.City), value(s.Region), country)
}

func tagOf(s directory.Summary) string {
	if s.CategoryLabel != nil {
		return *s.CategoryLabel
	}
	return wordsOf[s.Kind].label
}

// yearsOf is the time of a person or place: "1867–1919", "since 1871".
func yearsOf(s directory.Summary) string {
	switch {
	case s.YearStart == nil && s.YearEnd == nil:
		return ""
	case s.YearEnd == nil && s.Kind == directory.KindPerson:
		return "born " + year(*s.YearStart)
	case s.YearEnd == nil:
		return "since " + year(*s.YearStart)
	case s.YearStart == nil:
		return "until " + year(*s.YearEnd)
	}
	return year(*s.YearStart) + "–" + year(*s.YearEnd)
}

func year(n int) string {
	if n < 0 {
		return strconv.Itoa(-n) + " BC"
	}
	return strconv.Itoa(n)
}

// entryLine is an entry as cards and rows show it.
func entryLine(s directory.Summary, hours *directory.Hours, now time.Time) ui.EntryProps {
	p := ui.EntryProps{Href: entryPath(s.Kind, s.Slug), Title: s.Name, Slug: s.Slug, Image: value(s.ImageURL),
		Tag: tagOf(s), Verified: s.Verified, Summary: excerpt(s.Summary, 140)}
	switch {
	case s.Kind == directory.KindEvent && s.StartsAt != nil:
		start, end := eventTimes(s)
		p.Strong, p.Meta = dayText(start, now), clockSpan(start, end)
	case hours != nil:
		p.Meta = openShort(hours.OpenAt(now), now)
	default:
		p.Meta = yearsOf(s)
	}
	return p
}

// cards are entries with their town as what counts most.
func (h *handlers) cards(ctx context.Context, list []directory.Summary) ([]ui.EntryProps, error) {
	hours, err := h.hoursOf(ctx, list)
	props := make([]ui.EntryProps, len(list))
	for i, s := range list {
		props[i] = entryLine(s, hours[s.ID], h.Now())
		if props[i].Strong == "" {
			props[i].Strong = placeOf(s)
		} else {
			start, _ := eventTimes(s)
			props[i].Meta = joined(", ", clockText(start), placeOf(s))
		}
	}
	return props, err
}

// rows are entries with their town after the summary.
func (h *handlers) rows(ctx context.Context, list []directory.Summary) ([]ui.EntryProps, error) {
	hours, err := h.hoursOf(ctx, list)
	props := make([]ui.EntryProps, len(list))
	for i, s := range list {
		props[i] = entryLine(s, hours[s.ID], h.Now())
		if place := placeOf(s); place != "" {
			props[i].Summary = joined(" · ", strings.TrimSuffix(props[i].Summary, "."), place)
		}
		props[i].Eager = i < 4
	}
	return props, err
}

func (h *handlers) hoursOf(ctx context.Context, list []directory.Summary) (map[string]*directory.Hours, error) {
	var ids []string
	for _, s := range list {
		if s.Kind != directory.KindEvent && s.Kind != directory.KindPerson {
			ids = append(ids, s.ID)
		}
	}
	return h.Directory.HoursOf(ctx, ids)
}

// distanceText says how far something is: "next door", "350 m",
// "1.2 km", "38 km".
func distanceText(km float64) string {
	switch {
	case km < 0.03:
		return "next door"
	case km < 0.995:
		return strconv.Itoa(int(km*100+.5)*10) + " m"
	case km < 9.95:
		return strconv.FormatFloat(km, 'f', 1, 64) + " km"
	}
	return strconv.FormatFloat(km, 'f', 0, 64) + " km"
}

// excerpt cuts a text at the end of a word.
func excerpt(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := string([]rune(s)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:–-") + "…"
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// joined puts the separator between the texts that are not empty.
func joined(separator string, texts ...string) string {
	var kept []string
	for _, s := range texts {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, separator)
}
