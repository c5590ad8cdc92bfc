// Package ui is the kit that pages are built from.
package ui

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
)

// motifs are drawn on a cell of 40 by 40, over a ground.
var motifs = []string{
	"M0 0h8v40H0zM16 0h8v40h-8zM32 0h8v40h-8z", // stripes upright
	"M0 4h40v8H0zM0 20h40v8H0zM0 36h40v4H0z",   // stripes across
	"M0 0h10v10H0zM20 0h10v10H20zM10 10h10v10H10zM30 10h10v10H30zM0 20h10v10H0zM20 20h10v10H20zM10 30h10v10H10zM30 30h10v10H30z", // checks
	"M20 2l18 18-18 18L2 20zM15 15v10h10V15z", // diamond with an eye
	"M0 20L20 0l20 20v14L20 14 0 34z",         // chevron
	"M0 0h40L20 20zM0 40h40L20 20z",           // hourglass
}

// wovenCell is one square of a cloth: classes of its ground and its figure.
type wovenCell struct {
	x, y           int
	ground, figure string
	path           string
}

func (c wovenCell) move() string {
	return "translate(" + strconv.Itoa(c.x) + " " + strconv.Itoa(c.y) + ")"
}

// weave draws a cloth of columns by rows cells in some of the five colours for
// a name: the same name gives the same cloth, mirrored at its middle like
// strips sewn together.
func weave(name string, columns, rows, colours int) []wovenCell {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	var threads []string
	for _, colour := range r.Perm(5)[:colours] {
		threads = append(threads, "w"+strconv.Itoa(colour+1))
	}
	var cells []wovenCell
	half := (columns + 1) / 2
	for column := range half {
		first, second := r.IntN(len(motifs)), r.IntN(len(motifs)) // a strip repeats two motifs
		thread := threads[column%len(threads)]
		for row := range rows {
			motif := motifs[first]
			if row%2 == 1 {
				motif = motifs[second]
			}
			c := wovenCell{x: column * 40, y: row * 40, ground: "w0", figure: thread, path: motif}
			if (column+row)%3 == 2 {
				c.ground, c.figure = thread, "w0"
			}
			cells = append(cells, c)
			if mirrored := columns - 1 - column; mirrored != column {
				c.x = mirrored * 40
				cells = append(cells, c)
			}
		}
	}
	return cells
}
