// Package slugs makes the lowercase, hyphenated names that stand in addresses.
package slugs

import (
	"strconv"
	"strings"

	"github.com/gosimple/slug"

	"homeplace/core"
)

// Make joins the parts into a valid slug, letters of every script rewritten in
// Latin ones. What does not fit into 80 characters is cut at a word. Where
// nothing usable is left, it is fallback, which must be a valid slug itself.
func Make(fallback string, parts ...string) string {
	s := slug.Make(strings.Join(parts, " "))
	s = strings.ReplaceAll(s, "_", "-")
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	s = cut(strings.Trim(s, "-"), core.MaxSlug)
	if !core.ValidSlug(s) {
		return fallback
	}
	return s
}

// Numbered is the slug with a number that tells it from others of its name;
// the first of them carries none.
func Numbered(s string, n int) string {
	if n < 2 {
		return s
	}
	suffix := "-" + strconv.Itoa(n)
	return cut(s, core.MaxSlug-len(suffix)) + suffix
}

// cut shortens to at most max characters, at the last hyphen where there is
// one in the second half.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	s = s[:max]
	if i := strings.LastIndexByte(s, '-'); i > max/2 {
		s = s[:i]
	}
	return strings.Trim(s, "-")
}
