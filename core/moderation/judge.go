package moderation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"homeplace/core"
	"homeplace/core/moderation/heuristics"
	"homeplace/core/moderation/text"
	"homeplace/core/moderation/words"
)

// A text is held from one score on and refused from the other; what nothing
// makes certain stays below the second.
const (
	holds   = 0.5
	refuses = 0.95
)

// severities are the weights of a word rule that holds a text: each holds it
// alone.
var severities = [...]float64{1: 0.55, 2: 0.7, 3: 0.85}

// Judge decides on a text. It depends on nothing but what it is given, and takes
// time in proportion to the length of the text.
func Judge(s string, about Context, rules Rules) Verdict {
	return read(s, about.Kind, rules).weigh(about)
}

// reading is what a text says for itself, whoever sends it.
type reading struct {
	findings []Finding
	tokens   []text.Token
	denied   bool // a rule refuses it
	certain  bool // advertising, without doubt
	grave    bool
}

func read(s, kind string, rules Rules) reading {
	t := text.Normalize(s)
	r := reading{tokens: t.Tokens()}
	r.findings, r.denied, r.grave = byWords(t, rules.Words.Match(r.tokens, kind))
	spam, certain := bySpam(t, r.tokens, rules)
	r.findings, r.certain = append(r.findings, spam...), certain
	return r
}

// weigh decides on what was read, with what is known of who sends it.
func (r reading) weigh(about Context) Verdict {
	sender := byContext(about, r.brief())
	findings := slices.Concat(r.findings, sender)
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(b.Weight, a.Weight) })
	v := Verdict{Decision: core.DecisionApprove, Score: combine(findings), Findings: findings}
	switch {
	case r.denied || r.certain:
		v.Decision, v.Score = core.DecisionReject, max(v.Score, refuses)
	case v.Score >= holds:
		v.Decision, v.Score = core.DecisionReview, min(v.Score, refuses-0.01)
		v.Borderline = !r.grave && combine(sender) < holds
	}
	v.Score = math.Round(v.Score*1000) / 1000
	return v
}

// combine takes findings for independent: each leaves its share of doubt.
func combine(findings []Finding) float64 {
	doubt := 1.0
	for _, r := range findings {
		doubt *= 1 - r.Weight
	}
	return 1 - doubt
}

// byWords turns matches into findings, the gravest of each category. What is
// quoted is never refused: it may be what somebody complains about.
func byWords(t text.Text, matches []words.Match) (findings []Finding, denied, grave bool) {
	gravest := make(map[string]Finding)
	for _, m := range matches {
		weight := severities[m.Rule.Severity]
		if m.Rule.Action == words.Deny && !m.Quoted {
			weight, denied = refuses, true
		}
		grave = grave || m.Rule.Severity == 3
		if weight > gravest[m.Rule.Category].Weight {
			gravest[m.Rule.Category] = Finding{m.Rule.Category, fmt.Sprintf("%q matches %q", excerpt(t, m.Span), m.Rule.Term), m.Span, weight}
		}
	}
	for _, r := range gravest {
		findings = append(findings, r)
	}
	slices.SortFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Code, b.Code) })
	return findings, denied, grave
}

// longestExcerpt is how much of a text a finding quotes, in letters.
const longestExcerpt = 80

func excerpt(t text.Text, span text.Span) string {
	letters := []rune(t.Original[span.Start:span.End])
	if len(letters) > longestExcerpt {
		return string(letters[:longestExcerpt]) + "…"
	}
	return string(letters)
}

// The statistical score counts from doubtful on, and at most mostScore: it has
// read few texts. With the shapes of spam beside it, it can be certain.
const (
	doubtful  = 0.5
	mostScore = 0.75
	sure      = 0.99
	sureShape = 0.85
)

// bySpam lists what looks like advertising; certain where both the score and
// the shapes say so.
func bySpam(t text.Text, tokens []text.Token, rules Rules) (findings []Finding, certain bool) {
	for _, signal := range heuristics.Find(t, tokens) {
		findings = append(findings, Finding{signal.Code, signal.Detail, signal.Span, signal.Weight})
	}
	shapes := combine(findings)
	p := rules.Spam.Score(t, tokens)
	if p > doubtful {
		weight := mostScore * (p - doubtful) / (1 - doubtful)
		findings = append(findings, Finding{Code: "spam_score", Detail: fmt.Sprintf("reads like advertising, %.0f %%", 100*p), Weight: weight})
	}
	return findings, p >= sure && shapes >= sureShape
}

// byContext weighs who sends it. None of this refuses a text alone. A text of few
// words comes from different people by chance, so that its copies weigh half.
func byContext(about Context, brief bool) []Finding {
	var findings []Finding
	add := func(when bool, code, detail string, weight float64) {
		if when {
			findings = append(findings, Finding{Code: code, Detail: detail, Weight: weight})
		}
	}
	copies := 0.3 * float64(about.Duplicates)
	if brief {
		copies /= 2
	}
	add(about.AddressBlocks > 0, "address_history", fmt.Sprintf("the address was blocked %d times", about.AddressBlocks), 0.6)
	add(about.RefusedBefore > 0, "refused_before", fmt.Sprintf("%d texts were refused lately", about.RefusedBefore), min(0.2*float64(about.RefusedBefore), 0.6))
	add(about.SentLastHour > 10, "rate", fmt.Sprintf("%d texts within the hour", about.SentLastHour), min(0.02*float64(about.SentLastHour), 0.6))
	add(about.Duplicates > 0, "duplicate", fmt.Sprintf("the same text came %d times", about.Duplicates), min(copies, 0.7))
	add(about.NearDuplicates > 0, "near_duplicate", fmt.Sprintf("nearly the same text came %d times", about.NearDuplicates), min(0.2*float64(about.NearDuplicates), 0.6))
	add(about.AccountAge > 0 && about.AccountAge < 24*time.Hour, "new_account", "the account is younger than a day", 0.1)
	return findings
}
