package document

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxKey is how much of a member's name a path shows, in characters.
const maxKey = 60

var plainKey = regexp.MustCompile(`^[\pL_$][\pL\pN_$-]*$`)

// MemberStep is a step of a path into an object, such as .name or ["two words"].
// A path that begins with one is shown without its first dot; see JoinPath.
func MemberStep(key string) string {
	if short := Cut(key, maxKey); plainKey.MatchString(key) {
		return "." + short
	} else {
		return "[" + strconv.Quote(short) + "]"
	}
}

// IndexStep is a step of a path into an array, such as [3].
func IndexStep(i int) string { return "[" + strconv.Itoa(i) + "]" }

// IdentityStep is a step to the element whose member says who it is, such as
// [id=12].
func IdentityStep(key, value string) string {
	return "[" + key + "=" + Cut(value, maxKey) + "]"
}

// JoinPath is the path of the steps; "" is the whole document.
func JoinPath(steps []string) string { return strings.TrimPrefix(strings.Join(steps, ""), ".") }

// Cut shortens a text to at most most characters, an ellipsis included.
func Cut(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	count := 0
	for i := range s {
		if count == most-1 {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
