package evaluation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
	"homeplace/core/search"
	"homeplace/core/search/evaluation"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// service is a search over the entries of a CSV.
func service(t *testing.T, entries string) *search.Service {
	t.Helper()
	d := pgtest.New(t)
	dir := directory.New(d.DB, core.Now, geo.Builtin)
	if err := dir.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := rowfile.NewReader(strings.NewReader(entries), rowfile.CSV)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Import(t.Context(), core.TheSystem(), r, directory.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	return search.New(d.DB, dir, geo.Builtin)
}

func run(t *testing.T, s *search.Service, cases, entries string) []evaluation.Outcome {
	t.Helper()
	list, err := evaluation.ReadCases(strings.NewReader(cases))
	if err != nil {
		t.Fatal(err)
	}
	names, err := evaluation.ReadNames(strings.NewReader(entries))
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []evaluation.Outcome
	for _, c := range list {
		o, err := evaluation.Run(t.Context(), s, c, names)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func TestRun(t *testing.T) {
	t.Parallel()
	const entries = "id,kind,name,city\na,business,Juniper Books,Macon\nb,business,Juniper Books,Tampa\nc,person,Juniper,\n"
	const cases = `{"type":"x","q":"juniper books","k":5,"min_hits":2,"relevant_ids":["a","b"]}
{"type":"x","q":"juniper books","k":1,"min_hits":2,"relevant_ids":["a","b"]}
{"type":"y","q":"juniper","params":{"kinds":"person"},"k":5,"min_hits":1,"relevant_ids":["c"]}
{"type":"y","q":"juniper books","k":5,"min_hits":1,"relevant_ids":["c"]}
`
	outcomes := run(t, service(t, entries), cases, entries)
	for i, want := range []int{2, 1, 1, 0} {
		if outcomes[i].Hits != want {
			t.Errorf("case %d has %d hits in %q, want %d", i, outcomes[i].Hits, outcomes[i].Found, want)
		}
	}
	scores := evaluation.Scores(outcomes)
	if x, y := scores["x"], scores["y"]; x != (evaluation.Score{Passed: 1, All: 2}) || y.Percent() != 50 {
		t.Errorf("the scores are %+v", scores)
	}
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	if _, err := evaluation.ReadCases(strings.NewReader("{}\n{")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a broken case gives %v", err)
	}
	for _, text := range []string{"", "id,name\n", "id,name,city\n1\n"} {
		if _, err := evaluation.ReadNames(strings.NewReader(text)); err == nil {
			t.Errorf("%q gives no error", text)
		}
	}
}

// The shares of queries that must succeed on the whole directory, of 100.
var floors = map[string]float64{"exact_name": 100, "partial_name": 100, "misspelt_name": 90, "category_city": 95}

func TestSharedCases(t *testing.T) {
	t.Parallel()
	entries, cases := shared(t, "directory/entries.csv"), shared(t, "search/cases_dev.jsonl")
	outcomes := run(t, service(t, entries), cases, entries)
	for _, o := range outcomes {
		if !o.Passed() {
			t.Logf("%s: %q has %d of %d (%s): %q", o.Type, o.Q, o.Hits, o.MinHits, o.Step, o.Found)
		}
	}
	scores := evaluation.Scores(outcomes)
	for kind, floor := range floors {
		if score := scores[kind]; score.All == 0 || score.Percent() < floor {
			t.Errorf("%s: %d of %d, want %.0f %%", kind, score.Passed, score.All, floor)
		}
	}
}

// shared reads a file of the data that the repository does not hold, and skips
// the test where it is absent.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("HOMEPLACE_SHARED_DATA")
	for dir, _ := os.Getwd(); root == ""; dir = filepath.Dir(dir) {
		if found := filepath.Join(dir, "shared", "data"); isDir(found) {
			root = found
		} else if dir == filepath.Dir(dir) {
			t.Skip("needs the folder shared/data above the working directory, or its path in HOMEPLACE_SHARED_DATA")
		}
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("needs shared data: %v", err)
	}
	return string(text)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
