package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// axe is the accessibility checker of the npm package axe-core.
var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		source, readErr := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
		if readErr == nil {
			return string(source), nil
		}
	}
	return "", fmt.Errorf("axe-core is not installed: run npm ci")
})

type violation struct {
	ID, Help string
	Nodes    []struct {
		Target         []string
		FailureSummary string `json:"failureSummary"`
	}
}

// CheckAccessibility fails the test for every violation of WCAG 2.2 A and AA
// and of axe's best practices. It skips where axe-core is not installed.
func (p *Page) CheckAccessibility(name string) {
	p.t.Helper()
	p.check(name, `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`)
}

// CheckColours is CheckAccessibility of what another theme changes: colours, and
// nothing else of the page.
func (p *Page) CheckColours(name string) {
	p.t.Helper()
	p.check(name, `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`)
}

func (p *Page) check(name, rules string) {
	p.t.Helper()
	source, err := axe()
	if err != nil {
		p.t.Skip(err)
	}
	if !Evaluate[bool](p, `typeof axe === "object"`) {
		Evaluate[any](p, source+"; null")
	}
	found := Evaluate[[]violation](p, `axe.run(document, {runOnly: `+rules+`, resultTypes: ["violations"]}).then(r => r.violations)`)
	for _, v := range found {
		for _, node := range v.Nodes {
			p.t.Errorf("%s: %s (%s) at %s: %s", name, v.Help, v.ID, strings.Join(node.Target, " "), node.FailureSummary)
		}
	}
}
