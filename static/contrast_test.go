package static

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// pairs are the colours that meet on the pages, with the contrast that WCAG
// 2.2 asks for: 4.5 for text, 3 for large text, for what shows where a control
// is, and for the ring of the focus.
var pairs = []struct {
	front, back string
	least       float64
}{
	{"ink", "paper", 7}, {"ink", "card", 7}, {"ink", "wash", 7}, {"paper", "ink", 7},
	{"soft", "paper", 4.5}, {"soft", "card", 4.5}, {"soft", "wash", 4.5},
	{"clay-ink", "paper", 4.5}, {"clay-ink", "card", 4.5}, {"clay-ink", "wash", 4.5}, {"paper", "clay-ink", 4.5},
	{"on-clay", "clay", 4.5}, {"on-clay", "clay-ink", 4.5}, {"clay", "paper", 3}, {"clay", "card", 3},
	{"ochre-ink", "paper", 4.5}, {"ochre-ink", "card", 4.5}, {"on-ink", "ink", 4.5},
	{"forest", "paper", 4.5}, {"forest", "card", 4.5}, {"on-forest", "forest", 4.5},
	{"indigo", "paper", 4.5}, {"indigo", "card", 4.5},
	{"edge", "paper", 3}, {"edge", "card", 3}, {"edge", "wash", 3},
	{"focus", "paper", 3}, {"focus", "card", 3}, {"focus", "wash", 3},
}

func TestColoursCanBeRead(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"theme-light.css", "theme-dark.css"} {
		colours := readColours(t, theme)
		for _, p := range pairs {
			if got := contrast(colours[p.front], colours[p.back]); got < p.least {
				t.Errorf("%s: %s on %s has contrast %.2f, at least %.1f", theme, p.front, p.back, got, p.least)
			}
		}
	}
}

func TestContrast(t *testing.T) {
	t.Parallel()
	if got := contrast([3]float64{0, 0, 0}, [3]float64{1, 1, 1}); math.Abs(got-21) > .001 {
		t.Errorf("black on white is %.3f, want 21", got)
	}
}

func readColours(t *testing.T, name string) map[string][3]float64 {
	t.Helper()
	f, ok := Get(name)
	if !ok {
		t.Fatalf("no file %s", name)
	}
	colours := map[string][3]float64{}
	for _, m := range regexp.MustCompile(`--([a-z-]+):#([0-9A-Fa-f]{6})`).FindAllStringSubmatch(string(f.Body), -1) {
		var rgb [3]float64
		for i := range rgb {
			n, err := strconv.ParseUint(m[2][2*i:2*i+2], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			rgb[i] = float64(n) / 255
		}
		colours[m[1]] = rgb
	}
	for _, p := range pairs {
		for _, c := range []string{p.front, p.back} {
			if _, ok := colours[c]; !ok {
				t.Fatalf("%s has no colour %s", name, c)
			}
		}
	}
	return colours
}

// contrast of two colours as WCAG 2.2 defines it, from 1 to 21.
func contrast(a, b [3]float64) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

func luminance(rgb [3]float64) float64 {
	linear := func(c float64) float64 {
		if c <= .04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	return .2126*linear(rgb[0]) + .7152*linear(rgb[1]) + .0722*linear(rgb[2])
}
