package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"homeplace/api"
)

// contract is openapi.yaml with a router over its paths.
type contract struct {
	doc    *openapi3.T
	router routers.Router
}

var loadContract = sync.OnceValues(func() (contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Contract)
	if err != nil {
		return contract{}, fmt.Errorf("load openapi.yaml: %w", err)
	}
	doc.Servers = nil // tests ask by path
	router, err := legacy.NewRouter(doc)
	return contract{doc, router}, err
})

func theContract(t testing.TB) contract {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// client asks the handler and holds every answer against the contract.
type client struct{ handler http.Handler }

// answer is what came back, its body decompressed.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (c *client) get(t testing.TB, target string, headers ...http.Header) answer {
	t.Helper()
	return c.do(t, http.MethodGet, target, headers...)
}

func (c *client) do(t testing.TB, method, target string, headers ...http.Header) answer {
	t.Helper()
	return c.send(t, method, target, nil, headers...)
}

// send asks with a body.
func (c *client) send(t testing.TB, method, target string, body io.Reader, headers ...http.Header) answer {
	t.Helper()
	r, err := http.NewRequest(method, base+strings.TrimPrefix(target, base), body)
	if err != nil {
		t.Fatalf("%s %q is no request: %v", method, target, err)
	}
	r.RemoteAddr = "192.0.2.7:40000"
	for _, h := range headers {
		for name, values := range h {
			r.Header[name] = values
		}
	}
	recorder := httptest.NewRecorder()
	c.handler.ServeHTTP(recorder, r)
	a := answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
	if a.header.Get("Content-Encoding") == "gzip" && len(a.body) > 0 {
		a.body = gunzip(t, a.body)
	}
	if problem := a.check(t, r); problem != nil {
		t.Errorf("%s %s (%d) breaks the contract: %v\n%.600s", method, target, a.status, problem, a.body)
	}
	return a
}

func gunzip(t testing.TB, body []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("the body is not gzip: %v", err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("the gzip body breaks off: %v", err)
	}
	return plain
}

// internals are words that no answer may hold (CONTRACT.md §1, errors).
var internals = []string{"pgx", "pgconn", "SQLSTATE", "tsquery", "goroutine", "panic", ".go:", "search_documents", "closed pool"}

// check holds an answer to what is promised of every answer, and then to the
// contract.
func (a answer) check(t testing.TB, r *http.Request) error {
	switch {
	case a.header.Get("Access-Control-Allow-Origin") != "*":
		return fmt.Errorf("no open CORS header")
	case a.header.Get("Access-Control-Allow-Credentials") != "":
		return fmt.Errorf("credentials are allowed")
	case a.header.Get("X-Request-Id") == "":
		return fmt.Errorf("no request id")
	case bodyless(r.Method, a.status):
		if len(a.body) > 0 {
			return fmt.Errorf("has a body")
		}
	case a.header.Get("Content-Type") != "application/json":
		return fmt.Errorf("Content-Type is %q", a.header.Get("Content-Type"))
	}
	if a.status >= 400 {
		shown := bytes.ReplaceAll(a.body, []byte(a.header.Get("X-Request-Id")), nil) // random letters may spell anything
		for _, word := range internals {
			if bytes.Contains(shown, []byte(word)) {
				return fmt.Errorf("names an internal: %s", word)
			}
		}
	}
	return a.validate(t, r)
}

func bodyless(method string, status int) bool {
	return method == http.MethodHead || slices.Contains([]int{204, 301, 304}, status)
}

func (a answer) validate(t testing.TB, r *http.Request) error {
	c := theContract(t)
	if r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return nil
	}
	route, params, err := c.router.FindRoute(r)
	trailing := strings.HasSuffix(r.URL.Path, "/") // is another address, but not to the router
	if err != nil || trailing {                    // an address or method outside of the contract
		if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
			return fmt.Errorf("answered, but not in openapi.yaml")
		}
		return c.schema(t, "Error", a.body)
	}
	documented := route.Operation.Responses.Status(a.status)
	if documented == nil {
		return fmt.Errorf("status is not documented for %s", route.Path)
	}
	for name, header := range documented.Value.Headers {
		if header.Value.Required && a.header.Get(name) == "" {
			return fmt.Errorf("header %s is missing", name)
		}
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: params},
		Status:                 a.status, Header: a.header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	input.SetBodyBytes(a.body)
	return openapi3filter.ValidateResponse(t.Context(), input)
}

// schema holds a JSON text against a named schema of the contract.
func (c contract) schema(t testing.TB, name string, body []byte) error {
	t.Helper()
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("is not JSON: %w", err)
	}
	return c.doc.Components.Schemas[name].Value.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
}

// read decodes the body of an answer with the wanted status.
func read[T any](t testing.TB, a answer, status int) T {
	t.Helper()
	var v T
	if a.status != status {
		t.Fatalf("status is %d, want %d: %.300s", a.status, status, a.body)
	}
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("decode: %v: %.300s", err, a.body)
	}
	return v
}

// failure is an error body.
type failure struct {
	OK          *bool // of submissions only
	Error, Code string
	RequestID   string `json:"request_id"`
	Fields      map[string]string
	RetryAfter  int `json:"retry_after"`
}

// refused checks the status, code and field of an error.
func refused(t testing.TB, a answer, status int, code, field string) failure {
	t.Helper()
	f := read[failure](t, a, status)
	if f.Code != code || f.Error == "" {
		t.Errorf("code is %q (%q), want %q", f.Code, f.Error, code)
	}
	if field != "" && f.Fields[field] == "" {
		t.Errorf("fields are %v, want %q among them", f.Fields, field)
	}
	return f
}
