package evaluation

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/moderation"
)

// TestPrint counts by hand: of four clean texts one is held and none blocked,
// of two disguised texts that are caught in clear one is caught.
func TestPrint(t *testing.T) {
	t.Parallel()
	r := New()
	for _, l := range []struct {
		Labelled
		d core.Decision
	}{
		{Labelled{ID: "1", Label: "ok", Subtype: "slur_reclaimed_nh"}, core.DecisionReview},
		{Labelled{ID: "2", Label: "ok", Source: "davidson"}, core.DecisionApprove},
		{Labelled{ID: "3", Label: "ok", Subtype: "scunthorpe:x"}, core.DecisionApprove},
		{Labelled{ID: "4", Label: "ok"}, core.DecisionApprove},
		{Labelled{ID: "5", Label: "abuse"}, core.DecisionReject},
		{Labelled{ID: "6", Label: "abuse"}, core.DecisionReview},
		{Labelled{ID: "7", Label: "abuse", Subtype: "obfuscated:leet", Of: "5"}, core.DecisionReview},
		{Labelled{ID: "8", Label: "abuse", Subtype: "obfuscated:dots", Of: "6"}, core.DecisionApprove},
		{Labelled{ID: "9", Label: "spam"}, core.DecisionReject},
	} {
		r.Add(l.Labelled, l.d)
	}
	var b strings.Builder
	r.Print(&b)
	got := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"reclaimed words 1 100.00 % 0.00 %", "names with a bad word inside 1 0.00 % 0.00 %", "ok 4 25.00 % 0.00 %", "abuse 4 50.00 % 25.00 %",
		"clean texts blocked, at most 0.5 % 0.00 % holds", "clean texts held, at most 5 % 25.00 % FAILS", "spam caught, at least 70 % 100.00 % holds",
		"abuse caught, at least 45 % 75.00 % holds", ">= 90 % 50.00 % FAILS",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if !strings.HasPrefix(got, "mistakes first") || strings.Index(got, "reclaimed") > strings.Index(got, "label") {
		t.Errorf("mistakes do not come first:\n%s", b.String())
	}
}

// TestTargets holds what is asked of the pipeline on real texts.
func TestTargets(t *testing.T) {
	t.Parallel()
	f, err := os.Open(shared(t, "moderation/labelled_dev.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	r, rules := New(), moderation.DefaultRules()
	for _, row := range rows[1:] {
		l := Labelled{ID: row[0], Text: row[1], Label: row[2], Subtype: row[3], Source: row[5], Of: row[6]}
		r.Add(l, moderation.Judge(l.Text, moderation.Context{}, rules).Decision)
	}
	for _, target := range r.targets() {
		if !target.holds() {
			t.Errorf("%s: %.2f %%", target.name, target.measured)
		}
	}
	for _, name := range []string{reclaimed, counter, homonyms, negated, identity} {
		if wrong := percent(r.subsets[name].Caught(), r.subsets[name].All); wrong > 5 {
			t.Errorf("%s: %.2f %% are held", name, wrong)
		}
	}
}

// shared finds a file of real data beside the checkout.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("HOMEPLACE_SHARED_DATA")
	if root == "" {
		dir, _ := os.Getwd()
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if candidate := filepath.Join(dir, "shared", "data"); isDir(candidate) {
				root = candidate
				break
			}
		}
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); root == "" || err != nil {
		t.Skipf("real data absent: no %s in shared/data above the working directory or in $HOMEPLACE_SHARED_DATA", name)
	}
	return path
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
