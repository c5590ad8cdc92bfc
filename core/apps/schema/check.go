package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"homeplace/core/apps/document"
)

// MaxFailures is how many failures Check lists.
const MaxFailures = 20

// maxCollected is how many failures are gathered, to list the first of them.
const maxCollected = 1_000

// Failure is one place of a document that does not fit.
type Failure struct {
	Path   string // such as places[3].name; "" is the whole document
	Reason string // such as "is missing"
}

// String joins both.
func (f Failure) String() string {
	if f.Path == "" {
		return "the document " + f.Reason
	}
	return f.Path + " " + f.Reason
}

// Misfit says where a document does not fit its schema.
type Misfit struct {
	Failures []Failure // at most MaxFailures, in the order of the paths
	Total    int
}

// Error joins the first failures.
func (m *Misfit) Error() string {
	parts := make([]string, min(3, len(m.Failures)))
	for i := range parts {
		parts[i] = m.Failures[i].String()
	}
	if more := m.Total - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// Check tells whether the JSON document fits. Errors: *Misfit; ErrBusy.
func (s *Schema) Check(content []byte) (err error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		return err
	}
	if f := oddNumber(value, nil); f != nil {
		return &Misfit{Failures: []Failure{*f}, Total: 1}
	}
	b := newBudget(s.limit)
	compiled, err := s.compile(b)
	if err != nil {
		return fmt.Errorf("compile schema: %w", err)
	}
	defer func() {
		if r := recover(); r == ErrBusy {
			err = ErrBusy
		} else if r != nil {
			panic(r)
		}
	}()
	var failures *jsonschema.ValidationError
	if err := compiled.Validate(value); errors.As(err, &failures) {
		return newMisfit(failures, value)
	} else if err != nil {
		return fmt.Errorf("check against the schema: %w", err)
	}
	return nil
}

// oddNumber finds a number that would take long to compute with.
func oddNumber(value any, path []string) *Failure {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if f := oddNumber(member, append(path, document.MemberStep(key))); f != nil {
				return f
			}
		}
	case []any:
		for i, item := range v {
			if f := oddNumber(item, append(path, document.IndexStep(i))); f != nil {
				return f
			}
		}
	case json.Number:
		if err := checkNumber(v); err != nil {
			return &Failure{document.JoinPath(path), err.Error()}
		}
	}
	return nil
}

// newMisfit puts the library's failures in order. value is the document, or nil
// where steps that look like numbers may be taken for indexes.
func newMisfit(e *jsonschema.ValidationError, value any) *Misfit {
	found := &failures{}
	found.walk(e, value)
	slices.SortFunc(found.list, func(a, b placed) int {
		return cmp.Or(slices.Compare(a.order, b.order), strings.Compare(a.Reason, b.Reason))
	})
	m := &Misfit{Total: found.total}
	for i, f := range found.list {
		if i > 0 && f.Failure == found.list[i-1].Failure { // found in two ways
			m.Total--
		} else if len(m.Failures) < MaxFailures {
			m.Failures = append(m.Failures, f.Failure)
		}
	}
	return m
}

// failures are those gathered, and how many there are.
type failures struct {
	list  []placed
	total int
}

// placed is a failure with its path in a form that sorts as people count.
type placed struct {
	Failure
	order []string
}

// walk goes down to what a person can mend.
func (f *failures) walk(e *jsonschema.ValidationError, value any) {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			f.walk(cause, value)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			f.add(e, value, document.MemberStep(name), "is missing")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			f.add(e, value, document.MemberStep(name), "is not expected here")
		}
	default:
		f.add(e, value, "", reason(e))
	}
}

func (f *failures) add(e *jsonschema.ValidationError, value any, step, reason string) {
	if f.total++; len(f.list) < maxCollected {
		path, order := steps(e.InstanceLocation, value)
		f.list = append(f.list, placed{Failure{document.JoinPath(append(path, step)), reason}, append(order, step)})
	}
}

// steps writes a location as the steps of a path, and as what they sort by;
// whether a step is an index only the document tells.
func steps(location []string, value any) (path, order []string) {
	for _, token := range location {
		index, err := strconv.Atoi(token)
		items, isArray := value.([]any)
		object, isObject := value.(map[string]any)
		value = nil
		if err == nil && !isObject {
			if isArray && index < len(items) {
				value = items[index]
			}
			path, order = append(path, document.IndexStep(index)), append(order, fmt.Sprintf("[%09d]", index))
			continue
		}
		value = object[token]
		path, order = append(path, document.MemberStep(token)), append(order, document.MemberStep(token))
	}
	return path, order
}
