// Package moderation judges what people write: word rules, the shapes of spam, a
// small statistical score, and what is known of who sends it. It refuses only
// with certainty, and leaves to a person, or a language model where one is
// configured, what could be either. What it said of every text is kept here, by
// the thing that the text is of.
package moderation

import (
	"time"

	"homeplace/core"
	"homeplace/core/moderation/spamscore"
	"homeplace/core/moderation/text"
	"homeplace/core/moderation/words"
)

// Finding is one thing that counted against a text.
type Finding struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	// Span is the part of the text, in bytes; empty where it is all of it.
	Span text.Span `json:"-"`
	// Weight is how much it counts, 0 to 1.
	Weight float64 `json:"weight"`
}

// Verdict is what the rules say of a text, before a language model is asked.
type Verdict struct {
	Decision core.Decision
	// Score is 0 for nothing against it to 1 for certainly unwanted. A held text
	// has 0.5 and more, a refused one 0.95 and more.
	Score    float64
	Findings []Finding // the heaviest first
	// Borderline tells that a language model may decide in place of a person. A
	// grave suspicion waits for a person, and so does a text that who sends it
	// holds alone: the model knows nothing of senders.
	Borderline bool
}

// Kernel is the verdict as every area knows it.
func (v Verdict) Kernel() core.Verdict {
	k := core.Verdict{Decision: v.Decision, Score: v.Score, Reasons: make([]core.Reason, len(v.Findings))}
	for i, f := range v.Findings {
		k.Reasons[i] = core.Reason{Code: f.Code, Detail: f.Detail}
	}
	return k
}

// Context is what is known around a text. The zero value is nothing known, and
// counts for nobody.
type Context struct {
	Kind           string        // the kind of text, such as "saying", for rules with a scope
	AccountAge     time.Duration // 0 is unknown
	SentLastHour   int           // texts of this account or address
	RefusedBefore  int           // texts of this account or address, lately
	AddressBlocks  int           // how often the address was blocked
	Duplicates     int           // the same text by others or before, lately
	NearDuplicates int           // nearly the same text
}

// Rules are what texts are judged by.
type Rules struct {
	Words *words.List
	Spam  *spamscore.Model
}

// DefaultRules are the ones that come with the program.
func DefaultRules() Rules { return Rules{words.Default(), spamscore.Default()} }
