package web

import (
	"net/http"
	"strconv"

	"homeplace/core"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// maxListPage bounds how deep a list can be paged.
const maxListPage = 100_000

// pageNumber reads ?page=, from 1. What is no number of a page counts as the
// first.
func pageNumber(q *httpx.Query) int {
	n, err := strconv.Atoi(lenient(q, "page"))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxListPage)
}

// numberedPage reads ?page=, from 1. Errors: Invalid.
func numberedPage(r *http.Request, limit int) (page core.Page, number int, err error) {
	q := httpx.ParseQuery(r)
	number = q.Int("page", 1, core.MaxOffset/limit, 1)
	return core.Page{Limit: limit, Offset: (number - 1) * limit}, number, q.Err()
}

// pagesOf is how many pages of a size a list fills.
func pagesOf(total, size int) int { return (total + size - 1) / size }

// pagerOf leads through a list of total rows whose pages are at path.
func pagerOf(path string, number, total int, page core.Page) ui.PagerProps {
	return ui.PagerProps{Page: number, Pages: pagesOf(total, page.Limit), Href: func(n int) string { return pageAddress(path, n) }}
}

// pageAddress is where page n of the list at path is.
func pageAddress(path string, n int) string {
	if n == 1 {
		return path
	}
	return path + "?page=" + strconv.Itoa(n)
}

// rangeOf says which rows of how many a page shows: "1–50 of 312 neighbours",
// or "312 neighbours" where it shows all.
func rangeOf(page core.Page, shown, total int, noun string) string {
	if total != 1 {
		noun += "s"
	}
	of := " of " + thousands(total) + " " + noun
	switch shown {
	case total:
		return thousands(total) + " " + noun
	case 1:
		return thousands(page.Offset+1) + of
	}
	return thousands(page.Offset+1) + "–" + thousands(page.Offset+shown) + of
}
