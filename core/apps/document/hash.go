package document

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Secrets of this process, so that nobody can make two documents that differ
// and hash alike.
var (
	seed           = maphash.MakeSeed()
	secretA        = rand.Uint64()
	secretB        = rand.Uint64()
	memberA, itemA = rand.Uint64(), rand.Uint64()
)

// mix joins what a value is and two hashes, the order of which counts.
func mix(kind byte, a, b uint64) uint64 {
	high, low := bits.Mul64(a^secretA, b^secretB^uint64(kind)<<32)
	high, low = bits.Mul64(high^low^secretB, a+uint64(kind)+secretA)
	return high ^ low
}

func hashText(quoted []byte) uint64 {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return mix('s', maphash.Bytes(seed, quoted[1:len(quoted)-1]), 0)
	}
	return mix('s', maphash.String(seed, textOf(quoted)), 0)
}

func hashMember(key string, value uint64) uint64 {
	return mix('m', maphash.String(seed, key)+memberA, value)
}

// hashObject takes a sum: the order of members does not count.
func hashObject(members []Node) uint64 {
	var sum uint64
	for _, m := range members {
		sum += hashMember(m.Key, m.Hash)
	}
	return mix('o', sum, uint64(len(members)))
}

func hashArray(items []Node) uint64 {
	hash := itemA
	for _, item := range items {
		hash = mix('i', hash, item.Hash)
	}
	return mix('a', hash, uint64(len(items)))
}

// HashOf is the hash of a value as encoding/json decodes it with UseNumber:
// equal data, equal hash, but not that of a Node.
func HashOf(value any) uint64 {
	switch v := value.(type) {
	case map[string]any:
		var sum uint64
		for key, member := range v {
			sum += hashMember(key, HashOf(member))
		}
		return mix('o', sum, uint64(len(v)))
	case []any:
		hash := itemA
		for _, item := range v {
			hash = mix('i', hash, HashOf(item))
		}
		return mix('a', hash, uint64(len(v)))
	case json.Number:
		return hashNumber(string(v))
	case string:
		return mix('s', maphash.String(seed, v), 0)
	case bool:
		return mix('w', uint64(strconv.FormatBool(v)[0]), 0)
	}
	return mix('w', 'n', 0)
}

// hashNumber hashes what the number is: 1.0, 1 and 10e-1 are one. It works on
// the text, so no digit is lost.
func hashNumber(text string) uint64 {
	digits, exponent, ok := canonical(strings.TrimPrefix(text, "-"))
	switch {
	case !ok:
		return mix('N', maphash.String(seed, text), 0)
	case digits == "":
		return mix('n', 0, 0)
	case text[0] == '-':
		return mix('-', maphash.String(seed, digits), uint64(exponent))
	}
	return mix('+', maphash.String(seed, digits), uint64(exponent))
}

// canonical is a number as digits without zeros at either end, times a power of
// ten; no digits for zero. It is not ok beyond all reckoning.
func canonical(text string) (digits string, exponent int, ok bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent > 1e12 || exponent < -1e12 {
			return "", 0, false
		}
		text = text[:i]
	}
	whole, fraction, split := strings.Cut(text, ".")
	if split {
		whole += fraction
		exponent -= len(fraction)
	}
	digits = strings.TrimRight(whole, "0")
	exponent += len(whole) - len(digits)
	return strings.TrimLeft(digits, "0"), exponent, true
}

// IsWhole tells whether a JSON number has no fraction, as 1.0 and 1e2 have none.
func IsWhole(number string) bool {
	digits, exponent, ok := canonical(strings.TrimPrefix(number, "-"))
	return ok && (digits == "" || exponent >= 0)
}
