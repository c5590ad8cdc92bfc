package woven

import (
	"strconv"
	"strings"
)

// shape is a part of a motif inside its tile: a rectangle, or lines as SVG
// path commands after the first corner. Shapes are their own mirror images or
// rectangles, so that mirroring moves them and changes nothing else.
type shape struct {
	x, y, w, h int // for lines, x and w say where the mirror finds the corner
	lines      string
}

func (s shape) draw(b *strings.Builder, x, y int) {
	if s.lines == "" {
		square(b, x, y, s.w, s.h)
		return
	}
	b.WriteString("M" + strconv.Itoa(x) + " " + strconv.Itoa(y) + s.lines)
}

func square(b *strings.Builder, x, y, w, h int) {
	b.WriteString("M" + strconv.Itoa(x) + " " + strconv.Itoa(y) + "h" + strconv.Itoa(w) + "v" + strconv.Itoa(h) + "h-" + strconv.Itoa(w) + "z")
}

func rect(x, y, w, h int) shape { return shape{x: x, y: y, w: w, h: h} }

// motifs are drawn on a tile of 8 by 8 units. An eye is cut out of a figure by
// running against its outline.
var motifs = [...][]shape{
	{rect(0, 0, 8, 2), rect(0, 4, 8, 2)},                                // weft
	{rect(0, 0, 2, 8), rect(4, 0, 2, 8)},                                // warp
	{{x: 4, lines: "l4 4l-4 4l-4-4zm-1 3v2h2v-2z"}},                     // diamond
	{{x: 2, w: 4, lines: "h4v2h2v4h-2v2h-4v-2h-2v-4h2zm1 3v2h2v-2z"}},   // cross
	{{w: 8, lines: "h8l-4 4l4 4h-8l4-4z"}},                              // hourglass
	{{w: 8, lines: "h8v8h-8zm1 1v6h6v-6z"}, rect(3, 3, 2, 2)},           // window
	{{x: 4, lines: "l4 4l-4-2l-4 2z"}, {x: 4, y: 4, lines: "l4 4h-8z"}}, // roofs
	{ // checks
		rect(2, 0, 2, 2), rect(6, 0, 2, 2), rect(0, 2, 2, 2), rect(4, 2, 2, 2),
		rect(2, 4, 2, 2), rect(6, 4, 2, 2), rect(0, 6, 2, 2), rect(4, 6, 2, 2),
	},
}
