package moderation

import (
	"crypto/sha256"
	"strings"

	"homeplace/core/moderation/heuristics"
)

// What people say by chance in the same words, such as "Happy birthday", has
// fewer words than fewestCopied and is never a copy; below longCopied it is
// one with half the weight.
const (
	fewestCopied = 4
	longCopied   = 8
)

// identity is by what copies of a text are found. The zero value is that of a
// text that is too short to have copies.
type identity struct {
	hash        []byte // of the folded words; nil for none
	fingerprint heuristics.Fingerprint
}

func (r reading) identity() identity {
	words := r.words()
	if len(words) < fewestCopied {
		return identity{}
	}
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return identity{hash: sum[:], fingerprint: heuristics.FingerprintOf(r.tokens)}
}

func (r reading) brief() bool { return len(r.words()) < longCopied }

// words are those of the text as they are compared: folded, without what stands
// between them.
func (r reading) words() []string {
	var words []string
	for _, token := range r.tokens {
		if token.Word != "" {
			words = append(words, token.Word)
		}
	}
	return words
}
