package web_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/html"
)

func TestGuideShowsTheWholeContract(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var written struct {
		Paths map[string]map[string]struct {
			OperationID string `yaml:"operationId"`
			Summary     string
			Responses   map[string]any
			Parameters  []struct{ Name string }
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := yaml.Unmarshal(contract(t), &written); err != nil {
		t.Fatal(err)
	}
	tree := w.page(t, "/docs/api", 200)
	byID := map[string]*html.Node{}
	for _, n := range elements(tree, "") {
		if id, ok := attribute(n, "id"); ok {
			byID[id] = n
		}
	}
	for path, methods := range written.Paths {
		for method, o := range methods {
			n := byID[o.OperationID]
			if n == nil {
				t.Errorf("%s %s is not in the guide", method, path)
				continue
			}
			shown := text(n)
			for _, want := range []string{strings.ToUpper(method) + " " + path, o.Summary, "curl "} {
				if !strings.Contains(shown, want) {
					t.Errorf("%s lacks %q", o.OperationID, want)
				}
			}
			for _, p := range o.Parameters {
				if !strings.Contains(shown, p.Name) {
					t.Errorf("%s lacks the parameter %s", o.OperationID, p.Name)
				}
			}
			for status := range o.Responses {
				if !strings.Contains(shown, status) {
					t.Errorf("%s lacks the answer %s", o.OperationID, status)
				}
			}
		}
	}
	shapes := text(byID["shapes"])
	for name, s := range written.Components.Schemas {
		for field := range s.Properties {
			if !strings.Contains(shapes, field) && !strings.Contains(name, "Contract") {
				t.Errorf("no shape shows %s of %s", field, name)
			}
		}
	}
	for _, status := range []string{"301", "304", "400", "401", "404", "405", "429", "500", "503"} {
		if byID["error-"+status] == nil {
			t.Errorf("%s is not explained", status)
		}
	}
}

func TestGuideGivesCommandsThatWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shown := text(w.page(t, "/docs/api", 200))
	for _, want := range []string{
		"curl '" + base + "/api/directory/search?q=soul+food+in+detroit'",
		"curl '" + base + "/api/directory/businesses?q=bakery+atlanta'",
		"curl '" + base + "/api/directory/businesses/blue-heron-bakery-atlanta'",
		"curl '" + base + "/api/geocode/reverse?lat=33.749&lng=-84.388&precise=1'",
		"curl -H 'Authorization: Bearer tok_…' '" + base + "/api/me'",
		"curl -X POST -H 'Authorization: Bearer tok_…' -H 'Content-Type: application/json' --data @body.json '" + base + "/api/apps/",
		`such as this one in body.json : { "filename": "bus-stops.json",`,
		"curl -b '__Host-session=…' '" + base + "/api/me/token'",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestGuideWorksOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range elements(w.page(t, "/docs/api", 200), "") {
		for _, name := range []string{"src", "srcset", "data", "poster"} {
			if value, ok := attribute(n, name); ok && !strings.HasPrefix(value, "/static/") {
				t.Errorf("%s loads %s", n.Data, value)
			}
		}
	}
}
