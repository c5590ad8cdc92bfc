package web

import (
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// document is the part of an OpenAPI document that the guide shows.
type document struct {
	Info struct {
		Version, Summary, Description string
	}
	Tags       []struct{ Name, Description string }
	Paths      ordered[map[string]operation]
	Components struct {
		Parameters map[string]parameter
		Responses  ordered[response]
		Schemas    ordered[schema]
	}
}

type operation struct {
	Tags                 []string
	OperationID          string `yaml:"operationId"`
	Summary, Description string
	Deprecated           bool
	Security             []map[string][]string
	Parameters           []parameter
	RequestBody          struct{ Content map[string]media } `yaml:"requestBody"`
	Responses            ordered[response]
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	Name, In    string
	Required    bool
	Description string
	Schema      schema
	Example     yaml.Node
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     map[string]media
}

// media is a body in one form.
type media struct {
	Schema  schema
	Example yaml.Node
}

type schema struct {
	Ref                  string `yaml:"$ref"`
	Type                 words
	Description, Format  string
	Enum                 []any
	Default              yaml.Node
	Minimum, Maximum     *float64
	MaxLength            *int `yaml:"maxLength"`
	Items                *schema
	AllOf                []schema `yaml:"allOf"`
	AnyOf                []schema `yaml:"anyOf"`
	Properties           ordered[schema]
	AdditionalProperties yaml.Node `yaml:"additionalProperties"`
}

// words is one word or a list of them.
type words []string

// UnmarshalYAML reads either form.
func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = words{node.Value}
		return nil
	}
	return node.Decode((*[]string)(w))
}

// named is one member of a mapping.
type named[T any] struct {
	Name  string
	Value T
}

// ordered is a mapping in the order in which it was written.
type ordered[T any] []named[T]

// UnmarshalYAML keeps the order of the keys.
func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		member := named[T]{Name: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&member.Value); err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
		*o = append(*o, member)
	}
	return nil
}

// get finds a member by name.
func (o ordered[T]) get(name string) (value T, found bool) {
	for _, member := range o {
		if member.Name == name {
			return member.Value, true
		}
	}
	return value, false
}

// readOnce reads the document on first use.
func readOnce(contract []byte) func() (guide, error) {
	return sync.OnceValues(func() (guide, error) {
		var d document
		if err := yaml.Unmarshal(contract, &d); err != nil {
			return guide{}, fmt.Errorf("read the contract of the API: %w", err)
		}
		return newGuide(d)
	})
}
