package woven

import (
	"image/color"
	"strings"
)

// Layer is one colour of a cloth: its outlines as SVG path commands (M, h, v,
// l, H and z over whole numbers) on a grid of whole units. The first has no path: it fills everything.
type Layer struct {
	Color color.RGBA
	Path  string
}

// Layers is the cloth of Cover for those who draw it themselves, from the
// bottom up, with the width and height of the grid.
func Layers(seed string, w, h, tile int) (layers []Layer, width, height int) {
	c := newCloth(seed, w, h, tile)
	layers = []Layer{{Color: rgb(c.palette[0])}}
	for _, paths := range []*[4]strings.Builder{&c.ground, &c.figure} {
		for i := range paths {
			if paths[i].Len() > 0 {
				layers = append(layers, Layer{rgb(c.palette[i]), paths[i].String()})
			}
		}
	}
	return layers, c.width, c.height
}

// rgb reads a colour such as "#B4472E".
func rgb(hex string) color.RGBA {
	digit := func(i int) uint8 {
		c := hex[i]
		if c >= 'A' {
			return c - 'A' + 10
		}
		return c - '0'
	}
	pair := func(i int) uint8 { return digit(i)<<4 | digit(i+1) }
	return color.RGBA{pair(1), pair(3), pair(5), 255}
}
