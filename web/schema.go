package web

import (
	"time"

	"homeplace/core/directory"
	"homeplace/core/markdown"
)

// schemaTypes are the types of schema.org for categories that have one; the
// slugs are those of the curated list.
var schemaTypes = map[string]string{
	"art-gallery": "ArtGallery", "auto-parts": "AutoPartsStore", "bakery": "Bakery", "bank": "BankOrCreditUnion", "bar": "BarOrPub",
	"barbecue": "Restaurant", "barber-shop": "HairSalon", "bookstore": "BookStore", "braiding-salon": "HairSalon", "brewery": "Brewery",
	"cafe": "CafeOrCoffeeShop", "car-dealer": "AutoDealer", "car-wash": "AutoWash", "caribbean": "Restaurant", "chicken-wings": "Restaurant",
	"clothing": "ClothingStore", "club": "NightClub", "convenience-store": "ConvenienceStore", "credit-union": "BankOrCreditUnion",
	"dry-cleaning": "DryCleaningOrLaundry", "ethiopian": "Restaurant", "event-venue": "EventVenue", "florist": "Florist",
	"furniture": "FurnitureStore", "grocery": "GroceryStore", "hair-salon": "HairSalon", "hardware": "HardwareStore", "hotel": "Hotel",
	"jewelry": "JewelryStore", "latin-american": "Restaurant", "laundry": "DryCleaningOrLaundry", "liquor-store": "LiquorStore",
	"nail-salon": "NailSalon", "natural-hair": "HairSalon", "pawn-shop": "PawnShop", "pharmacy": "Pharmacy", "pizza": "Restaurant",
	"radio-station": "RadioStation", "restaurant": "Restaurant", "seafood": "Restaurant", "shoes": "ShoeStore", "soul-food": "Restaurant",
	"southern": "Restaurant", "spa": "DaySpa", "sporting-goods": "SportingGoodsStore", "tattoo": "TattooParlor", "tires": "TireShop",
	"vegan": "Restaurant", "winery": "Winery",
}

func schemaType(e directory.Entry) string {
	switch e.Kind {
	case directory.KindPerson:
		return "Person"
	case directory.KindEvent:
		return "Event"
	case directory.KindService:
		return "Service"
	case directory.KindLandmark:
		return "LandmarksOrHistoricalBuildings"
	}
	if name, ok := schemaTypes[value(e.Category)]; ok {
		return name
	}
	return "LocalBusiness"
}

// thing is a schema.org object. What is empty is left out.
type thing map[string]any

func (t thing) text(name, s string) {
	if s != "" {
		t[name] = s
	}
}

// entrySchema describes an entry to search engines.
func (h *handlers) entrySchema(e directory.Entry) map[string]any {
	t := thing{"@context": "https://schema.org", "@type": schemaType(e), "name": e.Name,
		"url": h.Addresses.Page("directory", e.Kind.Segment(), e.Slug)}
	about := e.Summary.Summary
	if about == "" {
		about = markdown.Plain(e.Description, 300)
	}
	t.text("description", about)
	t["image"] = h.Addresses.Page("preview", e.Kind.Segment(), e.Slug+".png")
	if e.ImageURL != nil {
		t["image"] = *e.ImageURL
	}
	switch e.Kind {
	case directory.KindPerson:
		addYears(t, e, "birthDate", "deathDate")
		t.text("sameAs", value(e.Website))
	case directory.KindEvent:
		h.addEventSchema(t, e)
	case directory.KindService:
		t.text("serviceType", value(e.CategoryLabel))
		t["provider"] = thing{"@type": "Organization", "name": e.Name, "url": t["url"]}
		t.text("areaServed", placeOf(e.Summary))
	default:
		addPlaceSchema(t, e)
		if e.Kind == directory.KindBusiness {
			t.text("telephone", value(e.Phone))
			t.text("email", value(e.Email))
			addYears(t, e, "foundingDate", "dissolutionDate")
			addHoursSchema(t, e.Hours)
		}
		t.text("sameAs", value(e.Website))
	}
	return t
}

func addYears(t thing, e directory.Entry, from, to string) {
	if e.YearStart != nil && *e.YearStart > 0 {
		t[from] = year(*e.YearStart)
	}
	if e.YearEnd != nil && *e.YearEnd > 0 {
		t[to] = year(*e.YearEnd)
	}
}

func addPlaceSchema(t thing, e directory.Entry) {
	address := thing{"@type": "PostalAddress"}
	address.text("streetAddress", value(e.Address))
	address.text("addressLocality", value(e.City))
	address.text("addressRegion", value(e.Region))
	address.text("postalCode", value(e.Zip))
	address.text("addressCountry", value(e.Country))
	if len(address) > 1 {
		t["address"] = address
	}
	if e.Lat != nil && e.Lng != nil {
		t["geo"] = thing{"@type": "GeoCoordinates", "latitude": *e.Lat, "longitude": *e.Lng}
	}
}

func (h *handlers) addEventSchema(t thing, e directory.Entry) {
	if e.StartsAt != nil {
		start, end := eventTimes(e.Summary)
		t["startDate"] = start.Format(time.RFC3339)
		if !end.IsZero() {
			t["endDate"] = end.Format(time.RFC3339)
		}
	}
	t["eventStatus"] = "https://schema.org/EventScheduled"
	place := thing{"@type": "Place", "name": joined(", ", value(e.Address), placeOf(e.Summary))}
	addPlaceSchema(place, e)
	if len(place) > 2 {
		t["location"] = place
	}
}

var schemaDays = map[string]string{"mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday", "sun": "Sunday"}

func addHoursSchema(t thing, hours *directory.Hours) {
	if hours == nil {
		return
	}
	var list []thing
	for _, day := range directory.Weekdays {
		for _, span := range hours.Days[day] {
			list = append(list, thing{"@type": "OpeningHoursSpecification", "dayOfWeek": schemaDays[day], "opens": span[0], "closes": span[1]})
		}
	}
	if list != nil {
		t["openingHoursSpecification"] = list
	}
}
