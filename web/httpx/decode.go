package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"homeplace/core"
)

// Limits of a body in bytes (CONTRACT.md §1, SERVICE.md §8).
const (
	DefaultBody = 64 << 10
	MaxFileBody = 1 << 20
)

// maxDepth bounds how deep a body may be nested.
const maxDepth = 64

// DecodeJSON reads the body, exactly one JSON object, into the struct that dst
// points to. Unknown fields are ignored. Its errors are *core.Error and say
// what to mend; every field of a wrong type is named at once. String values
// with control characters other than newline and tab are refused, but where
// the field is a json.RawMessage or Verbatim.
func DecodeJSON(r *http.Request, dst any, maxBytes int64) error {
	if err := checkContentType(r); err != nil {
		return err
	}
	body, err := readBody(r, maxBytes)
	if err != nil {
		return err
	}
	return decode(body, dst)
}

// Verbatim is a string field that is taken as it comes, control characters
// included.
type Verbatim string

func decode(body []byte, dst any) error {
	if err := checkObject(body); err != nil {
		return err
	}
	if err := checkTypes(body, dst); err != nil {
		return err
	}
	if err := json.Unmarshal(body, dst); err != nil {
		// checkTypes knows what encoding/json knows but for exotic types.
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) && mismatch.Field != "" {
			return core.InvalidField(mismatch.Field, "%s", expected(mismatch.Type))
		}
		return malformed("The body could not be read as the fields that are expected here.").Wrap(err)
	}
	return nil
}

func checkContentType(r *http.Request) error {
	refuse := func(format string, args ...any) error {
		return &core.Error{Kind: core.UnsupportedMedia, Code: "unsupported_media_type", Msg: fmt.Sprintf(format, args...)}
	}
	given := r.Header.Get("Content-Type")
	if given == "" {
		return refuse("Send the body as JSON, with the header Content-Type: application/json.")
	}
	media, parameters, err := mime.ParseMediaType(given)
	if err != nil || media != "application/json" {
		return refuse("The Content-Type %q is not taken here; send application/json.", given)
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refuse("The character set %q is not taken here; send UTF-8.", charset)
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refuse("The Content-Encoding %q is not taken here; send the body uncompressed.", coding)
	}
	return nil
}

func readBody(r *http.Request, maxBytes int64) ([]byte, error) {
	if r.ContentLength > maxBytes {
		return nil, tooLarge(maxBytes)
	}
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBytes+1))
	var guard *http.MaxBytesError
	switch {
	case errors.As(err, &guard):
		return nil, tooLarge(guard.Limit)
	case err != nil && r.Context().Err() != nil:
		return nil, fmt.Errorf("read body: %w", r.Context().Err())
	case err != nil:
		return nil, (&core.Error{Kind: core.Invalid, Code: "incomplete_body",
			Msg: "The body did not arrive in full. Please send it again."}).Wrap(err)
	case int64(len(body)) > maxBytes:
		return nil, tooLarge(maxBytes)
	}
	return body, nil
}

func tooLarge(maxBytes int64) error {
	size := fmt.Sprintf("%d KiB", maxBytes>>10)
	switch {
	case maxBytes >= 1<<20 && maxBytes%(1<<20) == 0:
		size = fmt.Sprintf("%d MB", maxBytes>>20)
	case maxBytes%(1<<10) != 0:
		size = fmt.Sprintf("%d bytes", maxBytes)
	}
	return &core.Error{Kind: core.TooLarge, Code: "too_large", Msg: "The body is too large; at most " + size + " are taken here."}
}

func malformed(format string, args ...any) *core.Error {
	return &core.Error{Kind: core.Invalid, Code: "malformed_json", Msg: fmt.Sprintf(format, args...)}
}

// checkObject makes sure that body is one JSON object in UTF-8 and nothing
// else.
func checkObject(body []byte) error {
	start := bytes.TrimLeft(body, " \t\r\n")
	if len(start) == 0 {
		return malformed("The body is empty; send one JSON object.")
	}
	if !utf8.Valid(body) {
		return malformed("The body is not valid UTF-8 text (%s).", position(body, invalidAt(body)))
	}
	var raw json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, &raw); errors.As(err, &syntax) {
		return malformed("The body is not valid JSON: %s (%s).", syntax.Error(), position(body, syntax.Offset-1))
	} else if err != nil {
		return malformed("The body is not valid JSON.").Wrap(err)
	}
	if start[0] != '{' {
		return malformed("The body must be one JSON object in braces, not %s.", kindOf(start[0]))
	}
	return nil
}

func kindOf(first byte) string {
	switch first {
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

func invalidAt(body []byte) int64 {
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return int64(i)
		}
		i += size
	}
	return int64(len(body))
}

// position names the byte at offset for a person: lines and bytes count from
// one.
func position(body []byte, offset int64) string {
	before := body[:min(max(offset, 0), int64(len(body)))]
	return fmt.Sprintf("byte %d, line %d", len(before)+1, bytes.Count(before, []byte("\n"))+1)
}
