package geo

import (
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"St. Louis": "saint louis", "Saint  Louis": "saint louis", "Ft. Worth": "fort worth",
		"Mt Vernon": "mount vernon", "Coeur d'Alene": "coeur dalene", "O’Fallon": "ofallon",
		"São Paulo": "sao paulo", "Kailua-Kona": "kailua kona", "Hawaiʻi": "hawaii", "Århus": "arhus",
		"Łódź": "lodz", "Straße": "strasse", "D.C.": "d c", "  ": "", "'": "", "Boston": "boston",
	}
	for in, want := range tests {
		if got := fold(in); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{"St. Louis", "São Paulo", "Hawaiʻi", "\xff'", "İstanbul"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := fold(s)
		if utf8.ValidString(s) && fold(once) != once {
			t.Errorf("fold(%q) = %q, and folded again %q", s, once, fold(once))
		}
	})
}
