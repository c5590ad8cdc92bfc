// Package homeplace holds the rules of the house that a test can check.
package homeplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tools are the packages of core that areas use and that know no area.
var tools = []string{"apps/difference", "apps/document", "apps/schema", "geo", "geography", "idempotency", "llm", "llm/llmtest", "mail",
	"markdown", "moderation/heuristics", "moderation/spamscore", "moderation/text", "moderation/words", "pg", "pg/local", "provider", "provider/providertest", "ratelimit", "rowfile",
	"searchtext", "secret", "settings", "signing", "slugs"}

// readers read across areas and write nothing; no area imports one.
var readers = []string{"bearer", "recent", "search", "takeout"}

// callers are the tools that call other services over HTTP.
var callers = []string{"llm", "llm/llmtest", "provider", "provider/providertest"}

func isCaller(path string) bool { return slices.Contains(callers, strings.TrimPrefix(path, core)) }

const core = "homeplace/core/"

func isTool(path string) bool { return slices.Contains(tools, strings.TrimPrefix(path, core)) }

// isReader takes the parts of a reader, such as search/evaluation, for it.
func isReader(path string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, core), "/")
	return slices.Contains(readers, name)
}

func isArea(path string) bool {
	name, inCore := strings.CutPrefix(path, core)
	return inCore && !isTool(path) && !isReader(path) && name != "pgtest"
}

// rules say which import is wrong, and why.
var rules = []struct {
	why   string
	wrong func(from, to string) bool
}{
	{"the kernel imports the standard library only", func(from, to string) bool {
		return from == "homeplace/core" && strings.Contains(strings.SplitN(to, "/", 2)[0], ".")
	}},
	{"the kernel knows nothing of the house", func(from, to string) bool {
		return from == "homeplace/core" && strings.HasPrefix(to, "homeplace/")
	}},
	{"an area never imports another, but a part of it its whole: effects across areas go through an interface that cmd wires", func(from, to string) bool {
		return isArea(from) && isArea(to) && from != to && !strings.HasPrefix(from, to+"/")
	}},
	{"a tool knows no area", func(from, to string) bool {
		return isTool(from) && (isArea(to) || isReader(to))
	}},
	{"readers are not imported by areas", func(from, to string) bool { return isArea(from) && isReader(to) }},
	{"core knows neither the web nor a template", func(from, to string) bool {
		return strings.HasPrefix(from, "homeplace/core") &&
			(strings.HasPrefix(to, "homeplace/web") || strings.HasPrefix(to, "homeplace/api") || strings.HasPrefix(to, "homeplace/views") ||
				strings.HasPrefix(to, "github.com/go-chi/") || strings.HasPrefix(to, "github.com/a-h/templ") || to == "net/http" && !isCaller(from))
	}},
	{"views know types, never services or the database", func(from, to string) bool {
		return strings.HasPrefix(from, "homeplace/views") &&
			(strings.HasPrefix(to, core+"pg") || strings.HasPrefix(to, "homeplace/web") || strings.HasPrefix(to, "homeplace/api"))
	}},
	{"httpx knows no area", func(from, to string) bool {
		return from == "homeplace/web/httpx" && strings.HasPrefix(to, core)
	}},
	{"pages and API do not import each other", func(from, to string) bool {
		return from == "homeplace/api" && (to == "homeplace/web" || strings.HasPrefix(to, "homeplace/views")) ||
			from == "homeplace/web" && to == "homeplace/api"
	}},
	{"a surface holds no SQL", func(from, to string) bool {
		return (from == "homeplace/api" || from == "homeplace/web") && strings.HasPrefix(to, "github.com/jackc/")
	}},
	{"nobody but cmd wires", func(from, to string) bool { return strings.HasPrefix(to, "homeplace/cmd") }},
}

func TestImportsFlowOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, to := range p.Imports {
			for _, rule := range rules {
				if rule.wrong(p.ImportPath, to) {
					t.Errorf("%s imports %s: %s", p.ImportPath, to, rule.why)
				}
			}
		}
	}
}

type goPackage struct {
	ImportPath, Dir string
	Imports         []string
	GoFiles         []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		documented := len(p.GoFiles) == 0
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || file.Doc != nil && file.Doc.Text() != ""
		}
		if !documented {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// TestFilesStayReadable holds the sizes of DESIGN rule 18.
func TestFilesStayReadable(t *testing.T) {
	t.Parallel()
	limits := map[string]int{".go": 600, ".templ": 250, ".sql": 600, ".js": 600}
	walk(t, func(path string, data []byte) {
		limit, ok := limits[filepath.Ext(path)]
		switch {
		case strings.HasSuffix(path, "_templ.go"):
			return
		case strings.HasSuffix(path, "_test.go"):
			limit = 800
		}
		if lines := bytes.Count(data, []byte("\n")); ok && lines > limit {
			t.Errorf("%s has %d lines, at most %d", path, lines, limit)
		}
	})
}

// TestKernelStaysSmall keeps what every package sees within 600 lines.
func TestKernelStaysSmall(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("core/*.go")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			total += bytes.Count(data, []byte("\n"))
		}
	}
	if total > 600 {
		t.Errorf("core has %d lines, at most 600", total)
	}
}

// TestMigrationsAreNumbered keeps two of them from having one number.
func TestMigrationsAreNumbered(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, name := range files {
		number, _, _ := strings.Cut(filepath.Base(name), "_")
		if other, ok := seen[number]; ok || len(number) != 4 {
			t.Errorf("%s: the number %q is taken by %q or has not four digits", name, number, other)
		}
		seen[number] = name
	}
}

func walk(t *testing.T, visit func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "node_modules", "data", "bin", ".cache"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			visit(path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
