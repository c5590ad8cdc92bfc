// Package ui holds the parts that pages are made of. Every part is a templ
// component with a props struct (or a few plain arguments) of values that are
// ready to be shown; a part decides nothing and looks nothing up. All of them
// read and work without JavaScript; what app.js adds hangs on data attributes.
//
// /kit shows each part in all its states (package web, development only).
package ui

import "strings"

// Link is a link with its words.
type Link struct {
	Text, Href string
	Current    bool   // this is where the reader is
	Count      string // a number beside the text, such as "312"; may be empty
}

// current is the aria-current of a link.
func current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// or is the first of the texts that is not empty.
func or(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// describedBy joins the ids of a control's help and error, in the order in
// which they are read out.
func describedBy(id, help, err string) string {
	var ids []string
	if err != "" {
		ids = append(ids, id+"-error")
	}
	if help != "" {
		ids = append(ids, id+"-help")
	}
	return strings.Join(ids, " ")
}
