// Package evaluation measures the pipeline on texts of which it is known what
// they are.
package evaluation

import (
	"fmt"
	"io"
	"strings"

	"homeplace/core"
)

// Labelled is a text with what is known of it. Of is the id of the same text in
// clear, where this one is disguised.
type Labelled struct {
	ID, Text, Label, Subtype, Source, Of string
}

// Tally counts verdicts.
type Tally struct{ All, Held, Blocked int }

func (t *Tally) add(d core.Decision) {
	t.All++
	switch d {
	case core.DecisionReview:
		t.Held++
	case core.DecisionReject:
		t.Blocked++
	}
}

// Caught is how many were held or blocked.
func (t Tally) Caught() int { return t.Held + t.Blocked }

func percent(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(part) / float64(all)
}

// Report is what was measured.
type Report struct {
	labels, subsets map[string]*Tally
	caught          map[string]bool // by id
	disguised       []Labelled
}

// New starts a measurement.
func New() *Report {
	return &Report{labels: make(map[string]*Tally), subsets: make(map[string]*Tally), caught: make(map[string]bool)}
}

// Any tells whether anything was added.
func (r *Report) Any() bool { return len(r.labels) > 0 }

// Add counts the verdict on one text.
func (r *Report) Add(l Labelled, d core.Decision) {
	tally(r.labels, l.Label).add(d)
	for _, name := range subsetsOf(l) {
		tally(r.subsets, name).add(d)
	}
	r.caught[l.ID] = d != core.DecisionApprove
	if strings.HasPrefix(l.Subtype, "obfuscated") {
		r.disguised = append(r.disguised, l)
	}
}

func tally(of map[string]*Tally, name string) *Tally {
	if of[name] == nil {
		of[name] = new(Tally)
	}
	return of[name]
}

// The subsets that are looked at apart.
const (
	reclaimed = "reclaimed words"
	dialect   = "tweets that are fine (much African-American English)"
	counter   = "counter speech"
	homonyms  = "slurs in their plain meaning"
	negated   = "hatred denied"
	identity  = "groups named in peace"
	names     = "names with a bad word inside"
)

// subsets are printed in this order: whom a mistake hurts most comes first.
var subsets = []string{reclaimed, dialect, counter, homonyms, negated, identity, names}

// subsetsOf tells by the subtypes of HateCheck, and by the source of tweets.
func subsetsOf(l Labelled) []string {
	if l.Label != "ok" {
		return nil
	}
	switch kind, _, _ := strings.Cut(l.Subtype, ":"); kind {
	case "slur_reclaimed_nh":
		return []string{reclaimed}
	case "counter_quote_nh", "counter_ref_nh":
		return []string{counter}
	case "slur_homonym_nh":
		return []string{homonyms}
	case "negate_neg_nh":
		return []string{negated}
	case "ident_neutral_nh", "ident_pos_nh":
		return []string{identity}
	case "scunthorpe":
		return []string{names}
	}
	if l.Source == "davidson" {
		return []string{dialect}
	}
	return nil
}

// Print writes the tables: first the mistakes on those whom word lists wrong,
// then each label, then the targets.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%-56s %6s %8s %8s\n", "mistakes first: clean texts", "texts", "held", "blocked")
	for _, name := range subsets {
		if t := r.subsets[name]; t != nil {
			printTally(w, name, *t)
		}
	}
	fmt.Fprintf(w, "\n%-56s %6s %8s %8s\n", "label", "texts", "held", "blocked")
	for _, label := range []string{"ok", "offensive", "abuse", "spam"} {
		if t := r.labels[label]; t != nil {
			printTally(w, label, *t)
		}
	}
	fmt.Fprintf(w, "\n%-56s %8s %10s\n", "target", "measured", "")
	for _, t := range r.targets() {
		verdict := "holds"
		if !t.holds() {
			verdict = "FAILS"
		}
		fmt.Fprintf(w, "%-56s %6.2f %% %10s\n", t.name, t.measured, verdict)
	}
}

func printTally(w io.Writer, name string, t Tally) {
	fmt.Fprintf(w, "%-56s %6d %6.2f %% %6.2f %%\n", name, t.All, percent(t.Held, t.All), percent(t.Blocked, t.All))
}
