package spamscore

import (
	"math/rand/v2"
	"strings"
)

// sampleSize is how many texts of each kind are written; more change little,
// for the templates repeat.
const sampleSize = 2500

// Sample writes the texts that the default model is trained on, the same ones
// every time: templates of our own with words put in.
func Sample() []Labelled {
	random := rand.New(rand.NewPCG(20, 26))
	texts := make([]Labelled, 0, 2*sampleSize)
	for range sampleSize {
		texts = append(texts, Labelled{compose(random, pick(random, spamTemplates)), true})
		texts = append(texts, Labelled{compose(random, pick(random, hamTemplates)), false})
	}
	return texts
}

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

// compose puts a word of its slot in the place of each {slot}.
func compose(random *rand.Rand, template string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		b.WriteString(before)
		if !found {
			break
		}
		slot, after, _ := strings.Cut(rest, "}")
		b.WriteString(pick(random, slots[slot]))
		template = after
	}
	return b.String()
}

// lines are the templates of a text block, one a line.
func lines(block string) []string {
	return strings.Split(strings.TrimSpace(block), "\n")
}
