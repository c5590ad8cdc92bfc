package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"homeplace/api"
)

func TestRoutesAreThePathsOfTheContract(t *testing.T) {
	t.Parallel()
	var routed, written []string
	for _, pattern := range api.Patterns() {
		routed = append(routed, pattern[0]+" "+pattern[1])
	}
	for path, item := range theContract(t).doc.Paths.Map() {
		for method := range item.Operations() {
			written = append(written, method+" "+path)
		}
	}
	slices.Sort(routed)
	slices.Sort(written)
	if diff := cmp.Diff(written, routed); diff != "" {
		t.Errorf("openapi.yaml (-) and the routes (+) differ:\n%s", diff)
	}
}

// Drift shows only where schemas are closed and complete.
func TestSchemasAreClosedAndRequireEveryField(t *testing.T) {
	t.Parallel()
	open := []string{"Contract", "ErrorFields", "EntryFields", "AppFields", "ListFields", "PollFields", "PollDetailFields", // a foreign format, parts of others
		"FileSubmission", "ReportInput", "SayingSubmission", "ShoutOutInput", "PollInput", "PollVote", "FakeReportInput"} // bodies
	optional := []string{"Hours", "FileSubmission", "ReportInput", "SayingSubmission", "ShoutOutInput", "PollInput", "PollVote", "FakeReportInput", "MaybeValidationError"}
	for name, ref := range theContract(t).doc.Components.Schemas {
		schema := ref.Value
		if schema.Type == nil && schema.AllOf == nil || schema.Type != nil && !schema.Type.Is("object") {
			continue
		}
		closed := schema.AdditionalProperties.Has != nil && !*schema.AdditionalProperties.Has ||
			schema.UnevaluatedProperties.Has != nil && !*schema.UnevaluatedProperties.Has
		if !closed && !slices.Contains(open, name) {
			t.Errorf("%s takes fields that it does not name", name)
		}
		for field := range schema.Properties {
			if !slices.Contains(schema.Required, field) && !slices.Contains(optional, name) {
				t.Errorf("%s does not require %s", name, field)
			}
		}
	}
}

func TestContractNoticesDrift(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	for _, name := range []string{"EntryList", "SearchResults", "EntryDetail", "Leaderboard", "Me", "PointsLog", "SessionTokens", "ZipPlace", "ReversePlace", "CategoryLists", "Discovery",
		"RecentSubmissions", "AppList", "AppDetail", "AppFileList", "FileSubmitted", "ReportSent", "ReportRepeated", "FakeReportList", "FakeReportSent", "ShoutOutList", "ShoutOutPosted"} {
		body := exampleOf(t, c, name)
		if err := c.schema(t, name, body); err != nil {
			t.Errorf("the example of %s breaks its own schema: %v", name, err)
		}
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatal(err)
		}
		mutations := map[string]func(map[string]any){
			"a new field": func(m map[string]any) { m["surprise"] = 1 },
		}
		for field := range fields {
			mutations["without "+field] = func(m map[string]any) { delete(m, field) }
			mutations[field+" of another type"] = func(m map[string]any) { m[field] = []any{3.5} }
		}
		for what, mutate := range mutations {
			changed := maps.Clone(fields)
			mutate(changed)
			text, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			if c.schema(t, name, text) == nil {
				t.Errorf("%s %s passes", name, what)
			}
		}
	}
}

// exampleOf finds the example of the answer that has the named schema.
func exampleOf(t *testing.T, c contract, name string) []byte {
	t.Helper()
	for _, item := range c.doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				media := response.Value.Content.Get("application/json")
				if media == nil || !strings.HasSuffix(media.Schema.Ref, "/"+name) {
					continue
				}
				body, err := json.Marshal(media.Example)
				if err != nil {
					t.Fatal(err)
				}
				return body
			}
		}
	}
	t.Fatalf("no answer has the schema %s", name)
	return nil
}

func TestErrorExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	for name, response := range c.doc.Components.Responses {
		for _, media := range response.Value.Content {
			if err := media.Schema.Value.VisitJSON(media.Example, openapi3.EnableJSONSchema2020()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestEveryOperationIsDescribed(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	seen := map[string]bool{}
	for path, item := range c.doc.Paths.Map() {
		for method, o := range item.Operations() {
			if o.Summary == "" || o.Description == "" || len(o.Tags) != 1 || o.OperationID == "" || seen[o.OperationID] {
				t.Errorf("%s %s lacks a summary, description, tag or an operationId of its own", method, path)
			}
			seen[o.OperationID] = true
			if c.doc.Tags.Get(o.Tags[0]) == nil {
				t.Errorf("%s %s has the unknown tag %s", method, path, o.Tags[0])
			}
			for _, p := range o.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s %s does not say what %s means", method, path, p.Value.Name)
				}
			}
			for _, status := range []string{"405", "429", "500", "503"} {
				if o.Responses.Value(status) == nil {
					t.Errorf("%s %s does not document %s", method, path, status)
				}
			}
		}
	}
}

func TestContractIsServed(t *testing.T) {
	t.Parallel()
	in := setup(t)
	served := read[struct {
		OpenAPI string
		Info    struct{ Title string }
		Servers []struct{ URL string }
		Paths   map[string]any
	}](t, in.get(t, "/api/openapi.json"), http.StatusOK)
	if served.OpenAPI != "3.1.0" || served.Info.Title != "Test Porch API" || len(served.Paths) != theContract(t).doc.Paths.Len() {
		t.Errorf("served %s %q with %d paths", served.OpenAPI, served.Info.Title, len(served.Paths))
	}
	if len(served.Servers) != 1 || served.Servers[0].URL != base {
		t.Errorf("servers are %v, want %s", served.Servers, base)
	}
	doc, err := openapi3.NewLoader().LoadFromData(in.get(t, "/api/openapi.json").body)
	if err != nil {
		t.Fatalf("the served document does not load: %v", err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Errorf("the served document is not valid: %v", err)
	}
}

func TestDiscoveryLeadsToEverySection(t *testing.T) {
	t.Parallel()
	w := setup(t)
	found := read[struct {
		Name, Docs_URL, OpenAPI_URL string
		Sections                    []struct{ Name, URL string }
	}](t, w.get(t, "/api"), http.StatusOK)
	if found.Name != "Test Porch" || found.Docs_URL != base+"/docs/api" || found.OpenAPI_URL != base+"/api/openapi.json" {
		t.Errorf("found %q, %q, %q", found.Name, found.Docs_URL, found.OpenAPI_URL)
	}
	var names []string
	for _, s := range found.Sections {
		names = append(names, s.Name)
		if a := w.get(t, s.URL); a.status == http.StatusNotFound {
			t.Errorf("section %s leads to nothing: %s", s.Name, s.URL)
		}
	}
	want := []string{"apps", "businesses", "landmarks", "services", "events", "people", "categories", "search", "geocode_zip", "geocode_reverse", "sayings", "leaderboard", "polls", "report_fake", "business_shoutouts", "reviews", "me", "points"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
