package web

import (
	"bytes"
	"unicode/utf8"
)

// layoutJSON writes valid JSON with a member or element on each line, as
// json.Indent does with two spaces, and stops at most bytes: a small file that
// is nested deeply takes many times its size. What is cut ends with a line
// where it can; whole tells that nothing was.
func layoutJSON(src []byte, most int) (text string, whole bool) {
	l := jsonLayout{most: most}
	for i := 0; i < len(src) && l.b.Len() <= most; i++ {
		switch c := src[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := stringEnd(src, i)
			l.open()
			l.b.Write(src[i:min(end, i+most+1)])
			i = end - 1
		case '{', '[':
			l.open()
			l.b.WriteByte(c)
			l.depth++
			l.fresh = true
		case '}', ']':
			l.depth--
			if !l.fresh {
				l.newline()
			}
			l.fresh = false
			l.b.WriteByte(c)
		case ',':
			l.b.WriteByte(c)
			l.newline()
		case ':':
			l.b.WriteString(": ")
		default:
			l.open()
			l.b.WriteByte(c)
		}
	}
	if l.b.Len() <= most {
		return l.b.String(), true
	}
	return cutLines(l.b.Bytes()[:most]), false
}

type jsonLayout struct {
	b           bytes.Buffer
	depth, most int
	fresh       bool // an object or array was opened, and nothing stands in it yet
}

// open begins the first line inside of an object or array.
func (l *jsonLayout) open() {
	if l.fresh {
		l.fresh = false
		l.newline()
	}
}

func (l *jsonLayout) newline() {
	l.b.WriteByte('\n')
	for range l.depth {
		l.b.WriteString("  ")
	}
}

// stringEnd is the index after the string that begins at i.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// cutLines drops the last line, which may be half; of a single one the last
// letter, where it is.
func cutLines(b []byte) string {
	if i := bytes.LastIndexByte(b, '\n'); i > 0 {
		return string(b[:i])
	}
	for len(b) > 0 {
		if last, size := utf8.DecodeLastRune(b); last != utf8.RuneError || size > 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return string(b)
}
