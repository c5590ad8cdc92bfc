package searchtext

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"plain 123":                  "plain 123",
		"ALL Caps":                   "all caps",
		"Café Olé":                   "cafe ole",
		"Cafe\u0301":                 "cafe",
		"Ñandú Ångström Ÿ":           "nandu angstrom y",
		"Straße STRAẞE":              "strasse strasse",
		"Æsir Œuvre Łódź Ørsted Þór": "aesir oeuvre lodz orsted thor",
		"İstanbul ısı":               "istanbul isi",
		"ﬁne ﬄ":                      "fine ffl",
		"ＦＵＬＬ １２":                    "full 12",
		"“Joe’s” – ‘n’ ʻokina":       `"joe's" - 'n' 'okina`,
		"Joe`s Joe´s Joe′s":          "joe's joe's joe's",
		"zero\u200bwidth\ufeff":      "zerowidth",
		"½ ²":                        "1/2 2",
		"ΑΘΗΝΑ Москва":               "αθηνα москва",
		"北京 とうきょう":                   "北京 とうきょう",
	} {
		if got := Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFold_composedOrNot(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"서울", "Việt Nam", "ガ", "Ω"} {
		if Fold(norm.NFC.String(text)) != Fold(norm.NFD.String(text)) {
			t.Errorf("the two ways to write %q fold apart", text)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"?! -- ...":                "",
		"Joe's Bar-B-Que":          "joes bar b que",
		"B.B.Q. and R&B":           "bbq and r b",
		"U.S.A.":                   "usa",
		"St. Louis, MO 63101-1234": "st louis mo 63101 1234",
		"Dr. J. Smith":             "dr j smith",
		"rock 'n' roll":            "rock n roll",
		"the Joneses' house":       "the joneses house",
		"9.5 v1.2":                 "9 5 v1 2",
		"www.example.org":          "www example org",
		"naïve_snake":              "naive snake",
		"हिन्दी भोजन":              "हिनदी भोजन",
		"日本 レストラン":                 "日本 レストラン",
		"Ресторан «Пушкин»":        "ресторан «пушкин»",
	} {
		want := strings.NewReplacer("«", "", "»", "").Replace(want)
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWords_length(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "é", "字", "𐐀", "㍿"} {
		words := Words(strings.Repeat(letter, 500) + " end")
		if len(words) != 2 || len(words[0]) > maxWord || len(words[0]) < maxWord-utf8.UTFMax || !utf8.ValidString(words[0]) || words[1] != "end" {
			t.Errorf("500 times %q gives %d words, the first of %d bytes", letter, len(words), len(words[0]))
		}
	}
}

func TestNameKey(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"joes", "Joe's", "JOES", "Joe’s LLC", "Joe's, L.L.C.", "The Joe's", "Joe`s Inc.", "Joe´s Co., Ltd."},
		{"salt pepper", "Salt & Pepper", "Salt and Pepper", "the SALT+PEPPER Company"},
		{"cafe ole", "Café Olé", "Cafe\u0301 Ole\u0301", "CAFÉ-OLÉ, Inc"},
		{"bbq pit", "B.B.Q. Pit", "BBQ Pit", "The BBQ Pit, LLC"},
		{"company", "Company", "The Company", "Company, Inc."},
		{"the", "The", "the", "¡The!"},
		{"co", "The Co", "Co."},
		{"and", "And", "&and"},
		{"", "", "!!!", "   "},
	} {
		for _, name := range same[1:] {
			if got := NameKey(name); got != same[0] {
				t.Errorf("NameKey(%q) = %q, want %q", name, got, same[0])
			}
		}
	}
	if NameKey("Joe's") == NameKey("Jo's") {
		t.Error("Joe's and Jo's have one key")
	}
}

func TestSortNameAndInitial(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, sorted, initial string }{
		{"  Émile's \t Diner ", "emile's diner", "e"}, {"", "", "#"}, {"7 Eleven", "7 eleven", "#"},
		{"'Round Here", "'round here", "#"}, {"Ωmega", "ωmega", "#"}, {"Øre", "ore", "o"},
	} {
		sorted := SortName(tt.name)
		if sorted != tt.sorted || Initial(sorted) != tt.initial {
			t.Errorf("%q sorts as %q under %q, want %q under %q", tt.name, sorted, Initial(sorted), tt.sorted, tt.initial)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := Fold(text)
		if again := Fold(folded); again != folded {
			t.Fatalf("Fold(%q) = %q, and of that %q", text, folded, again)
		}
		words := Words(text)
		if again := Words(strings.Join(words, " ")); !slices.Equal(again, words) {
			t.Errorf("the words of %q are %q, and theirs %q", text, words, again)
		}
		for _, w := range words {
			if w == "" || len(w) > maxWord || !utf8.ValidString(w) || strings.ContainsFunc(w, unmeant) {
				t.Errorf("%q has the word %q", text, w)
			}
		}
		key := NameKey(text)
		if (key == "") != (len(words) == 0) {
			t.Errorf("the key of %q is %q, its words are %q", text, key, words)
		}
		if initial := Initial(SortName(text)); len(initial) != 1 {
			t.Errorf("the initial of %q is %q", text, initial)
		}
	})
}

// unmeant are characters that no word holds.
func unmeant(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
}

// seeds are texts that have been, or could be, trouble.
var seeds = []string{
	"", "'", "''", "a'", "'a'b'", "a.b.c.", "a..b", ".a.", "\\", "\x00", "\xff\xfe", "\xd2\xf1ª", "İ", "ẞ", "ﷺ", "㍿", "ᾼ", "ŉ", "ϴ", "\u0301x", "x\u0301",
	"क्षि", "\u0903", "𝕳𝖔𝖒𝖊", "K.", "²³", "①②", "Ⅷ", "ǅ", "ʼn", "´", "a´b", "a`b", "The Co", "and and", "& LLC", strings.Repeat("字", 300),
}

func TestFold_everyCharacterOnce(t *testing.T) {
	t.Parallel()
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := "a" + string(r) + "b"
		folded := Fold(text)
		if again := Fold(folded); again != folded {
			t.Errorf("Fold of U+%04X gives %q, and of that %q", r, folded, again)
		}
		if words := Words(text); !slices.Equal(words, Words(folded)) || !slices.Equal(words, Words(strings.Join(words, " "))) {
			t.Errorf("the words of U+%04X are %q", r, words)
		}
	}
}
