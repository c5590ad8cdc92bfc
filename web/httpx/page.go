package httpx

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeplace/core"
)

// Next is the absolute address of the page after this one, or nil on the last.
// It keeps the parameters that q was asked for, in sorted order, and drops the
// ones that nobody knows.
func (a Addresses) Next(r *http.Request, q *Query, page core.Page, total int) *string {
	offset := page.Offset + page.Limit
	if page.Limit < 1 || offset >= total || offset > core.MaxOffset {
		return nil
	}
	var b strings.Builder
	b.WriteString(a.base)
	b.WriteString(r.URL.EscapedPath())
	separator := byte('?')
	add := func(name, value string) {
		b.WriteByte(separator)
		separator = '&'
		b.WriteString(url.QueryEscape(name))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(value))
	}
	for _, name := range q.nextNames() {
		switch name {
		case "limit":
			add(name, strconv.Itoa(page.Limit))
		case "offset":
			add(name, strconv.Itoa(offset))
		default:
			for _, value := range q.values(name) {
				add(name, value)
			}
		}
	}
	next := b.String()
	return &next
}

func (q *Query) nextNames() []string {
	names := append(q.Asked(), "limit", "offset")
	slices.Sort(names)
	return slices.Compact(names)
}

// LinkNext repeats the address of the next page as a Link header; nil adds
// none.
func (a *Answer) LinkNext(next *string) {
	if next != nil {
		a.SetHeader("Link", "<"+*next+`>; rel="next"`)
	}
}
