package heuristics

import (
	"hash/fnv"
	"math/bits"

	"homeplace/core/moderation/text"
)

// Fingerprint is a simhash of a text's words: texts that differ in few words
// have fingerprints that differ in few bits.
type Fingerprint uint64

// FingerprintOf hashes pairs of neighbouring words. A text without words has
// the fingerprint 0.
func FingerprintOf(tokens []text.Token) Fingerprint {
	var votes [64]int
	previous := ""
	for _, token := range tokens {
		if token.Word == "" {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(previous + " " + token.Word))
		sum := mix(h.Sum64())
		for bit := range votes {
			votes[bit] += int(sum>>bit&1)*2 - 1
		}
		previous = token.Word
	}
	var f Fingerprint
	for bit, vote := range votes {
		if vote > 0 {
			f |= 1 << bit
		}
	}
	return f
}

// mix spreads short inputs over all bits, which FNV does not (the finaliser of
// SplitMix64).
func mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// nearBits is how far apart two texts are that say the same. Of twelve words,
// one exchanged changes two pairs and moves 9 bits on average.
const nearBits = 12

// Near tells whether two texts say nearly the same. It needs texts of a dozen
// words or more; shorter ones are near only when they are equal.
func (f Fingerprint) Near(other Fingerprint) bool {
	return bits.OnesCount64(uint64(f^other)) <= nearBits
}
