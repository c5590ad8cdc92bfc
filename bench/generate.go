package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"homeplace/core/directory"
	"homeplace/core/geo"
)

// generated is when all generated entries were made.
var generated = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// generator makes the entries of a community: the same ones in the same order
// for the same categories, so that a smaller directory is the beginning of a
// larger one.
type generator struct {
	random     *rand.Rand
	categories map[directory.Kind][]directory.Category
	metros     []geo.Metro
	zips       map[geo.Metro][]geo.ZIP
	used       map[string]int // slug → how often
	row        int
}

func newGenerator(categories map[directory.Kind][]directory.Category) *generator {
	g := &generator{random: rand.New(rand.NewPCG(1865, 1921)), categories: categories,
		metros: geo.Builtin().Metros(), zips: map[geo.Metro][]geo.ZIP{}, used: map[string]int{}}
	byCity := map[[2]string]geo.Metro{}
	for _, m := range g.metros {
		byCity[[2]string{m.City, m.Region}] = m
	}
	for code := range 100_000 {
		if z, ok := geo.Builtin().ZIP(fmt.Sprintf("%05d", code)); ok {
			if m, ok := byCity[[2]string{z.City, z.Region}]; ok {
				g.zips[m] = append(g.zips[m], z)
			}
		}
	}
	g.random.Shuffle(len(g.metros), func(i, j int) { g.metros[i], g.metros[j] = g.metros[j], g.metros[i] })
	return g
}

// next makes the next entry.
func (g *generator) next() directory.Input {
	r := g.random
	g.row++
	in := directory.Input{ID: g.id(), Kind: g.kind()}
	category := g.category(in.Kind)
	in.Category = category.Slug
	g.locate(&in)
	in.Name = g.name(in.Kind, category)
	in.Slug = g.slug(in.Name + " " + in.City)
	in.Summary = sentence(r, 8+r.IntN(14))
	if r.IntN(3) == 0 {
		in.Description = "**" + in.Name + ".** " + sentence(r, 18) + " " + sentence(r, 12)
	}
	g.contact(&in)
	g.date(&in)
	if r.IntN(4) == 0 {
		in.Tags = []string{pick(r, prose), strings.ToLower(pick(r, adjectives))}
	}
	if verified := r.IntN(5) == 0; verified {
		in.Verified = &verified
	}
	return in
}

// id is a UUID of version 7 whose time is the entry's number.
func (g *generator) id() string {
	return fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", generated.Unix()/4, g.row>>12&0xffff, g.row&0xfff,
		0x8000|g.random.IntN(0x4000), g.random.Int64N(1<<48))
}

// kind: half of a directory are businesses.
func (g *generator) kind() directory.Kind {
	switch n := g.random.IntN(10); n {
	case 0:
		return directory.KindLandmark
	case 1:
		return directory.KindEvent
	case 2:
		return directory.KindPerson
	case 3, 4:
		return directory.KindService
	default:
		return directory.KindBusiness
	}
}

func (g *generator) category(kind directory.Kind) directory.Category {
	list := g.categories[kind]
	return list[skewed(g.random, len(list))]
}

func (g *generator) family() string {
	return familyName(skewed(g.random, vocabularySize(g.row)))
}

func (g *generator) name(kind directory.Kind, c directory.Category) string {
	r := g.random
	trade := title(c.Slug)
	switch kind {
	case directory.KindPerson:
		return pick(r, givenNames) + " " + g.family()
	case directory.KindLandmark:
		return g.family() + " " + pick(r, landmarks)
	case directory.KindEvent:
		return pick(r, adjectives) + " " + g.family() + " " + pick(r, events)
	case directory.KindService:
		return g.family() + " " + trade + " " + pick(r, suffixes)
	}
	switch r.IntN(4) {
	case 0:
		return g.family() + "'s " + trade
	case 1:
		return g.family() + " & " + g.family() + " " + pick(r, suffixes)
	case 2:
		return "The " + pick(r, adjectives) + " " + trade + " " + pick(r, suffixes)
	default:
		return pick(r, givenNames) + " " + g.family() + " " + trade
	}
}

// title writes a slug as the words of a name.
func title(slug string) string {
	words := strings.Split(slug, "-")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// slug makes ASCII names into slugs, numbered where they repeat.
func (g *generator) slug(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b.WriteRune(c)
		case c == ' ' && b.Len() > 0 && b.String()[b.Len()-1] != '-':
			b.WriteByte('-')
		}
	}
	s := b.String()
	if len(s) > 70 {
		s = strings.TrimRight(s[:70], "-")
	}
	g.used[s]++
	if n := g.used[s]; n > 1 {
		return fmt.Sprintf("%s-%d", s, n)
	}
	return s
}

// locate puts the entry into a metro, the big ones likelier.
func (g *generator) locate(in *directory.Input) {
	r := g.random
	m := g.metros[skewed(r, len(g.metros))]
	in.City, in.Region, in.Country = m.City, m.Region, "US"
	lat, lng := m.Lat, m.Lng
	if zips := g.zips[m]; len(zips) > 0 {
		z := zips[r.IntN(len(zips))]
		in.Zip = z.Code
		if z.Located() {
			lat, lng = z.Lat, z.Lng
		}
	}
	lat, lng = jittered(r, lat), jittered(r, lng)
	in.Lat, in.Lng = &lat, &lng
	in.Address = fmt.Sprintf("%d %s %s", 1+r.IntN(9800), g.family(), pick(r, streets))
}

// jittered moves a coordinate by up to 0.04 degrees and keeps four digits of it.
func jittered(r *rand.Rand, degrees float64) float64 {
	return math.Round(degrees*10_000+float64(r.IntN(800)-400)) / 10_000
}

func (g *generator) contact(in *directory.Input) {
	r := g.random
	if r.IntN(3) > 0 {
		in.Phone = fmt.Sprintf("(%d) 555-%04d", 200+r.IntN(800), r.IntN(10_000))
	}
	if r.IntN(2) == 0 {
		in.Website = "https://" + in.Slug + ".example"
		in.Links = []directory.Link{{Label: "Menu & news", URL: in.Website + "/news"}}
	}
	if r.IntN(4) == 0 {
		in.Email = "hello@" + in.Slug + ".example"
		in.ImageURL = "https://images.example/" + in.Slug + ".jpg"
	}
	if in.Kind == directory.KindBusiness && r.IntN(4) == 0 {
		day := []directory.Span{{"09:00", "17:30"}}
		in.Hours = &directory.Hours{Timezone: "America/New_York", Days: map[string][]directory.Span{"mon": day, "tue": day, "fri": day, "sun": {}}}
	}
}

func (g *generator) date(in *directory.Input) {
	r := g.random
	switch in.Kind {
	case directory.KindEvent:
		start := generated.Add(time.Duration(r.IntN(8000)) * time.Hour)
		end := start.Add(time.Duration(1+r.IntN(48)) * time.Hour)
		in.StartsAt, in.EndsAt = &start, &end
	case directory.KindPerson, directory.KindLandmark:
		from := 1780 + r.IntN(200)
		to := from + 20 + r.IntN(40)
		in.YearStart, in.YearEnd = &from, &to
	}
}
