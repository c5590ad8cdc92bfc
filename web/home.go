package web

import (
	"net/http"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/views"
	"homeplace/web/httpx"
)

// newestOnHome is how many of the newest entries the first page shows.
const newestOnHome = 6

// kindLabels are the kinds as headings.
var kindLabels = map[directory.Kind]string{
	directory.KindBusiness: "Businesses", directory.KindLandmark: "Landmarks", directory.KindService: "Services",
	directory.KindEvent: "Events", directory.KindPerson: "People",
}

func (h *handlers) home(r *http.Request) (*httpx.Answer, error) {
	props := views.HomeProps{Frame: h.frame("/", "",
		"A community directory of businesses, landmarks, services, events and people, as open data."), Empty: true}
	number := message.NewPrinter(language.English)
	for _, kind := range directory.Kinds {
		list, err := h.Directory.List(r.Context(), directory.Filter{Kind: kind, Page: core.Page{Limit: 1}})
		if err != nil {
			return nil, err
		}
		props.Empty = props.Empty && list.Total == 0
		props.Kinds = append(props.Kinds, views.KindCount{Label: kindLabels[kind], Count: number.Sprint(list.Total),
			URL: h.Addresses.API("directory", kind.Segment())})
	}
	newest, err := h.Newest(r.Context(), newestOnHome)
	if err != nil {
		return nil, err
	}
	for _, e := range newest {
		props.Newest = append(props.Newest, h.card(e))
	}
	return show(r, http.StatusOK, views.Home(props))
}

func (h *handlers) card(e directory.Summary) views.EntryCard {
	card := views.EntryCard{Slug: e.Slug, Name: e.Name, Summary: e.Summary, Tag: kindLabels[e.Kind], Verified: e.Verified,
		URL: h.Addresses.API("directory", e.Kind.Segment(), e.Slug)}
	if e.CategoryLabel != nil {
		card.Tag = *e.CategoryLabel
	}
	for _, part := range []*string{e.City, e.Region} {
		switch {
		case part == nil || *part == "":
		case card.Place == "":
			card.Place = *part
		default:
			card.Place += ", " + *part
		}
	}
	return card
}
