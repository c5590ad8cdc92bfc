// Package schema checks JSON documents against a JSON Schema (2020-12) that a
// stranger wrote: it loads nothing from anywhere, and neither a nasty schema nor
// a nasty document takes it long.
//
// It stands on github.com/santhosh-tekuri/jsonschema/v6, which knows neither
// contexts nor limits. Whatever it evaluates asks for the format of the value
// first, so there each compiled schema gets a check that counts, looks at the
// clock and gives up. It also takes over the keywords that the library looks at
// before (type, const, enum), and uniqueItems, whose time grows with the square
// of the elements where their hashes collide.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What a schema may be made of, so that compiling one of 64 KiB stays within a
// fraction of a second: the library's time grows with the square of the parts.
const (
	maxParts   = 4_000 // objects and booleans
	maxNesting = 64
	// maxNumber is how many digits a number may have, and how large its exponent
	// may be, in a schema and in what it is checked against: the library
	// computes with every digit.
	maxNumber = 400
)

// TimeLimit is how long Check evaluates before it gives up: some twenty times
// what an ordinary file of 1 MB takes, so that a busy machine refuses none.
const TimeLimit = 2 * time.Second

// address is the name of the schema itself. It cannot be fetched, nor can
// anything that is relative to it.
const (
	base    = "homeplace:///"
	address = base + "schema"
)

// ErrBusy says that the check was given up: the document may or may not fit.
var ErrBusy = errors.New("takes too long to check against its schema")

// Schema is a schema that was found to be good.
type Schema struct {
	value any
	limit time.Duration // TimeLimit, but in tests
}

// Parse checks a schema. Its errors are sentences for its author.
func Parse(text []byte) (*Schema, error) {
	s, err := Stored(text)
	if err != nil {
		return nil, err
	}
	if err := checkParts(s.value); err != nil {
		return nil, err
	}
	_, err = s.compile(newBudget(s.limit))
	return s, err
}

// Stored takes the text of a schema that Parse found good before.
func Stored(text []byte) (*Schema, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return &Schema{value, TimeLimit}, err
}

func checkParts(value any) error {
	if object, ok := value.(map[string]any); ok {
		if dialect, ok := object["$schema"]; ok && dialect != "https://json-schema.org/draft/2020-12/schema" && dialect != "https://json-schema.org/draft/2020-12/schema#" {
			return errors.New(`$schema: must be "https://json-schema.org/draft/2020-12/schema", or left out`)
		}
	}
	parts := 0
	var walk func(value any, depth int) error
	walk = func(value any, depth int) error {
		if depth > maxNesting {
			return fmt.Errorf("is nested more than %d levels deep", maxNesting)
		}
		switch v := value.(type) {
		case map[string]any:
			parts++
			for _, member := range v {
				if err := walk(member, depth+1); err != nil {
					return err
				}
			}
		case []any:
			for _, item := range v {
				if err := walk(item, depth+1); err != nil {
					return err
				}
			}
		case bool:
			parts++
		case json.Number:
			return checkNumber(v)
		}
		if parts > maxParts {
			return fmt.Errorf("has more than %d parts; at most that many objects, true and false may stand in it", maxParts)
		}
		return nil
	}
	return walk(value, 0)
}

// compile makes what Check needs. It is made anew for each check: it costs
// milliseconds, and holds the budget of one check.
func (s *Schema) compile(b *budget) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be understood: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(b.pattern)
	if err := c.AddResource(address, s.value); err != nil {
		return nil, err
	}
	compiled, err = c.Compile(address)
	if err != nil {
		return nil, inWords(err)
	}
	return compiled, b.guard(compiled)
}

// nothing loads nothing.
type nothing struct{}

// Load refuses.
func (nothing) Load(url string) (any, error) { return nil, errElsewhere{url} }

type errElsewhere struct{ url string }

func (e errElsewhere) Error() string {
	return fmt.Sprintf("refers to %q, which is not in it; nothing is fetched, so put it under $defs and refer to it as #/$defs/…", e.url)
}

// inWords turns the library's errors about a schema into sentences.
func inWords(err error) error {
	var elsewhere errElsewhere
	if errors.As(err, &elsewhere) {
		elsewhere.url = strings.TrimPrefix(elsewhere.url, base)
		return elsewhere
	}
	var pointer *jsonschema.JSONPointerNotFoundError
	if errors.As(err, &pointer) {
		return fmt.Errorf("refers to %s, which is not in it", strings.TrimPrefix(pointer.URL, address))
	}
	var wrong *jsonschema.SchemaValidationError
	var failures *jsonschema.ValidationError
	if errors.As(err, &wrong) && errors.As(wrong.Err, &failures) {
		return newMisfit(failures, nil)
	}
	return errors.New(strings.ReplaceAll(err.Error(), address, ""))
}
