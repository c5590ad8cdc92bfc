package apps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"homeplace/core"
)

// MaxFileBytes is the size of the largest data file (SERVICE.md §8).
const MaxFileBytes = 1 << 20

// MaxNesting is how deep objects and arrays may stand in each other (CONTRACT.md
// §3).
const MaxNesting = 64

// contentOf is what is stored of the value that was sent: an object or array as
// it stands, of a string its text. Errors: as of checkContent.
func contentOf(sent json.RawMessage) ([]byte, error) {
	sent = bytes.TrimSpace(sent)
	switch {
	case len(sent) == 0, string(sent) == "null":
		return nil, core.InvalidField("content", "is required: the JSON object or array of the file, or a string that holds one")
	case sent[0] != '"':
		return sent, checkContent(sent)
	}
	var text string
	if err := json.Unmarshal(sent, &text); err != nil {
		return nil, core.InvalidField("content", "is a string that cannot be read: %v", err)
	}
	if hasLoneSurrogate(sent) {
		return nil, core.InvalidField("content", "is a string with half of a surrogate pair in it, which no text can hold; send both halves")
	}
	return []byte(text), checkContent([]byte(text))
}

// checkContent tells why the bytes cannot be a data file. Errors: TooLarge;
// Invalid at the field "content", with line and column.
func checkContent(content []byte) error {
	if len(content) > MaxFileBytes {
		return &core.Error{Kind: core.TooLarge, Code: "too_large",
			Msg: fmt.Sprintf("This file has %d bytes; at most %d (1 MB) are taken.", len(content), MaxFileBytes)}
	}
	if msg := contentProblem(content); msg != "" {
		return core.InvalidField("content", "%s", msg)
	}
	return nil
}

func contentProblem(content []byte) string {
	if !utf8.Valid(content) {
		return at(content, firstInvalid(content)) + "is not valid UTF-8 text"
	}
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return "begins with a byte order mark; save it as UTF-8 without one"
	}
	start := len(content) - len(bytes.TrimLeft(content, " \t\r\n"))
	switch {
	case start == len(content):
		return "is empty; it must be a JSON object or array"
	case content[start] != '{' && content[start] != '[':
		return at(content, start) + "must be a JSON object or array, beginning with { or ["
	}
	if deep := tooDeep(content); deep >= 0 {
		return at(content, deep) + fmt.Sprintf("is nested more than %d levels deep", MaxNesting)
	}
	var raw json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(content, &raw); errors.As(err, &syntax) {
		return syntaxProblem(content, syntax)
	} else if err != nil {
		return err.Error()
	}
	return ""
}

// syntaxHints say what is amiss where the parser stumbled, by what it says.
var syntaxHints = []struct{ said, hint string }{
	{"looking for beginning of object key string", "a name in double quotes should stand here; a comma before } is one too many"},
	{"looking for beginning of value", "a value should stand here"},
	{"after object key:value pair", "a comma or } is missing here"},
	{"after object key", "a colon is missing after the name"},
	{"after array element", "a comma or ] is missing here"},
	{"after top-level value", "something follows after the end of the document"},
	{"in string literal", "a control character must be escaped in a string: \\n for a new line, \\t for a tab"},
	{"in string escape code", "there is no such escape; write \\\\ for a backslash"},
	{"hexadecimal character escape", "\\u needs four hexadecimal digits"},
	{"in literal", "only true, false and null stand without quotes"},
	{"in numeric literal", "this is not how JSON writes a number"},
	{"in exponent of numeric literal", "this is not how JSON writes a number"},
	{"after decimal point in numeric literal", "a digit must follow the decimal point"},
}

func syntaxProblem(content []byte, e *json.SyntaxError) string {
	said := e.Error()
	if strings.HasPrefix(said, "unexpected end") {
		return at(content, len(content)) + "ends too early: a bracket, brace or quote is not closed"
	}
	place := max(int(e.Offset)-1, 0) // Offset counts the byte that does not fit
	for _, h := range syntaxHints {
		if strings.Contains(said, h.said) {
			return at(content, place) + h.hint
		}
	}
	return at(content, place) + said
}

// at names a place in the text as an editor does, columns in characters.
func at(content []byte, offset int) string {
	before := content[:min(offset, len(content))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("line %d, column %d: ", line, column)
}

func firstInvalid(content []byte) int {
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(content)
}

// tooDeep is where the text, JSON or not, opens one bracket more than
// MaxNesting; -1 where it does not.
func tooDeep(content []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > MaxNesting {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// hasLoneSurrogate looks through a valid JSON string: decoding would replace
// half a pair silently.
func hasLoneSurrogate(quoted []byte) bool {
	low := -1 // where the second half of a pair must begin
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '\\' {
			continue
		}
		if quoted[i+1] != 'u' {
			i++
			continue
		}
		unit, _ := strconv.ParseUint(string(quoted[i+2:i+6]), 16, 16)
		switch second := unit >= 0xDC00 && unit < 0xE000; {
		case second != (low == i):
			return true
		case unit >= 0xD800 && unit < 0xDC00:
			low = i + 6
			if low+1 >= len(quoted) || quoted[low] != '\\' || quoted[low+1] != 'u' {
				return true
			}
		}
		i += 5
	}
	return false
}
