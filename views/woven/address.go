package woven

import "strconv"

// Shape is one of the few sizes that covers are served in.
type Shape string

// The shapes of covers.
const (
	Card  Shape = "card"  // 16:9, above a card
	Row   Shape = "row"   // 4:3, beside a row of a list
	Wide  Shape = "wide"  // 21:9, above a page
	Stage Shape = "stage" // 4:3 and large, beside a featured text
	Hero  Shape = "hero"  // 4:5, beside a headline
	Mark  Shape = "mark"  // square and small: a person, a club
	Strip Shape = "strip" // one row of tiles, above and below words
)

// Size in pixels, and the side of a tile; the picture scales to any size.
type Size struct{ Width, Height, Tile int }

var sizes = map[Shape]Size{
	Card:  {320, 180, 40},
	Row:   {200, 150, 50},
	Wide:  {840, 360, 60},
	Stage: {640, 480, 64},
	Hero:  {400, 500, 50},
	Mark:  {96, 96, 32},
	Strip: {1120, 28, 28},
}

// Shapes lists every shape, in no order.
func Shapes() []Shape {
	var all []Shape
	for s := range sizes {
		all = append(all, s)
	}
	return all
}

// Size of a shape; ok is false for a name that is none.
func (s Shape) Size() (size Size, ok bool) {
	size, ok = sizes[s]
	return size, ok
}

// Draw is the cover of a slug in this shape, as a whole SVG file.
func (s Shape) Draw(slug string) string {
	size := sizes[s]
	return Cover(slug, size.Width, size.Height, size.Tile)
}

// Address is where the cover of a slug is served in this shape. What is
// behind it never changes.
func (s Shape) Address(slug string) string {
	return "/covers/" + string(s) + "/" + slug + ".svg?v=" + strconv.Itoa(Version)
}

// BandSeed and BandWidth make the band that runs along the top of every page.
const (
	BandSeed  = "band-12"
	BandWidth = 1344
)
