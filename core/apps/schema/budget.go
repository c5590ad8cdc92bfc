package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeplace/core/apps/document"
)

// Limits of one check beside the time.
const (
	// maxMisfits bounds what the library keeps: each takes some 200 bytes.
	maxMisfits = 300_000
	// maxPattern is how many instructions a pattern may compile to, and
	// maxMatching how many may be run in all: matching takes instructions times
	// characters, and cannot be interrupted.
	maxPattern  = 2_000
	maxMatching = 50_000_000
)

// budget is what one check may still use. Where it is used up it panics with
// ErrBusy, because nothing else stops the library; check recovers.
type budget struct {
	deadline time.Time
	misfits  int
	matching int
}

func newBudget(limit time.Duration) *budget { return &budget{deadline: time.Now().Add(limit)} }

func (b *budget) step() {
	if time.Now().After(b.deadline) {
		panic(ErrBusy)
	}
}

func (b *budget) misfit(err error) error {
	if b.misfits++; b.misfits > maxMisfits {
		panic(ErrBusy)
	}
	return err
}

// Reasons that take the place of the library's.
var (
	errNotListed = errors.New("is not one of the values that are allowed")
	errNotOnly   = errors.New("is not the one value that is allowed")
	errRepeated  = errors.New("has the same element twice")
	errNever     = errors.New("must not be there")
)

// guard gives every schema that evaluation can reach its check.
func (b *budget) guard(root *jsonschema.Schema) error {
	seen := map[*jsonschema.Schema]bool{root: true}
	waiting := []*jsonschema.Schema{root}
	for len(waiting) > 0 {
		s := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if s.DynamicRef != nil || s.RecursiveRef != nil {
			return errors.New("$dynamicRef is for schemas that others extend; use $ref")
		}
		for _, part := range parts(s) {
			if part != nil && !seen[part] {
				seen[part] = true
				waiting = append(waiting, part)
			}
		}
		b.watch(s)
	}
	return nil
}

// checked is the name of the format that watch sets.
const checked = "checked"

// watch puts the check where the library looks first: at the format.
func (b *budget) watch(s *jsonschema.Schema) {
	never := s.Bool != nil && !*s.Bool
	if s.Bool != nil && *s.Bool {
		return
	}
	types, listed, only, unique := kindsOf(s.Types), hashes(s.Enum), s.Const, s.UniqueItems
	s.Bool, s.Types, s.Enum, s.Const, s.UniqueItems = nil, nil, nil, nil, false
	s.Format = &jsonschema.Format{Name: checked, Validate: func(value any) error {
		b.step()
		switch {
		case never:
			return b.misfit(errNever)
		case types != nil && !types.allow(value):
			return b.misfit(wrongKind{types, value})
		case only != nil && document.HashOf(*only) != document.HashOf(value):
			return b.misfit(errNotOnly)
		case listed != nil && !listed[document.HashOf(value)]:
			return b.misfit(errNotListed)
		case unique && repeats(value):
			return b.misfit(errRepeated)
		}
		return nil
	}}
}

// kinds are the types of JSON that a value may have.
type kinds []string

func kindsOf(t *jsonschema.Types) kinds {
	if t == nil {
		return nil
	}
	return t.ToStrings()
}

func (k kinds) allow(value any) bool {
	kind := kindOf(value)
	if slices.Contains(k, kind) {
		return true
	}
	n, ok := value.(json.Number)
	return ok && slices.Contains(k, "integer") && document.IsWhole(string(n))
}

func kindOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// wrongKind says which types were wanted.
type wrongKind struct {
	want kinds
	got  any
}

func (e wrongKind) Error() string {
	return fmt.Sprintf("must be %s, not %s", either(e.want), article(kindOf(e.got)))
}

func hashes(e *jsonschema.Enum) map[uint64]bool {
	if e == nil {
		return nil
	}
	set := make(map[uint64]bool, len(e.Values))
	for _, value := range e.Values {
		set[document.HashOf(value)] = true
	}
	return set
}

func repeats(value any) bool {
	items, _ := value.([]any)
	seen := make(map[uint64]bool, len(items))
	for _, item := range items {
		hash := document.HashOf(item)
		if seen[hash] {
			return true
		}
		seen[hash] = true
	}
	return false
}

// parts are the schemas that s is made of.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains,
		s.Items2020, s.UnevaluatedItems, s.ContentSchema}
	for _, group := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		list = append(list, group...)
	}
	for _, group := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, part := range group {
			list = append(list, part)
		}
	}
	for _, part := range s.PatternProperties {
		list = append(list, part)
	}
	for _, part := range s.Dependencies {
		if one, ok := part.(*jsonschema.Schema); ok {
			list = append(list, one)
		}
	}
	for _, part := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch part := part.(type) {
		case *jsonschema.Schema:
			list = append(list, part)
		case []*jsonschema.Schema:
			list = append(list, part...)
		}
	}
	return list
}

// pattern is the library's engine of regular expressions.
func (b *budget) pattern(text string) (jsonschema.Regexp, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxPattern {
		return nil, fmt.Errorf("the pattern %s is too large to be checked quickly", document.Cut(text, 40))
	}
	compiled, err := regexp.Compile(text)
	return &pattern{compiled, b, len(program.Inst)}, err
}

type pattern struct {
	*regexp.Regexp
	budget *budget
	size   int
}

// MatchString counts before it matches.
func (p *pattern) MatchString(s string) bool {
	if p.budget.matching += p.size * (len(s) + 1); p.budget.matching > maxMatching {
		panic(ErrBusy)
	}
	return p.Regexp.MatchString(s)
}

// checkNumber keeps numbers out that take long to compute with.
func checkNumber(n json.Number) error {
	digits, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	e, err := strconv.Atoi(exponent)
	if len(digits) > maxNumber || exponent != "" && (err != nil || e > maxNumber || e < -maxNumber) {
		return fmt.Errorf("has a number that is too long or too large to be checked: %s", document.Cut(string(n), 40))
	}
	return nil
}
