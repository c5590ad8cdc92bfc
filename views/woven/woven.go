// Package woven draws the ornament of the pages: bands and covers of woven
// geometric tiles, mirrored about their middle, that grow from a seed. The
// same seed gives the same cloth on every machine and in every release with
// the same Version.
package woven

import (
	"strconv"
	"strings"
)

// Version grows whenever a seed gives another picture. It belongs into the
// addresses of pictures that browsers may keep for ever.
const Version = 1

// Bounds of a picture, in pixels. What lies outside is moved to the bound, so
// that no caller can ask for endless work.
const (
	maxSide  = 2400
	minTile  = 8
	maxTiles = 2048
)

// palettes hold four colours each that stand well beside one another in both
// themes. They are the colours of the pages and two of their darker shades.
var palettes = [...][4]string{
	{"#B4472E", "#C98A1B", "#1E1A16", "#F2EADD"},
	{"#1F6B4A", "#C98A1B", "#1E1A16", "#F2EADD"},
	{"#2E3A87", "#C98A1B", "#B4472E", "#F2EADD"},
	{"#1E1A16", "#B4472E", "#1F6B4A", "#E9C877"},
	{"#8F3420", "#2E3A87", "#E9C877", "#FAF6EF"},
	{"#14503A", "#B4472E", "#E9C877", "#FAF6EF"},
}

// Cover draws a cloth of w by h pixels from tiles of the given side. It fills
// the box that it is put into, cut at the edges and never stretched, and says
// nothing to a screen reader.
func Cover(seed string, w, h, tile int) string {
	c := newCloth(seed, w, h, tile)
	return c.svg(`preserveAspectRatio="xMidYMid slice" `)
}

// Band draws one row of small tiles, w pixels long, that may be repeated end
// to end: each end mirrors the other.
func Band(seed string, w int) string {
	const side = 28
	c := newCloth(seed, w, side, side)
	return c.svg("")
}

// cloth is a picture on a grid of whole numbers: a tile is unit wide, so that
// all its corners are integers and the paths stay short.
type cloth struct {
	width, height int // of the picture, in units
	columns, rows int
	palette       [4]string
	// Path data by colour.
	ground, figure [4]strings.Builder
}

const unit = 8

func newCloth(seed string, w, h, tile int) *cloth {
	w, h = min(max(w, 1), maxSide), min(max(h, 1), maxSide)
	tile = max(tile, minTile)
	for ceil(w, tile)*ceil(h, tile) > maxTiles {
		tile *= 2
	}
	r := newDice(seed)
	c := &cloth{width: w * unit / tile, height: h * unit / tile, palette: palettes[r.roll(len(palettes))]}
	c.width, c.height = max(c.width, 1), max(c.height, 1)
	c.columns, c.rows = ceil(c.width, unit), ceil(c.height, unit)
	c.weave(r)
	return c
}

// cell is one tile: which motif, in which colour on which ground.
type cell struct{ motif, ground, figure int }

// weave repeats a few rows of tiles downwards and mirrors each about its
// middle. A cloth uses four of the motifs, which keeps it calm.
func (c *cloth) weave(r *dice) {
	chosen := r.choose(len(motifs), 4)
	half := ceil(c.columns, 2)
	pattern := make([][]cell, 3+r.roll(2))
	for y := range pattern {
		pattern[y] = make([]cell, half)
		for x := range pattern[y] {
			ground := r.roll(4)
			pattern[y][x] = cell{chosen[r.roll(len(chosen))], ground, (ground + 1 + r.roll(3)) % 4}
		}
	}
	for y := range c.rows {
		row := pattern[y%len(pattern)]
		for x := range c.columns {
			mirrored := x >= half
			source := x
			if mirrored {
				source = c.columns - 1 - x
			}
			c.tile(x, y, row[source], mirrored)
		}
	}
}

func (c *cloth) tile(x, y int, t cell, mirrored bool) {
	// The first colour lies under everything already.
	if t.ground != 0 {
		square(&c.ground[t.ground], x*unit, y*unit, unit, unit)
	}
	flip := func(left, width int) int {
		if mirrored {
			left = unit - left - width
		}
		return x*unit + left
	}
	for _, s := range motifs[t.motif] {
		s.draw(&c.figure[t.figure], flip(s.x, s.w), y*unit+s.y)
	}
}

// svg writes one path for each colour of the ground and, above it, one for
// each colour of the figures.
func (c *cloth) svg(aspect string) string {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `)
	b.WriteString(strconv.Itoa(c.width) + " " + strconv.Itoa(c.height) + `" ` + aspect + `aria-hidden="true">`)
	b.WriteString(`<path fill="` + c.palette[0] + `" d="M0 0h` + strconv.Itoa(c.width) + "v" + strconv.Itoa(c.height) + `H0z"/>`)
	for _, layer := range []*[4]strings.Builder{&c.ground, &c.figure} {
		for i := range layer {
			if layer[i].Len() > 0 {
				b.WriteString(`<path fill="` + c.palette[i] + `" d="` + layer[i].String() + `"/>`)
			}
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

func ceil(a, b int) int { return (a + b - 1) / b }
