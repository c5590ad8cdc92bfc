package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestHTMLValidates checks the pages against the HTML standard, with the rules
// of html-validate that concern it.
func TestHTMLValidates(t *testing.T) {
	t.Parallel()
	validator, err := filepath.Abs("../node_modules/.bin/html-validate")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(validator); err != nil {
		t.Skip("html-validate is not installed: run npm ci")
	}
	s := open(t)
	s.fillApps()
	dir := t.TempDir()
	for i, path := range publicPages {
		response, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("page-%02d.html is %s", i, path)
		if err := os.WriteFile(filepath.Join(dir, "page-"+strconv.Itoa(i)+".html"), page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const rules = `{"root": true, "extends": ["html-validate:standard"], "rules": {"tel-non-breaking": "off"}}`
	if err := os.WriteFile(filepath.Join(dir, ".htmlvalidate.json"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(validator, "--formatter", "text", "*.html")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("html-validate: %v\n%s", err, out)
	}
}
