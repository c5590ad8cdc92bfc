package web

import (
	"context"
	"net/http"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	homeEvents = 4
	homeNewest = 6
	homeOthers = 3
	// homeChoice is among how many of the newest the first page chooses.
	homeChoice = 60
)

// home is the first page: what there is, and ways into it.
func (h *handlers) home(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	ctx := r.Context()
	counts, err := h.Directory.Counts(ctx)
	if err != nil {
		return nil, err
	}
	p := views.HomeProps{Today: h.Now().Format("Monday, January 2"), Kinds: kindWays(counts), Empty: total(counts) == 0}
	p.Frame = h.frame(r, v, layout.FrameProps{Canonical: h.Addresses.Page(), JSONLD: h.siteSchema(),
		Description: "Businesses, landmarks, people, services and events, kept by the community that lives with them. Ask for a thing and a place."})
	if p.Poll, err = h.todaysPoll(r, v); err != nil {
		return nil, err
	}
	if err := h.fillHome(ctx, &p); err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.Home(p))
}

func (h *handlers) fillHome(ctx context.Context, p *views.HomeProps) error {
	events, err := h.Directory.Upcoming(ctx, homeEvents)
	if err != nil {
		return err
	}
	if p.Events, err = h.rows(ctx, events); err != nil {
		return err
	}
	newest, err := h.Directory.Newest(ctx, homeChoice)
	if err != nil {
		return err
	}
	if p.Newest, err = h.cards(ctx, varied(newest, homeNewest)); err != nil {
		return err
	}
	for kind, into := range map[directory.Kind]*[]ui.EntryProps{directory.KindLandmark: &p.Landmark, directory.KindPerson: &p.People} {
		page, err := h.Directory.List(ctx, directory.Filter{Kind: kind, Page: core.Page{Limit: homeOthers}})
		if err != nil {
			return err
		}
		if *into, err = h.cards(ctx, page.Items); err != nil {
			return err
		}
	}
	if p.Apps, err = h.latestApps(ctx); err != nil {
		return err
	}
	if p.Praise, err = h.latestShoutOuts(ctx); err != nil {
		return err
	}
	if p.Saying, err = h.sayingToday(ctx); err != nil {
		return err
	}
	if p.Tries, err = h.tries(ctx); err != nil {
		return err
	}
	p.Feature, err = h.feature(ctx)
	return err
}

// varied takes the first of the list, two of each kind at most, and then as
// many others as are missing.
func varied(list []directory.Summary, most int) []directory.Summary {
	const ofKind = 2
	taken := map[directory.Kind]int{}
	var first, rest []directory.Summary
	for _, s := range list {
		if taken[s.Kind] < ofKind {
			taken[s.Kind]++
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	all := append(first, rest...)
	return all[:min(most, len(all))]
}

// feature is a verified business, another each day.
func (h *handlers) feature(ctx context.Context) (*views.FeatureProps, error) {
	const choice = 30
	page, err := h.Directory.List(ctx, directory.Filter{Kind: directory.KindBusiness, Page: core.Page{Limit: choice}})
	if err != nil {
		return nil, err
	}
	var verified []directory.Summary
	for _, s := range page.Items {
		if s.Verified && s.Summary != "" {
			verified = append(verified, s)
		}
	}
	if len(verified) == 0 {
		return nil, nil
	}
	s := verified[h.Now().YearDay()%len(verified)]
	return &views.FeatureProps{Entry: entryLine(s, nil, h.Now()), Kicker: "A neighbour today",
		Place: joined(" · ", tagOf(s), placeOf(s)), Button: "Meet them"}, nil
}

// kindWays leads to the list of each kind.
func kindWays(counts map[directory.Kind]int) []views.KindWay {
	ways := make([]views.KindWay, len(directory.Kinds))
	for i, kind := range directory.Kinds {
		w := wordsOf[kind]
		ways[i] = views.KindWay{Title: w.title, Href: listPath(kind), Count: thousands(counts[kind]), Text: w.text, Seed: w.many}
	}
	return ways
}

func total(counts map[directory.Kind]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// tries are searches to begin with: each names what an entry is and where, so
// that it finds something. They change from day to day.
func (h *handlers) tries(ctx context.Context) ([]ui.Chip, error) {
	const choice = 12
	var chips []ui.Chip
	for _, kind := range []directory.Kind{directory.KindBusiness, directory.KindLandmark, directory.KindPerson, directory.KindEvent} {
		f := filter{kind: kind, page: 1}.input()
		f.Page.Limit = choice
		page, err := h.Directory.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			s := page.Items[(h.Now().YearDay()+i)%len(page.Items)]
			if s.CategoryLabel == nil || s.City == nil {
				continue
			}
			chips = append(chips, ui.Chip{Strong: *s.CategoryLabel, Text: "in " + *s.City,
				Href: searchPath(*s.CategoryLabel, joined(", ", *s.City, value(s.Region)))})
			break
		}
	}
	return chips, nil
}

// siteSchema tells search engines of the site and its search.
func (h *handlers) siteSchema() map[string]any {
	return map[string]any{
		"@context": "https://schema.org", "@type": "WebSite", "name": h.Settings.Text(settings.SiteName), "url": h.Addresses.Page(),
		"potentialAction": map[string]any{"@type": "SearchAction", "query-input": "required name=q",
			"target": h.Addresses.Page("search") + "?q={q}"},
	}
}
