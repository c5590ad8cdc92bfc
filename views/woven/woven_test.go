package woven

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, svg)
		}
	}
}

func TestCoverIsTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	first := Cover("old-mill-bridge", 320, 180, 40)
	if again := Cover("old-mill-bridge", 320, 180, 40); again != first {
		t.Error("two drawings of one seed differ")
	}
	seen := map[string]string{}
	for _, seed := range []string{"a", "b", "old-mill-bridge", "old-mill-bridgf", "crown-and-comb", ""} {
		svg := Card.Draw(seed)
		if other, ok := seen[svg]; ok {
			t.Errorf("%q and %q look alike", seed, other)
		}
		seen[svg] = seed
	}
}

// A cover stands in every list many times, so its size is a promise.
func TestCoversAreSmall(t *testing.T) {
	t.Parallel()
	for _, seed := range []string{"zora-lane-books", "crown-and-comb", "blue-heron-bakery", "etoile-creole-kitchen", "a1"} {
		for _, shape := range Shapes() {
			limit := 4 << 10
			if shape == Wide || shape == Stage || shape == Hero {
				limit = 16 << 10
			}
			svg := shape.Draw(seed)
			wellFormed(t, svg)
			if len(svg) > limit {
				t.Errorf("%s of %s is %d bytes, at most %d", shape, seed, len(svg), limit)
			}
		}
	}
}

func TestCoverCarriesNothingThatThePolicyForbids(t *testing.T) {
	t.Parallel()
	for _, svg := range []string{Card.Draw("x1"), Band(BandSeed, BandWidth)} {
		for _, bad := range []string{"style", "<script", "on", "href"} {
			if strings.Contains(strings.ReplaceAll(svg, "version", ""), bad) {
				t.Errorf("holds %q", bad)
			}
		}
		if !strings.Contains(svg, `aria-hidden="true"`) {
			t.Error("is read out")
		}
	}
}

func FuzzCover(f *testing.F) {
	f.Add("old-mill-bridge", 320, 180, 40)
	f.Add(`"><script>`, 0, -1, 0)
	f.Add("", 1<<30, 1<<30, 1)
	f.Fuzz(func(t *testing.T, seed string, w, h, tile int) {
		svg := Cover(seed, w, h, tile)
		wellFormed(t, svg)
		if len(svg) > 512<<10 {
			t.Errorf("%d bytes", len(svg))
		}
		wellFormed(t, Band(seed, w))
	})
}
