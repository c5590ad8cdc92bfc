package views

import (
	"homeplace/core/markdown"
	"homeplace/views/layout"
)

// DocsProps is the contract of the API as a page shows it.
type DocsProps struct {
	Frame   layout.FrameProps
	Version string
	Summary string
	Intro   markdown.HTML
	Groups  []DocsGroup
	Errors  []DocsError
	Shapes  []DocsShape
}

// DocsGroup is the endpoints with one tag.
type DocsGroup struct {
	ID, Title   string
	Description markdown.HTML
	Endpoints   []DocsEndpoint
}

// DocsEndpoint is one method of one path.
type DocsEndpoint struct {
	ID, Method, Path, Summary string
	Description               markdown.HTML
	Deprecated                bool
	Credential                string // what it needs: bearer, cookie or nothing
	Curl                      string
	Parameters                []DocsParameter
	Body                      DocsBody
	Answer                    DocsAnswer
	Errors                    []string // statuses, which DocsProps.Errors explains
}

// DocsParameter is a parameter of an endpoint.
type DocsParameter struct {
	Name, Where, Type, Default string // Where is "path" or "query"
	Required                   bool
	Bounds                     string // in words; empty = none
	Description                markdown.HTML
}

// DocsBody is what is sent to an endpoint.
type DocsBody struct {
	Shape   string // name of a DocsShape; empty = no body
	Example string // JSON
}

// DocsAnswer is what an endpoint answers where nothing is wrong.
type DocsAnswer struct {
	Status, Description string
	Shape               string // name of a DocsShape; empty = no body
	Example             string // JSON; empty = no body
}

// DocsError is an answer that many endpoints share.
type DocsError struct {
	Status, Name string
	Description  markdown.HTML
	Example      string
}

// DocsShape is an object of the API with its fields.
type DocsShape struct {
	Name        string
	Description markdown.HTML
	Fields      []DocsField
}

// DocsField is a field of an object.
type DocsField struct {
	Name, Type  string
	Shape       string // name of the DocsShape that it holds; empty = none
	Description markdown.HTML
}
