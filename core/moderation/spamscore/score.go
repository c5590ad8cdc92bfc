// Package spamscore is a small logistic model that says how much a text reads
// like advertising or a scam. Its default weights come from texts that this
// package writes itself (see sample.go); an operator may train others on texts
// of their own.
package spamscore

import (
	"hash/fnv"
	"math"
	"regexp"
	"sync"

	"homeplace/core/moderation/text"
)

// buckets is how many hashed features there are: enough for the words and pairs
// of some thousand short texts to collide rarely.
const buckets = 1 << 15

// Model is a trained model. It is read only.
type Model struct {
	bias    float64
	weights [buckets]float32
}

// Default is the model trained on our own texts, made at the first use in a
// fraction of a second.
var Default = sync.OnceValue(func() *Model { return Train(Sample()) })

// Score is the probability that a text is spam, as far as the model can tell;
// 0 for a text without words.
func (m *Model) Score(t text.Text, tokens []text.Token) float64 {
	features := featuresOf(t, tokens)
	if len(features) == 0 {
		return 0
	}
	return m.probability(features)
}

func (m *Model) probability(features []uint32) float64 {
	sum := m.bias
	for _, f := range features {
		sum += float64(m.weights[f])
	}
	return 1 / (1 + math.Exp(-sum))
}

// mostFeatures bounds the work for one text; the beginning tells.
const mostFeatures = 600

// featuresOf are the words of a text and pairs of neighbours, each once. Numbers
// count by their shape, so that no number is learnt.
func featuresOf(t text.Text, tokens []text.Token) []uint32 {
	seen := make(map[uint32]bool)
	var features []uint32
	add := func(parts ...string) {
		h := fnv.New32a()
		for _, part := range parts {
			h.Write([]byte(part))
			h.Write([]byte{0})
		}
		if f := h.Sum32() % buckets; !seen[f] {
			seen[f] = true
			features = append(features, f)
		}
	}
	previous := "^"
	for _, token := range tokens {
		word := shapeOf(token)
		if word == "" {
			continue
		}
		add(word)
		add(previous, word)
		previous = word
		if len(features) > mostFeatures {
			break
		}
	}
	for _, r := range t.Plain {
		if r == '£' || r == '$' || r == '€' || r == '%' {
			add("sign", string(r))
		}
	}
	return features
}

// selfMade are the hosts of pages and channels that people make for themselves.
var selfMade = regexp.MustCompile(`youtu|facebook|soundcloud|twitch|gofundme|instagram|kickstarter|indiegogo|tumblr|tiktok|patreon|blogspot|bandcamp|vk\.com|twitter\.com`)

// shapeOf is what a token counts as.
func shapeOf(token text.Token) string {
	if token.Kind == text.Link {
		if selfMade.MatchString(token.Word) {
			return "<profile>"
		}
		return "<link>"
	}
	digits := 0
	for i := range len(token.Word) {
		if c := token.Word[i]; '0' <= c && c <= '9' {
			digits++
		}
	}
	switch {
	case digits == 0:
		return token.Word
	case digits >= 9:
		return "<phone>"
	case digits == len(token.Word) && digits >= 5:
		return "<code>"
	case digits == len(token.Word):
		return "<number>"
	}
	return "<mixed>"
}
