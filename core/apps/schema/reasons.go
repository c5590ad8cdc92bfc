package schema

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"homeplace/core/apps/document"
)

var english = message.NewPrinter(language.English)

// reason says in words why a value does not fit. What has no words here keeps
// the library's.
func reason(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, not %s", either(k.Want), article(k.Got))
	case *kind.Format:
		if k.Want == checked {
			return k.Err.Error()
		}
	case *kind.Enum: // of the standard's own schema, which is not guarded
		return errNotListed.Error()
	case *kind.Pattern:
		return fmt.Sprintf("must have the form %s", document.Cut(k.Want, 80))
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters, has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, has %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d elements, has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d elements, has %d", k.Want, k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d members, has %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d members, has %d", k.Want, k.Got)
	case *kind.Minimum:
		return "must be at least " + number(k.Want)
	case *kind.Maximum:
		return "must be at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + number(k.Want)
	case *kind.DependentRequired:
		return fmt.Sprintf("must have %s where it has %s", strings.Join(k.Missing, " and "), k.Prop)
	case *kind.PropertyNames:
		return fmt.Sprintf("has a member with a name that is not allowed: %q", document.Cut(k.Property, 40))
	case *kind.Contains, *kind.MinContains:
		return "lacks an element of the kind that must be in it"
	case *kind.MaxContains:
		return "has too many elements of one kind"
	case *kind.AnyOf:
		return "fits none of the forms that are allowed"
	case *kind.OneOf:
		if k.Subschemas == nil {
			return "fits none of the forms that are allowed"
		}
		return "fits more than one of the forms that exclude each other"
	case *kind.Not:
		return "has a form that is not allowed"
	case *kind.RefCycle:
		return "is checked by a schema that refers to itself without end"
	}
	return document.Cut(e.ErrorKind.LocalizedString(english), 200)
}

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return fmt.Sprint(f)
}

func article(kind string) string {
	switch kind {
	case "array", "object", "integer":
		return "an " + kind
	case "null":
		return kind
	case "boolean":
		return "true or false"
	}
	return "a " + kind
}

func either(kinds []string) string {
	words := make([]string, len(kinds))
	for i, kind := range kinds {
		words[i] = article(kind)
	}
	return strings.Join(words, " or ")
}
