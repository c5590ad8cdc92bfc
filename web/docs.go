package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"homeplace/core"
	"homeplace/core/markdown"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

const guidePath = "/docs/api"

// guide is the contract, ready to show but for what depends on the site.
type guide struct {
	props views.DocsProps
	calls map[string]string // id of an endpoint → path and query to try
}

// docs shows the contract of the API as a page.
func (h *handlers) docs(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	g, err := h.guide()
	if err != nil {
		return nil, err
	}
	props := g.props
	props.Frame = h.frame(r, v, layout.FrameProps{Title: "API guide", Description: props.Summary})
	props.Groups = make([]views.DocsGroup, len(g.props.Groups))
	for i, group := range g.props.Groups {
		group.Endpoints = append([]views.DocsEndpoint(nil), group.Endpoints...)
		for j := range group.Endpoints {
			e := &group.Endpoints[j]
			e.Curl = curl(h.Addresses.Base()+g.calls[e.ID], *e)
		}
		props.Groups[i] = group
	}
	return show(r, http.StatusOK, views.Docs(props))
}

// curl is a command that calls the endpoint, for a shell.
func curl(address string, e views.DocsEndpoint) string {
	command := "curl "
	if e.Method != http.MethodGet {
		command += "-X " + e.Method + " "
	}
	switch e.Credential {
	case "bearer":
		command += "-H 'Authorization: Bearer tok_…' "
	case "cookie":
		command += "-b '__Host-session=…' "
	}
	if e.Body.Shape != "" {
		command += "-H 'Content-Type: application/json' --data @body.json "
	}
	return command + "'" + address + "'"
}

// newGuide lays the contract out: endpoints by tag, errors once, shapes last.
func newGuide(d document) (guide, error) {
	g := guide{calls: map[string]string{}, props: views.DocsProps{
		Version: d.Info.Version, Summary: d.Info.Summary, Intro: markdown.Render(d.Info.Description)}}
	for _, tag := range d.Tags {
		group := views.DocsGroup{ID: "tag-" + tag.Name, Title: strings.ToUpper(tag.Name[:1]) + tag.Name[1:],
			Description: markdown.Render(tag.Description)}
		for _, path := range d.Paths {
			for method, o := range path.Value {
				if len(o.Tags) == 0 || o.Tags[0] != tag.Name {
					continue
				}
				e, err := d.endpoint(strings.ToUpper(method), path.Name, o)
				if err != nil {
					return guide{}, fmt.Errorf("%s %s: %w", method, path.Name, err)
				}
				if g.calls[e.ID], err = d.call(path.Name, o); err != nil {
					return guide{}, fmt.Errorf("%s %s: %w", method, path.Name, err)
				}
				group.Endpoints = append(group.Endpoints, e)
			}
		}
		g.props.Groups = append(g.props.Groups, group)
	}
	var err error
	g.props.Errors, err = d.errors()
	g.props.Shapes = d.shapes()
	return g, err
}

func (d document) endpoint(method, path string, o operation) (views.DocsEndpoint, error) {
	e := views.DocsEndpoint{ID: o.OperationID, Method: method, Path: path, Summary: o.Summary,
		Description: markdown.Render(o.Description), Deprecated: o.Deprecated}
	for _, scheme := range o.Security {
		for name := range scheme {
			e.Credential = name
		}
	}
	for _, p := range o.Parameters {
		e.Parameters = append(e.Parameters, d.parameter(p))
	}
	if body, ok := o.RequestBody.Content["application/json"]; ok {
		example, err := exampleJSON(&body.Example)
		if err != nil {
			return e, err
		}
		e.Body = views.DocsBody{Shape: refName(body.Schema.Ref), Example: example}
	}
	for i, status := range o.Responses {
		if i > 0 {
			e.Errors = append(e.Errors, status.Name)
			continue
		}
		answer := d.response(status.Value)
		media := answer.Content["application/json"]
		e.Answer = views.DocsAnswer{Status: status.Name, Description: answer.Description, Shape: refName(media.Schema.Ref)}
		var err error
		if media.Example.Kind != 0 {
			e.Answer.Example, err = exampleJSON(&media.Example)
		}
		if err != nil {
			return e, err
		}
	}
	return e, nil
}

func (d document) parameter(p parameter) views.DocsParameter {
	p = d.resolve(p)
	s := d.schema(p.Schema)
	shown := views.DocsParameter{Name: p.Name, Where: p.In, Required: p.Required, Type: d.typeName(p.Schema), Bounds: bounds(s),
		Description: markdown.Render(p.Description)}
	if s.Default.Kind != 0 {
		shown.Default = strings.Join(flat(s.Default), ",")
	}
	return shown
}

// call is a path with its query, filled from the examples: what is required,
// and the first parameter that is not.
func (d document) call(path string, o operation) (string, error) {
	var query []string
	optional := false
	for _, p := range o.Parameters {
		p = d.resolve(p)
		value := strings.Join(flat(p.Example), ",")
		switch {
		case p.In == "header":
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.Required, !optional && value != "":
			query = append(query, p.Name+"="+url.QueryEscape(value))
			optional = optional || !p.Required
		}
		if p.Required && value == "" {
			return "", fmt.Errorf("the required parameter %s has no example", p.Name)
		}
	}
	if len(query) == 0 {
		return path, nil
	}
	return path + "?" + strings.Join(query, "&"), nil
}

// errors lists the answers that endpoints share, by status.
func (d document) errors() ([]views.DocsError, error) {
	var list []views.DocsError
	for _, path := range d.Paths {
		for _, o := range path.Value {
			for i, status := range o.Responses {
				if i == 0 && !strings.HasPrefix(status.Name, "3") || hasStatus(list, status.Name) {
					continue
				}
				shared := d.response(status.Value)
				e := views.DocsError{Status: status.Name, Name: statusName(status.Name), Description: markdown.Render(shared.Description)}
				if example := shared.Content["application/json"].Example; example.Kind != 0 {
					var err error
					if e.Example, err = exampleJSON(&example); err != nil {
						return nil, err
					}
				}
				list = insertByStatus(list, e)
			}
		}
	}
	return list, nil
}
