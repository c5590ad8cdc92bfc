// Package document reads JSON as data: with every digit of its numbers, and
// with hashes that are the same for the same data, however it is written.
//
// It has a parser of its own because encoding/json gives each number and string
// an allocation or two: a comparison of two files of 1 MB took seconds.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Node is a value in a document.
type Node struct {
	Key      string // of a member
	Text     []byte // as it is written
	Hash     uint64 // equal data, equal hash; holds for this process
	Children []Node // members of an object by their keys, elements of an array
}

// IsObject tells whether the value is an object.
func (n Node) IsObject() bool { return n.Text[0] == '{' }

// IsArray tells whether the value is an array.
func (n Node) IsArray() bool { return n.Text[0] == '[' }

// IsString tells whether the value is a string.
func (n Node) IsString() bool { return n.Text[0] == '"' }

// IsNumber tells whether the value is a number.
func (n Node) IsNumber() bool { return n.Text[0] == '-' || '0' <= n.Text[0] && n.Text[0] <= '9' }

// String is the text of a string, and any other value as it is written.
func (n Node) String() string {
	if n.IsString() {
		return textOf(n.Text)
	}
	return string(n.Text)
}

// Member finds a member of an object.
func (n Node) Member(key string) (Node, bool) {
	i, ok := slices.BinarySearchFunc(n.Children, key, func(m Node, key string) int { return strings.Compare(m.Key, key) })
	if !ok {
		return Node{}, false
	}
	return n.Children[i], true
}

// Parse reads one JSON document. Of members with the same name the last counts.
func Parse(text []byte) (Node, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return Node{}, errors.New("is not JSON")
	}
	p := parser{text: text}
	return p.value(), nil
}

// parser reads text that is known to be JSON.
type parser struct {
	text  []byte
	at    int
	stack []Node // children of the containers that are open
}

// space skips what separates values: white space, colons and commas.
func (p *parser) space() byte {
	for {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			p.at++
		default:
			return c
		}
	}
}

// ends are what a number or a word ends at.
var ends = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ']': true, '}': true}

func (p *parser) value() Node {
	switch c := p.space(); c {
	case '{', '[':
		return p.container(c)
	case '"':
		text := p.quoted()
		return Node{Text: text, Hash: hashText(text)}
	}
	start := p.at
	for p.at < len(p.text) && !ends[p.text[p.at]] {
		p.at++
	}
	n := Node{Text: p.text[start:p.at]}
	if n.IsNumber() {
		n.Hash = hashNumber(string(n.Text))
	} else {
		n.Hash = mix('w', uint64(n.Text[0]), 0)
	}
	return n
}

func (p *parser) container(open byte) Node {
	start, bottom := p.at, len(p.stack)
	p.at++
	for c := p.space(); c != '}' && c != ']'; c = p.space() {
		var key string
		if open == '{' {
			key = textOf(p.quoted())
		}
		child := p.value()
		child.Key = key
		p.stack = append(p.stack, child)
	}
	p.at++
	n := Node{Text: p.text[start:p.at], Children: slices.Clone(p.stack[bottom:])}
	p.stack = p.stack[:bottom]
	if open == '{' {
		n.Children = members(n.Children)
		n.Hash = hashObject(n.Children)
	} else {
		n.Hash = hashArray(n.Children)
	}
	return n
}

// members sorts by key and keeps the last of each.
func members(list []Node) []Node {
	if !slices.IsSortedFunc(list, byKey) {
		slices.SortStableFunc(list, byKey)
	}
	kept := list[:0]
	for i, m := range list {
		if i+1 == len(list) || list[i+1].Key != m.Key {
			kept = append(kept, m)
		}
	}
	return kept
}

func byKey(a, b Node) int { return strings.Compare(a.Key, b.Key) }

// quoted is a string as it is written, with its quotes.
func (p *parser) quoted() []byte {
	start := p.at
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	return p.text[start:p.at]
}

func textOf(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return string(quoted) // does not come about: it was valid
	}
	return s
}
