package searchtext

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStem(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"barber", "barbers"}, {"bakery", "bakeries"}, {"church", "churches"}, {"cleaning", "cleaned", "cleans"},
	} {
		for _, word := range same[1:] {
			if Stem(word) != Stem(same[0]) {
				t.Errorf("%s and %s have the stems %s and %s", same[0], word, Stem(same[0]), Stem(word))
			}
		}
	}
	for _, word := range []string{"", "bus", "gas", "café", "bücher", "москва", "123s", "a1s2d3s"} {
		if got := Stem(word); got != word {
			t.Errorf("Stem(%q) = %q", word, got)
		}
	}
}

func TestDeletes(t *testing.T) {
	t.Parallel()
	for word, want := range map[string][]string{
		"":    {""},
		"a":   {"a", ""},
		"abc": {"abc", "bc", "ac", "ab"},
		"aab": {"aab", "ab", "aa"},
		"été": {"été", "té", "éé", "ét"},
	} {
		if got := Deletes(word); !slices.Equal(got, want) {
			t.Errorf("Deletes(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 2, 0}, {"", "ab", 2, 2}, {"", "abc", 2, 3}, {"barber", "barber", 0, 0}, {"barber", "barbr", 2, 1},
		{"barber", "braber", 2, 1}, {"barber", "barberr", 2, 1}, {"barber", "berber", 1, 1}, {"ca", "abc", 3, 3},
		{"kitten", "sitting", 3, 3}, {"kitten", "sitting", 2, 3}, {"a", "xyz", 1, 2}, {"été", "ete", 2, 2}, {"ab", "ba", 1, 1},
	} {
		if got := Distance(tt.a, tt.b, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.limit, got, tt.want)
		}
		if got := Distance(tt.b, tt.a, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.b, tt.a, tt.limit, got, tt.want)
		}
	}
}

// slowDistance is the definition of the optimal string alignment, from the end.
func slowDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	m, n := len(a), len(b)
	replaced := slowDistance(a[:m-1], b[:n-1])
	if a[m-1] == b[n-1] {
		return replaced
	}
	least := 1 + min(replaced, slowDistance(a[:m-1], b), slowDistance(a, b[:n-1]))
	if m > 1 && n > 1 && a[m-1] == b[n-2] && a[m-2] == b[n-1] {
		least = min(least, 1+slowDistance(a[:m-2], b[:n-2]))
	}
	return least
}

func TestDistance_byDefinition(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abcé")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		slow := slowDistance([]rune(a), []rune(b))
		if got := Distance(a, b, limit); got != min(slow, limit+1) {
			t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, min(slow, limit+1))
		}
		if Distance(b, a, limit) != Distance(a, b, limit) {
			t.Fatalf("the way from %q to %q and back differ", a, b)
		}
		if (slow == 0) != (a == b) {
			t.Fatalf("%q and %q are %d apart", a, b, slow)
		}
	})
}

// The optimal string alignment edits no letter twice, so that the way over a
// third word may be shorter than the straight one, but by no more than what a
// swap saves. Real words keep the triangle.
func TestDistance_triangle(t *testing.T) {
	t.Parallel()
	words := strings.Fields("barber barbers braber baker bakery bakers brewery brewing detroit detriot kitchen chicken memphis menphis")
	for _, a := range words {
		for _, b := range words {
			for _, c := range words {
				if straight, over := Distance(a, c, 20), Distance(a, b, 20)+Distance(b, c, 20); straight > over {
					t.Errorf("%s to %s is %d, over %s it is %d", a, c, straight, b, over)
				}
			}
		}
	}
}

func TestDeletes_findOneSlip(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abcdé")), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		shared := slices.ContainsFunc(Deletes(a), func(form string) bool { return slices.Contains(Deletes(b), form) })
		if Distance(a, b, 1) <= 1 && !shared {
			t.Fatalf("%q and %q are one slip apart and share no form", a, b)
		}
	})
}
