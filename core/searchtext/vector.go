package searchtext

import (
	"strconv"
	"strings"
)

// Weight says which part of a thing a word stands in, in PostgreSQL's terms.
type Weight byte

// The weights of a vector.
const (
	InName     Weight = 'A'
	InCategory Weight = 'B' // category, tags
	InPlace    Weight = 'C' // city, region
	InText     Weight = 'D' // summary, address
)

// maxVectorWords bounds how many words of one text are indexed: a tsvector
// position ends at 16,383, and a rank says nothing past that.
const maxVectorWords = 4000

// Vector builds a tsvector literal: each word and its stem, with position and
// weight. Parts are set apart by a gap, so that no phrase spans two of them.
type Vector struct {
	text     strings.Builder
	position int
}

// Add appends the words of a text.
func (v *Vector) Add(text string, w Weight) {
	for i, word := range Words(text) {
		if i >= maxVectorWords || v.position > 16000 {
			break
		}
		v.position++
		v.lexeme(word, w)
		if stem := Stem(word); stem != word {
			v.lexeme(stem, w)
		}
	}
	v.position += 2
}

func (v *Vector) lexeme(word string, w Weight) {
	if v.text.Len() > 0 {
		v.text.WriteByte(' ')
	}
	v.text.WriteByte('\'')
	v.text.WriteString(word)
	v.text.WriteString("':")
	v.text.WriteString(strconv.Itoa(v.position))
	v.text.WriteByte(byte(w))
}

// String is the literal, to be cast to tsvector. Words hold letters, digits
// and marks only, so nothing in it needs escaping.
func (v *Vector) String() string { return v.text.String() }
