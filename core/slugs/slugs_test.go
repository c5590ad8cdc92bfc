package slugs

import (
	"strings"
	"testing"

	"homeplace/core"
)

func TestMake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		parts []string
		want  string
	}{
		{[]string{"Joe's Barbecue", "Memphis"}, "joes-barbecue-memphis"},
		{[]string{"Café  Olé", ""}, "cafe-ole"},
		{[]string{"snake_case -- name"}, "snake-case-name"},
		{[]string{"---"}, "fallback"},
		{[]string{"x"}, "fallback"},
		{[]string{""}, "fallback"},
		{[]string{"🍕🍕"}, "fallback"},
		{[]string{"北京"}, "bei-jing"},
		{[]string{"Ÿ & Ñandú"}, "y-and-nandu"},
		{[]string{strings.Repeat("abcdefg ", 20)}, strings.TrimSuffix(strings.Repeat("abcdefg-", 10), "-")},
		{[]string{strings.Repeat("a", 100)}, strings.Repeat("a", 80)},
		{[]string{strings.Repeat("a", 60) + " " + strings.Repeat("b", 40)}, strings.Repeat("a", 60)},
	} {
		if got := Make("fallback", tt.parts...); got != tt.want {
			t.Errorf("Make(%q) = %q, want %q", tt.parts, got, tt.want)
		}
	}
}

func TestNumbered(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 80)
	for _, tt := range []struct {
		slug string
		n    int
		want string
	}{
		{"joes", 0, "joes"}, {"joes", 1, "joes"}, {"joes", 2, "joes-2"}, {"joes", 1234, "joes-1234"},
		{long, 1, long}, {long, 2, long[:78] + "-2"}, {long, 100, long[:76] + "-100"},
		{strings.Repeat("abc-", 19) + "abcd", 2, strings.TrimSuffix(strings.Repeat("abc-", 19), "-") + "-2"},
	} {
		got := Numbered(tt.slug, tt.n)
		if got != tt.want || !core.ValidSlug(got) {
			t.Errorf("Numbered(%q, %d) = %q, want %q", tt.slug, tt.n, got, tt.want)
		}
	}
}

func FuzzMake(f *testing.F) {
	for _, seed := range []string{"Joe's", "--a__b--", "ﬀ", "日本", "\x00\xff", "İ", strings.Repeat("é-", 90)} {
		f.Add(seed, "Detroit", 3)
	}
	f.Fuzz(func(t *testing.T, name, city string, n int) {
		made := Make("fallback", name, city)
		if !core.ValidSlug(made) {
			t.Fatalf("Make(%q, %q) = %q is no slug", name, city, made)
		}
		if again := Make("fallback", made); again != made {
			t.Errorf("the slug of the slug %q is %q", made, again)
		}
		if numbered := Numbered(made, n); !core.ValidSlug(numbered) || n > 1 && !strings.HasSuffix(numbered, "-"+digits(n)) {
			t.Errorf("Numbered(%q, %d) = %q", made, n, numbered)
		}
	})
}

func digits(n int) string {
	text := ""
	for ; n > 0; n /= 10 {
		text = string(rune('0'+n%10)) + text
	}
	return text
}
