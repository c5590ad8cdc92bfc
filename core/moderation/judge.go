package moderation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

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
	t := text.Normalize(s)
	tokens := t.Tokens()
	reasons, denied, grave := byWords(t, rules.Words.Match(tokens, about.Kind))
	spam, certain := bySpam(t, tokens, rules)
	reasons = append(reasons, spam...)
	reasons = append(reasons, byContext(about)...)
	slices.SortStableFunc(reasons, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })

	v := Verdict{Decision: Approve, Score: combine(reasons), Reasons: reasons}
	switch {
	case denied || certain:
		v.Decision, v.Score = Reject, max(v.Score, refuses)
	case v.Score >= holds:
		v.Decision, v.Score = Review, min(v.Score, refuses-0.01)
		v.Borderline = !grave
	}
	v.Score = math.Round(v.Score*1000) / 1000
	return v
}

// combine takes reasons for independent: each leaves its share of doubt.
func combine(reasons []Reason) float64 {
	doubt := 1.0
	for _, r := range reasons {
		doubt *= 1 - r.Weight
	}
	return 1 - doubt
}

// byWords turns matches into reasons, the gravest of each category. What is
// quoted is never refused: it may be what somebody complains about.
func byWords(t text.Text, matches []words.Match) (reasons []Reason, denied, grave bool) {
	gravest := make(map[string]Reason)
	for _, m := range matches {
		weight := severities[m.Rule.Severity]
		if m.Rule.Action == words.Deny && !m.Quoted {
			weight, denied = refuses, true
		}
		grave = grave || m.Rule.Severity == 3
		if weight > gravest[m.Rule.Category].Weight {
			gravest[m.Rule.Category] = Reason{m.Rule.Category, fmt.Sprintf("%q matches %q", excerpt(t, m.Span), m.Rule.Term), m.Span, weight}
		}
	}
	for _, r := range gravest {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b Reason) int { return cmp.Compare(a.Code, b.Code) })
	return reasons, denied, grave
}

// longestExcerpt is how much of a text a reason quotes, in letters.
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
func bySpam(t text.Text, tokens []text.Token, rules Rules) (reasons []Reason, certain bool) {
	for _, signal := range heuristics.Find(t, tokens) {
		reasons = append(reasons, Reason{signal.Code, signal.Detail, signal.Span, signal.Weight})
	}
	shapes := combine(reasons)
	p := rules.Spam.Score(t, tokens)
	if p > doubtful {
		weight := mostScore * (p - doubtful) / (1 - doubtful)
		reasons = append(reasons, Reason{Code: "spam_score", Detail: fmt.Sprintf("reads like advertising, %.0f %%", 100*p), Weight: weight})
	}
	return reasons, p >= sure && shapes >= sureShape
}

// byContext weighs who sends it. None of this refuses a text alone.
func byContext(about Context) []Reason {
	var reasons []Reason
	add := func(when bool, code, detail string, weight float64) {
		if when {
			reasons = append(reasons, Reason{Code: code, Detail: detail, Weight: weight})
		}
	}
	add(about.AddressBlocks > 0, "address_history", fmt.Sprintf("the address was blocked %d times", about.AddressBlocks), 0.6)
	add(about.RefusedBefore > 0, "refused_before", fmt.Sprintf("%d texts were refused lately", about.RefusedBefore), min(0.2*float64(about.RefusedBefore), 0.6))
	add(about.SentLastHour > 10, "rate", fmt.Sprintf("%d texts within the hour", about.SentLastHour), min(0.02*float64(about.SentLastHour), 0.6))
	add(about.Duplicates > 0, "duplicate", fmt.Sprintf("the same text came %d times", about.Duplicates), min(0.3*float64(about.Duplicates), 0.7))
	add(about.NearDuplicates > 0, "near_duplicate", fmt.Sprintf("nearly the same text came %d times", about.NearDuplicates), min(0.2*float64(about.NearDuplicates), 0.6))
	add(about.AccountAge > 0 && about.AccountAge < 24*time.Hour, "new_account", "the account is younger than a day", 0.1)
	return reasons
}
