package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"go.yaml.in/yaml/v3"

	"homeplace/core/directory"
	"homeplace/web/httpx"
)

// Contract is the OpenAPI 3.1 document of the API, as written.
//
//go:embed openapi.yaml
var Contract []byte

// contractTree is the document as JSON values, read once.
var contractTree = sync.OnceValues(func() (map[string]any, error) {
	var tree map[string]any
	if err := yaml.Unmarshal(Contract, &tree); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return tree, nil
})

// contract serves the document with this site's own address and name.
func (h *handlers) contract(*http.Request) (*httpx.Answer, error) {
	tree, err := contractTree()
	if err != nil {
		return nil, err
	}
	served := maps.Clone(tree)
	served["servers"] = []map[string]string{{"url": h.Addresses.Base()}}
	if info, ok := tree["info"].(map[string]any); ok {
		named := maps.Clone(info)
		named["title"] = h.SiteName() + " API"
		served["info"] = named
	}
	body, err := json.Marshal(served)
	if err != nil {
		return nil, fmt.Errorf("encode openapi.yaml: %w", err)
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "application/json", Body: body}, nil
}

type section struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type discovery struct {
	Name     string    `json:"name"`
	Docs     string    `json:"docs_url"`
	OpenAPI  string    `json:"openapi_url"`
	Sections []section `json:"sections"`
}

// discover lists the sections with their addresses.
func (h *handlers) discover(*http.Request) (*httpx.Answer, error) {
	d := discovery{Name: h.SiteName(), Docs: h.Addresses.Page("docs", "api"), OpenAPI: h.Addresses.API("openapi.json")}
	d.Sections = append(d.Sections, section{"apps", h.Addresses.API("apps")})
	for _, kind := range directory.Kinds {
		d.Sections = append(d.Sections, section{kind.Segment(), h.Addresses.API("directory", kind.Segment())})
	}
	d.Sections = append(d.Sections,
		section{"categories", h.Addresses.API("directory", "categories")},
		section{"search", h.Addresses.API("directory", "search")},
		section{"geocode_zip", h.Addresses.API("geocode", "zip")},
		section{"geocode_reverse", h.Addresses.API("geocode", "reverse")},
		section{"sayings", h.Addresses.API("sayings")},
		section{"leaderboard", h.Addresses.API("leaderboard")},
		section{"polls", h.Addresses.API("polls")},
		section{"report_fake", h.Addresses.API("report-fake")},
		section{"business_shoutouts", h.Addresses.API("business-shoutouts")},
		section{"reviews", h.Addresses.API("reviews")},
		section{"me", h.Addresses.API("me")},
		section{"points", h.Addresses.API("me", "points")},
	)
	return httpx.JSON(http.StatusOK, d)
}
