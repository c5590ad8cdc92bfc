// Package text makes what people write comparable for moderation: look-alike
// letters, invisible signs, leetspeak, stretched, spelled-out and masked words
// are read as what they stand for, and every reading knows which bytes of the
// original it comes from.
package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Span is a range of bytes of the original text, its end excluded.
type Span struct{ Start, End int }

// Covers tells whether all of other lies within s.
func (s Span) Covers(other Span) bool { return s.Start <= other.Start && other.End <= s.End }

// Text is a text and its plain form.
type Text struct {
	Original string
	// Plain is lower case, compatibility forms and look-alikes of Latin letters
	// resolved, without accents and invisible signs. Normalising it again
	// changes nothing.
	Plain string

	spans []Span // of each byte of Plain, where it comes from
}

// Span says which bytes of the original became Plain[start:end].
func (t Text) Span(start, end int) Span {
	if start >= end || end > len(t.spans) {
		return Span{}
	}
	return Span{t.spans[start].Start, t.spans[end-1].End}
}

// Normalize makes a text plain, in time linear in its length.
func Normalize(s string) Text {
	plain := make([]byte, 0, len(s))
	spans := make([]Span, 0, len(s))
	for i := 0; i < len(s); {
		size := 1
		if s[i] >= utf8.RuneSelf || i+1 < len(s) && s[i+1] >= utf8.RuneSelf {
			size = max(1, norm.NFKD.NextBoundaryInString(s[i:], true))
		}
		before := len(plain)
		plain = appendPlain(plain, s[i:i+size])
		for range len(plain) - before {
			spans = append(spans, Span{i, i + size})
		}
		i += size
	}
	return Text{Original: s, Plain: string(plain), spans: spans}
}

// appendPlain adds the plain form of a segment that no sign combines across.
func appendPlain(plain []byte, segment string) []byte {
	if len(segment) == 1 && segment[0] < utf8.RuneSelf {
		return appendRune(plain, rune(segment[0]))
	}
	for _, r := range norm.NFKD.String(segment) {
		plain = appendRune(plain, r)
	}
	return plain
}

func appendRune(plain []byte, r rune) []byte {
	switch {
	case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
		return append(plain, '\n')
	case r == '\t' || unicode.Is(unicode.Zs, r):
		return append(plain, ' ')
	case invisible(r):
		return plain
	}
	if letter, ok := enclosed(r); ok {
		return append(plain, letter)
	}
	if twin, ok := twins[r]; ok {
		return append(plain, twin...)
	}
	r = unicode.ToLower(r)
	if twin, ok := twins[r]; ok {
		return append(plain, twin...)
	}
	return utf8.AppendRune(plain, r)
}

// invisible tells control, format and combining signs, and letters that show
// nothing.
func invisible(r rune) bool {
	switch r {
	case 'ᅟ', 'ᅠ', 'ㅤ', 'ﾠ', '⠀':
		return true
	}
	return unicode.In(r, unicode.M, unicode.Cf, unicode.Cc, unicode.Co)
}

// enclosed reads white letters in black circles and squares, which have no
// compatibility form.
func enclosed(r rune) (byte, bool) {
	for _, first := range []rune{'🅐', '🅰'} {
		if first <= r && r < first+26 {
			return 'a' + byte(r-first), true
		}
	}
	return 0, false
}
