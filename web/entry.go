package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/markdown"
	"homeplace/core/reports"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	nearDots  = 24 // on the map
	nearCards = 3
	// cornerKm is how far something around the corner may be.
	cornerKm = 5.0
	// dotsKm bounds the map, so that one far place does not shrink the rest.
	dotsKm = 40.0
)

// entry is the page of one entry.
func (h *handlers) entry(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	kind, err := kindOf(r)
	if err != nil {
		return nil, err
	}
	e, err := h.entryFor(r.Context(), v, kind, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	p := h.entryProps(e)
	if err := h.addNear(r.Context(), &p, e); err != nil {
		return nil, err
	}
	if e.Hidden && v.SignedIn() && value(e.OwnerID) == v.ID {
		p.Appeal = appealAddress(reportQueue, e.ID)
	}
	if err := h.addShoutOuts(r.Context(), &p, e); err != nil {
		return nil, err
	}
	frame := h.entryFrame(e)
	if schema, ok := frame.JSONLD.(map[string]any); ok && p.ShoutOuts != nil && p.ShoutOuts.Stars != nil {
		schema["aggregateRating"] = ratingSchema(*p.ShoutOuts.Stars)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Entry(p))
}

// entryFor reads what the viewer may see: more than the public for owners and
// staff.
func (h *handlers) entryFor(ctx context.Context, v core.Viewer, kind directory.Kind, slug string) (directory.Entry, error) {
	if v.SignedIn() {
		return h.Directory.GetFor(ctx, v, kind, slug)
	}
	return h.Directory.Get(ctx, kind, slug)
}

func (h *handlers) entryFrame(e directory.Entry) layout.FrameProps {
	f := layout.FrameProps{Title: e.Name, Section: sectionOf(e.Kind), Article: true, Description: describe(e),
		Image: h.Addresses.Page("preview", e.Kind.Segment(), e.Slug+".png"), ImageAlt: e.Name + ", on woven cloth"}
	if !public(e) {
		f.NoIndex, f.Image, f.ImageAlt = true, "", ""
		return f
	}
	f.JSONLD = h.entrySchema(e)
	return f
}

func public(e directory.Entry) bool { return e.Status == directory.Published && !e.Hidden }

// describe is a sentence or two about an entry, without marks.
func describe(e directory.Entry) string {
	about := e.Summary.Summary
	if about == "" {
		about = markdown.Plain(e.Description, 160)
	}
	return excerpt(joined(" · ", about, tagOf(e.Summary), placeOf(e.Summary)), 220)
}

func (h *handlers) entryProps(e directory.Entry) views.EntryProps {
	words := wordsOf[e.Kind]
	p := views.EntryProps{Slug: e.Slug, Image: value(e.ImageURL), Name: e.Name, Lead: e.Summary.Summary, Place: placeOf(e.Summary),
		Verified: e.Verified, Story: markdown.HTML(e.DescriptionHTML), StoryName: storyName(e.Kind), Notice: noticeOf(e),
		Tag:    ui.Link{Text: words.label},
		Crumbs: []ui.Link{{Text: "Directory", Href: "/directory"}, {Text: words.title, Href: listPath(e.Kind)}}}
	if e.CategoryLabel != nil && e.Category != nil {
		p.Tag = ui.Link{Text: *e.CategoryLabel, Href: listPath(e.Kind) + "?" + url.Values{"category": {*e.Category}}.Encode()}
		p.Crumbs = append(p.Crumbs, p.Tag)
	}
	p.Crumbs = append(p.Crumbs, ui.Link{Text: e.Name})
	h.addTimes(&p, e)
	addContacts(&p, e)
	for _, l := range e.Links {
		p.Links = append(p.Links, ui.Link{Text: l.Label, Href: l.URL})
	}
	for _, t := range e.Tags {
		p.Tags = append(p.Tags, ui.Link{Text: t, Href: searchPath(t, "")})
	}
	if public(e) {
		p.Report = reportAddress(reports.TypeEntry, e.ID)
		p.Edit = entryPath(e.Kind, e.Slug) + "/edit"
		if e.Kind == directory.KindBusiness || e.Kind == directory.KindService || e.Kind == directory.KindLandmark {
			p.StillOpen = entryPath(e.Kind, e.Slug) + "/still-open"
		}
	} else {
		p.Edit = entryPath(e.Kind, e.Slug) + "/edit"
	}
	return p
}

func storyName(kind directory.Kind) string {
	switch kind {
	case directory.KindPerson:
		return "A life"
	case directory.KindEvent:
		return "What to expect"
	}
	return "The story"
}

// noticeOf tells owners and staff why others do not see the page.
func noticeOf(e directory.Entry) *ui.NoticeProps {
	notice := &ui.NoticeProps{Tone: ui.Warn}
	switch {
	case e.Hidden:
		notice.Title, notice.Text = "This listing is hidden", "Only its owner and the moderators see it until a moderator has looked at it."
	case e.Status == directory.Pending:
		notice.Title, notice.Text = "This listing waits for a moderator", "It will be public once somebody has looked at it."
	case e.Status == directory.Draft:
		notice.Title, notice.Text = "This is a draft", "Only you and the moderators see it."
	case e.Status == directory.Refused:
		notice.Title, notice.Text = "This listing was not taken", "Only its owner and the moderators see it."
	case e.Status == directory.Archived:
		notice.Title, notice.Text = "This listing is archived", "It is kept, and no longer public."
	default:
		return nil
	}
	return notice
}

// addTimes fills in hours, dates and years.
func (h *handlers) addTimes(p *views.EntryProps, e directory.Entry) {
	now := h.Now()
	if e.StartsAt != nil {
		p.When = whenText(eventTimes(e.Summary))
		if public(e) && e.Kind == directory.KindEvent {
			p.Calendar = entryPath(e.Kind, e.Slug) + ".ics"
		}
	}
	if p.Years = yearsOf(e.Summary); p.Years != "" {
		p.Years = strings.ToUpper(p.Years[:1]) + p.Years[1:]
		p.YearsName = "In time"
		if e.Kind == directory.KindPerson {
			p.YearsName = "Lived"
		}
	}
	if e.Hours == nil {
		return
	}
	p.HoursNote = e.Hours.Note
	for _, row := range e.Hours.Week() {
		p.Week = append(p.Week, [2]string{row.Days, weekClock(row.Hours)})
	}
	state := e.Hours.OpenAt(now)
	switch {
	case !state.Known:
		if len(p.Week) > 0 || p.HoursNote != "" {
			p.OpenLabel = "Hours"
		}
	case state.Always:
		p.OpenLabel, p.Open, p.OpenNow = "Open now", "day and night", true
	case state.Open:
		p.OpenLabel, p.OpenNow = "Open now", true
		p.Open = "until " + whenShort(state.Until, now)
	default:
		p.OpenLabel, p.Open = "Closed now", "for the time being"
		if !state.Next.IsZero() {
			p.Open = "opens " + whenShort(state.Next, now)
		}
	}
}

// weekClock writes the 24 hours of stored times as people say them.
func weekClock(hours string) string {
	spans := strings.Split(hours, ", ")
	for i, span := range spans {
		from, to, ok := strings.Cut(span, "–")
		if !ok {
			continue
		}
		spans[i] = wallText(from) + " to " + wallText(to)
	}
	return strings.Join(spans, ", ")
}

func addContacts(p *views.EntryProps, e directory.Entry) {
	town := joined(" ", joined(", ", value(e.City), value(e.Region)), value(e.Zip))
	for _, line := range []string{value(e.Address), town} {
		if line != "" {
			p.Address = append(p.Address, line)
		}
	}
	if e.Country != nil && *e.Country != "US" && len(p.Address) > 0 {
		p.Address = append(p.Address, *e.Country)
	}
	if e.Phone != nil {
		p.Phone = ui.Link{Text: *e.Phone, Href: "tel:" + dialled(*e.Phone)}
	}
	if e.Website != nil {
		p.Website = ui.Link{Text: bareAddress(*e.Website), Href: *e.Website}
	}
	if e.Email != nil {
		p.Email = ui.Link{Text: *e.Email, Href: "mailto:" + *e.Email}
	}
}

// dialled is a telephone number as a telephone takes it. Ten digits without a
// country are American.
func dialled(phone string) string {
	digits := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, phone)
	switch {
	case strings.HasPrefix(strings.TrimSpace(phone), "+"):
		return "+" + digits
	case len(digits) == 10:
		return "+1" + digits
	}
	return digits
}

func bareAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return excerpt(strings.TrimPrefix(u.Host, "www.")+strings.TrimSuffix(u.Path, "/"), 40)
}

// addNear fills in what is around the entry, on the map and as cards.
func (h *handlers) addNear(ctx context.Context, p *views.EntryProps, e directory.Entry) error {
	if e.Lat == nil || e.Lng == nil {
		return nil
	}
	near, err := h.Directory.Near(ctx, *e.Lat, *e.Lng, e.ID, nearDots)
	if err != nil {
		return err
	}
	lat, lng := strconv.FormatFloat(*e.Lat, 'f', 5, 64), strconv.FormatFloat(*e.Lng, 'f', 5, 64)
	p.Map = &ui.MapProps{Here: ui.Point{Name: e.Name, Lat: *e.Lat, Lng: *e.Lng},
		Tiles: h.Settings.Text(settings.MapTileURL), TilesAttribution: h.Settings.Text(settings.MapAttribution),
		Elsewhere: "https://www.openstreetmap.org/directions?to=" + lat + "%2C" + lng}
	var closest []directory.Summary
	for _, n := range near {
		if n.DistanceKm <= dotsKm {
			p.Map.Others = append(p.Map.Others, ui.Point{Name: n.Name, Lat: *n.Lat, Lng: *n.Lng})
		}
		if len(closest) < nearCards {
			closest = append(closest, n.Summary)
		}
	}
	p.Map.Label = e.Name + " and " + neighbours(len(p.Map.Others)) + " on a map"
	if p.Near, err = h.cards(ctx, closest); err != nil {
		return err
	}
	p.NearTitle = "Not far away"
	if len(near) > 0 && near[0].DistanceKm <= cornerKm {
		p.NearTitle = "Around the corner"
	}
	for i := range p.Near {
		p.Near[i].Meta = joined(" · ", timeOfEvent(closest[i], p.Near[i].Strong), p.Near[i].Meta)
		p.Near[i].Strong = distanceText(near[i].DistanceKm)
	}
	return nil
}

// timeOfEvent is what a card of an event says first, which a distance takes
// the place of.
func timeOfEvent(s directory.Summary, strong string) string {
	if s.Kind == directory.KindEvent {
		return strong
	}
	return ""
}

func neighbours(n int) string {
	if n == 1 {
		return "1 neighbour"
	}
	return strconv.Itoa(n) + " neighbours"
}
