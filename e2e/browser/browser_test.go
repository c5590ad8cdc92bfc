package browser

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		w.Write([]byte(`<!doctype html><html lang="en"><head><title>Porch</title></head><body><main><h1>Porch</h1>
			<form action="/hello"><label for="n">Name</label><input id="n" name="n"><button>Say</button></form></main></body></html>`))
	})
	mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`<!doctype html><html lang="en"><head><title>Hello</title></head><body><main><h1>Hello ` + r.FormValue("n") + `</h1></main></body></html>`))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestAPersonFillsInAForm(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for name, device := range map[string]Device{"desktop": {}, "phone without script": {Width: 360, Height: 700, NoScript: true}} {
		p := Open(t, device)
		if status := p.Visit(url); status != http.StatusOK {
			t.Fatalf("%s: status %d", name, status)
		}
		p.Fill("#n", "Ada")
		p.Submit("button")
		if got := p.Text("h1"); got != "Hello Ada" {
			t.Errorf("%s: the page says %q, want Hello Ada", name, got)
		}
	}
}

func TestAccessibilityIsChecked(t *testing.T) {
	t.Parallel()
	p := Open(t, Device{Dark: true})
	p.Visit(serve(t))
	p.CheckAccessibility("porch")
	if dark := Evaluate[bool](p, `matchMedia("(prefers-color-scheme: dark)").matches`); !dark {
		t.Error("the page does not see the dark theme")
	}
}
