package main

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
)

// someCategories stand in for the curated list.
func someCategories() map[directory.Kind][]directory.Category {
	categories := map[directory.Kind][]directory.Category{}
	for _, kind := range directory.Kinds {
		for _, slug := range []string{"bakery", "barber-shop", "music"} {
			categories[kind] = append(categories[kind], directory.Category{Kind: kind, Slug: slug, Label: title(slug)})
		}
	}
	return categories
}

func TestGeneratorIsDeterministic(t *testing.T) {
	t.Parallel()
	a, b := newGenerator(someCategories()), newGenerator(someCategories())
	for row := range 2000 {
		if first, second := a.next(), b.next(); !reflect.DeepEqual(first, second) {
			t.Fatalf("row %d differs:\n%+v\n%+v", row, first, second)
		}
	}
}

func TestGeneratedEntriesAreValid(t *testing.T) {
	t.Parallel()
	g := newGenerator(someCategories())
	ids, slugs, kinds := map[string]bool{}, map[string]bool{}, map[directory.Kind]int{}
	const rows = 20_000
	for row := range rows {
		in := g.next()
		as := in
		as.Normalize()
		if err := as.Validate(); err != nil {
			t.Fatalf("row %d: %v: %+v", row, err, in)
		}
		if !core.ValidSlug(in.Slug) || slugs[in.Slug] || ids[in.ID] {
			t.Fatalf("row %d: slug %q or id %q is no good or was there before", row, in.Slug, in.ID)
		}
		if !slices.ContainsFunc(g.categories[in.Kind], func(c directory.Category) bool { return c.Slug == in.Category }) {
			t.Fatalf("row %d: the %s has the category %q", row, in.Kind, in.Category)
		}
		slugs[in.Slug], ids[in.ID] = true, true
		kinds[in.Kind]++
	}
	if len(kinds) != len(directory.Kinds) || kinds[directory.KindBusiness] < rows*45/100 || kinds[directory.KindBusiness] > rows*55/100 {
		t.Errorf("kinds %v, want all five and half of them businesses", kinds)
	}
}

func TestIDsRise(t *testing.T) {
	t.Parallel()
	g := newGenerator(someCategories())
	before := g.id()
	for range 5000 {
		g.row++
		id := g.id()
		if id <= before || !core.ValidID(id) {
			t.Fatalf("%s follows %s", id, before)
		}
		before = id
	}
}

// A hundred times the entries know ten times the names, and a few names are
// far more frequent than the rest.
func TestVocabularyGrowsSlower(t *testing.T) {
	t.Parallel()
	g := newGenerator(someCategories())
	seen := map[string]int{}
	const small, large = 1000, 30_000
	after := 0
	for row := 1; row <= large; row++ {
		g.row = row
		seen[g.family()]++
		if row == small {
			after = len(seen)
		}
	}
	if after < 400 || len(seen) > 12*after {
		t.Errorf("%d names after %d entries, %d after %d: want growth with the root", after, small, len(seen), large)
	}
	if most := slices.Max(slices.Collect(maps.Values(seen))); most < large/200 || most > large/20 {
		t.Errorf("the most frequent name has %d of %d entries, want about one in seventy", most, large)
	}
}

func TestFamilyNamesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	repeated := 0
	for i := range vocabularySize(1_000_000) {
		if _, ok := seen[familyName(i)]; ok {
			repeated++
		}
		seen[familyName(i)] = i
	}
	// Some are spelt alike: Bar+a+land and Bar+al+and.
	if total := vocabularySize(1_000_000); repeated > total/20 {
		t.Errorf("%d of %d family names are repeated", repeated, total)
	}
}
