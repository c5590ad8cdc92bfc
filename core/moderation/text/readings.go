package text

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// leet are digits and signs that stand for letters within a word.
var leet = map[string]string{
	"0": "o", "1": "i", "2": "z", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "g",
	"@": "a", "$": "s", "!": "i", "|": "l", "+": "t", "€": "e", "£": "l", "(": "c",
}

// isDisguised tells whether a word has signs or digits among its letters, as in
// "w0rd", "w@rd", "w*rd". A number with a unit, such as 50kg or 3rd, has not:
// its digits come first; nor have model names, whose digits come last.
func isDisguised(core string) bool {
	letters, signs, inner := 0, false, false
	last := len(core) - 1
	for i, r := range core {
		switch {
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune("@$*", r):
			signs = true
		case unicode.IsDigit(r) || strings.ContainsRune("!|+€£#", r):
			inner = inner || i > 0 && i < last || unicode.IsDigit(r)
		case r != '\'':
			return false
		}
	}
	return letters > 0 && len(core) <= maxWord && (signs || inner)
}

// readings are the words that a disguised one may stand for.
func readings(core string) []string {
	var found []string
	for _, one := range []string{"i", "l"} {
		var b strings.Builder
		for _, r := range core {
			plain, stands := leet[string(r)]
			switch {
			case r == '1' || r == '|':
				b.WriteString(one)
			case stands:
				b.WriteString(plain)
			case r == '*' || r == '#':
				b.WriteByte('*')
			case unicode.IsLetter(r):
				b.WriteRune(r)
			}
		}
		word := cut(b.String())
		found = append(found, word)
		found = append(found, respelled(word)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// respelled reads v as u, as in "trvck".
func respelled(word string) []string {
	if !strings.ContainsRune(word, 'v') {
		return nil
	}
	return []string{strings.ReplaceAll(word, "v", "u")}
}

var (
	spelledOut = regexp.MustCompile(`^[\pL\d@$](?:[._\-*~|,+/]+[\pL\d@$]){2,}$`)
	webAddress = regexp.MustCompile(`^(?:(?:https?|ftp)[:/]|www\.)|^(?:[a-z0-9-]+\.)+(?:` + topLevels + `)(?:[:/?#]|$)`)
	mention    = regexp.MustCompile(`^@[a-z0-9_]+$`)
)

// topLevels are the endings by which a name without a scheme is taken for an
// address: the common ones, and those that are sold cheaply and therefore fill
// block lists.
const topLevels = `com|net|org|info|biz|co|io|uk|us|ca|de|eu|tv|me|ly|gl|be|ru|cn|xyz|top|club|online|site|shop|win|vip|loan|click|link|bid|work|live|icu|gq|tk|ml|cf|ga`

// isSpelled tells single letters with signs between them: "w.o.r.d".
func isSpelled(core string) bool {
	return len(core) <= 2*maxWord && spelledOut.MatchString(core) && strings.ContainsFunc(core, unicode.IsLetter)
}

func isLink(core string) bool { return webAddress.MatchString(core) }

func isMention(core string) bool { return mention.MatchString(core) }

// contractions are endings that stand for a word.
var contractions = []struct{ ending, word string }{
	{"n't", "not"}, {"'re", "are"}, {"'m", "am"}, {"'ve", "have"}, {"'ll", "will"}, {"'d", "would"},
}

// shorthand is how people write function words in a hurry, in speech and in
// African-American English. Spelling it out keeps one form for the rules; none
// of it counts against anybody.
var shorthand = makeShorthand(map[string]string{
	"im": "i am", "ive": "i have", "youre": "you are", "theyre": "they are", "dont": "do not", "cant": "can not", "can't": "can not",
	"cannot": "can not", "wont": "will not", "won't": "will not", "isnt": "is not", "arent": "are not", "aint": "is not", "ain't": "is not",
	"didnt": "did not", "doesnt": "does not", "wouldnt": "would not", "shouldnt": "should not", "couldnt": "could not", "wasnt": "was not",
	"thats": "that is", "that's": "that is", "it's": "it is", "he's": "he is", "she's": "she is", "what's": "what is", "there's": "there is",
	"who's": "who is", "let's": "let us", "women's": "womens", "men's": "mens", "lets": "let us", "ya": "you", "ur": "your", "yr": "your",
	"yall": "you all", "y'all": "you all", "ya'll": "you all", "gonna": "going to", "gon": "going to", "imma": "i am going to", "wanna": "want to",
	"gotta": "got to", "em": "them", "'em": "them", "dem": "them", "tha": "the", "da": "the", "dat": "that", "dis": "this", "dese": "these",
	"ppl": "people", "bc": "because", "cuz": "because", "cause": "because", "plz": "please", "pls": "please", "txt": "text", "msg": "message",
})

func makeShorthand(spelled map[string]string) map[string][]string {
	m := make(map[string][]string, len(spelled))
	for short, long := range spelled {
		m[short] = strings.Fields(long)
	}
	return m
}
