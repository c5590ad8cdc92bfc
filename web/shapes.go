package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"homeplace/core/markdown"
	"homeplace/views"
)

func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func (d document) resolve(p parameter) parameter {
	if p.Ref != "" {
		return d.Components.Parameters[refName(p.Ref)]
	}
	return p
}

func (d document) response(r response) response {
	if r.Ref != "" {
		r, _ = d.Components.Responses.get(refName(r.Ref))
	}
	return r
}

func (d document) schema(s schema) schema {
	if s.Ref != "" {
		s, _ = d.Components.Schemas.get(refName(s.Ref))
	}
	return s
}

// shapes are the objects among the schemas that are not merely parts of
// others.
func (d document) shapes() []views.DocsShape {
	var parts []string
	for _, s := range d.Components.Schemas {
		for _, part := range s.Value.AllOf {
			parts = append(parts, refName(part.Ref))
		}
	}
	var list []views.DocsShape
	for _, s := range d.Components.Schemas {
		if fields := d.fields(s.Value); len(fields) > 0 && !slices.Contains(parts, s.Name) {
			list = append(list, views.DocsShape{Name: s.Name, Description: markdown.Render(s.Value.Description), Fields: fields})
		}
	}
	return list
}

// fields are those of the schema and of what it is made from.
func (d document) fields(s schema) []views.DocsField {
	var list []views.DocsField
	for _, part := range s.AllOf {
		list = append(list, d.fields(d.schema(part))...)
	}
	for _, p := range s.Properties {
		about := p.Value.Description
		if about == "" {
			about = d.schema(p.Value).Description
		}
		if limits := bounds(d.schema(p.Value)); limits != "" {
			about = strings.TrimSpace(about + " " + limits)
		}
		list = append(list, views.DocsField{Name: p.Name, Type: d.typeName(p.Value), Shape: d.shapeOf(p.Value),
			Description: markdown.Render(about)})
	}
	return list
}

// shapeOf is the object that a field holds, by itself or in an array.
func (d document) shapeOf(s schema) string {
	for _, option := range s.AnyOf {
		if name := d.shapeOf(option); name != "" {
			return name
		}
	}
	if s.Items != nil {
		return d.shapeOf(*s.Items)
	}
	if s.Ref == "" {
		return ""
	}
	target := d.schema(s)
	if len(d.fields(target)) > 0 {
		return refName(s.Ref)
	}
	target.Ref = ""
	return d.shapeOf(target)
}

// typeName says in words what a value is.
func (d document) typeName(s schema) string {
	if s.Ref != "" {
		target := d.schema(s)
		if len(d.fields(target)) > 0 {
			return refName(s.Ref)
		}
		return d.typeName(target)
	}
	if len(s.AnyOf) > 0 {
		var options []string
		for _, option := range s.AnyOf {
			options = append(options, d.typeName(option))
		}
		return strings.Join(options, " or ")
	}
	name := strings.Join(s.Type, " or ")
	switch {
	case s.Items != nil:
		name = "array of " + d.typeName(*s.Items)
	case slices.Contains(s.Type, "string"):
		name = strings.Replace(name, "string", formatName(s.Format), 1)
	}
	return name
}

func formatName(format string) string {
	switch format {
	case "uri":
		return "address"
	case "date-time":
		return "timestamp"
	case "uuid":
		return "UUID"
	case "email":
		return "e-mail address"
	}
	return "string"
}

// bounds says in words which values are taken.
func bounds(s schema) string {
	if s.Items != nil {
		s.Enum = s.Items.Enum
	}
	var parts []string
	if len(s.Enum) > 0 {
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			if values[i] = fmt.Sprint(v); v == nil {
				values[i] = "null"
			}
		}
		parts = append(parts, "One of "+strings.Join(values, ", ")+".")
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		parts = append(parts, "From "+number(*s.Minimum)+" to "+number(*s.Maximum)+".")
	case s.Minimum != nil:
		parts = append(parts, "At least "+number(*s.Minimum)+".")
	}
	return strings.Join(parts, " ")
}

// flat gives a scalar, or the items of a list, as text.
func flat(node yaml.Node) (values []string) {
	if node.Kind == yaml.ScalarNode {
		return []string{node.Value}
	}
	for _, item := range node.Content {
		values = append(values, item.Value)
	}
	return values
}

func hasStatus(list []views.DocsError, status string) bool {
	return slices.ContainsFunc(list, func(e views.DocsError) bool { return e.Status == status })
}

func insertByStatus(list []views.DocsError, e views.DocsError) []views.DocsError {
	at, _ := slices.BinarySearchFunc(list, e.Status, func(e views.DocsError, status string) int { return strings.Compare(e.Status, status) })
	return slices.Insert(list, at, e)
}

func statusName(status string) string {
	code, err := strconv.Atoi(status)
	if err != nil {
		return ""
	}
	return http.StatusText(code)
}
