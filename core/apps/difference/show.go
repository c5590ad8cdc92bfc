package difference

import (
	"encoding/json"
	"slices"
	"strings"

	"homeplace/core/apps/document"
)

// maxValue is how much of a value is shown, in characters.
const maxValue = 160

// short writes the value as JSON, cut where it gets long.
func short(n *document.Node) string {
	var b strings.Builder
	write(&b, *n)
	return document.Cut(b.String(), maxValue)
}

// write stops soon after the text is long enough to be cut, so that a large
// value costs no more than a small one.
func write(b *strings.Builder, n document.Node) {
	const enough = 4 * maxValue // bytes: no character has more than four
	switch {
	case n.IsObject(), n.IsArray():
		b.WriteByte(n.Text[0])
		for i, child := range n.Children {
			if b.Len() > enough {
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			if n.IsObject() {
				writeText(b, child.Key)
				b.WriteString(": ")
			}
			write(b, child)
		}
		b.WriteByte(n.Text[0] + 2) // the closing one, in ASCII
	case n.IsString():
		writeText(b, n.String())
	default:
		b.Write(n.Text)
	}
}

func writeText(b *strings.Builder, s string) {
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(document.Cut(s, 2*maxValue)) == nil {
		b.WriteString(strings.TrimSuffix(quoted.String(), "\n"))
	}
}

// path is the way to a value, linked from its end; it is put into words only
// for changes that are listed.
type path struct {
	parent *path
	kind   stepKind
	index  int
	node   *document.Node // a member, or the name of an element
}

type stepKind int

const (
	root stepKind = iota
	memberStep
	indexStep
	identityStep
	orderStep // no place of its own, but a remark
)

func (p *path) String() string {
	var steps []string
	for ; p != nil; p = p.parent {
		steps = append(steps, p.step())
	}
	slices.Reverse(steps)
	return document.JoinPath(steps)
}

func (p *path) step() string {
	switch p.kind {
	case indexStep:
		return document.IndexStep(p.index)
	case identityStep:
		return document.IdentityStep(p.node.Key, p.node.String())
	case memberStep:
		return document.MemberStep(p.node.Key)
	case orderStep:
		return " (order)"
	}
	return ""
}
