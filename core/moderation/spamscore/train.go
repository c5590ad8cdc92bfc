package spamscore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"homeplace/core/moderation/text"
)

// Labelled is a text of which it is known whether it is spam.
type Labelled struct {
	Text string
	Spam bool
}

// Training passes over the texts this many times; the step shrinks by decay
// with each, and weights are drawn to zero by shrink with every step.
const (
	passes = 12
	step   = 0.25
	decay  = 0.85
	shrink = 1e-4
)

// Train fits a model by stochastic gradient descent. The same texts in the same
// order give the same model. Both kinds weigh the same, however many there are.
func Train(texts []Labelled) *Model {
	m := new(Model)
	features := make([][]uint32, len(texts))
	spam := 0
	for i, l := range texts {
		t := text.Normalize(l.Text)
		features[i] = featuresOf(t, t.Tokens())
		if l.Spam {
			spam++
		}
	}
	weight := map[bool]float64{true: share(len(texts), spam), false: share(len(texts), len(texts)-spam)}
	random := rand.New(rand.NewPCG(1, 2))
	rate := step
	for range passes {
		for _, i := range random.Perm(len(texts)) {
			truth := 0.0
			if texts[i].Spam {
				truth = 1
			}
			m.learn(features[i], rate*weight[texts[i].Spam]*(truth-m.probability(features[i])))
		}
		rate *= decay
	}
	return m
}

// share balances the kinds: half of all over the number of one.
func share(all, kind int) float64 {
	if kind == 0 {
		return 0
	}
	return float64(all) / 2 / float64(kind)
}

func (m *Model) learn(features []uint32, by float64) {
	m.bias += by / 4 // slower, for it takes part in every text
	by /= math.Sqrt(float64(len(features) + 1))
	for _, f := range features {
		m.weights[f] += float32(by) - shrink*m.weights[f]
	}
}

// weightsFile is a model as a file: the weights that are not zero, by bucket.
type weightsFile struct {
	Format  string             `json:"format"`
	Buckets int                `json:"buckets"`
	Bias    float64            `json:"bias"`
	Weights map[uint32]float32 `json:"weights"`
}

const format = "homeplace spam weights 1"

// Write stores a model as JSON.
func (m *Model) Write(w io.Writer) error {
	file := weightsFile{format, buckets, m.bias, make(map[uint32]float32)}
	for i, weight := range m.weights {
		if weight != 0 {
			file.Weights[uint32(i)] = weight
		}
	}
	if err := json.NewEncoder(w).Encode(file); err != nil {
		return fmt.Errorf("write the weights: %w", err)
	}
	return nil
}

// Read loads a model that Write stored.
func Read(r io.Reader) (*Model, error) {
	var file weightsFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("read the weights: %w", err)
	}
	if file.Format != format || file.Buckets != buckets {
		return nil, errors.New("this is no file of spam weights for this version; train it anew with: homeplace moderation train")
	}
	m := &Model{bias: file.Bias}
	for i, weight := range file.Weights {
		if i >= buckets {
			return nil, fmt.Errorf("weight %d is out of range; train the file anew", i)
		}
		m.weights[i] = weight
	}
	return m, nil
}
