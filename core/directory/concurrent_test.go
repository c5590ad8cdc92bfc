package directory_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
)

// Forty writers on two instances, for a second and a half: nothing fails, and
// entries, documents and counts agree afterwards.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, thirty)
	instances := []*directory.Service{w.Service, newService(w.db.Instance(t))}
	var ids []string
	for slug := range strings.FieldsSeq("acorn amber apex aster bay beacon birch blue bold coral delta-1 delta-2 draft arch fort") {
		ids = append(ids, w.id(t, slug))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for n := range 40 {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		wg.Go(func() {
			s := instances[n%2]
			for ctx.Err() == nil {
				if err := writeAtRandom(t, s, random, ids); err != nil {
					t.Errorf("writer %d: %v", n, err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for ctx.Err() == nil {
			w.wantInOrder(t)
			time.Sleep(100 * time.Millisecond)
		}
	})
	wg.Wait()
	w.wantInOrder(t)
	if count, err := w.Reindex(t.Context(), core.TheSystem()); err != nil || count == 0 {
		t.Errorf("Reindex: %d, %v", count, err)
	}
	w.wantInOrder(t)
}

func writeAtRandom(t *testing.T, s *directory.Service, random *rand.Rand, ids []string) error {
	id := ids[random.IntN(len(ids))]
	switch n := random.IntN(40); {
	case n < 12:
		return s.Hide(t.Context(), core.TheSystem(), id)
	case n < 24:
		return s.Show(t.Context(), core.TheSystem(), id)
	case n == 24:
		_, err := s.Reindex(t.Context(), core.TheSystem())
		return err
	}
	slugs := []string{"acorn", "amber", "apex", "bay", "blue", "coral", "new-1", "new-2", "new-3"}
	categories := []string{"bakery", "bookstore", "cafe", ""}
	statuses := []string{"published", "published", "draft"}
	var text strings.Builder
	for range 4 {
		fmt.Fprintf(&text, `{"kind":"business","slug":%q,"name":"%c Shop","category":%q,"status":%q}`+"\n",
			slugs[random.IntN(len(slugs))], 'A'+rune(random.IntN(4)), categories[random.IntN(len(categories))], statuses[random.IntN(len(statuses))])
	}
	summary, err := s.Import(t.Context(), core.TheSystem(), rows(t, text.String()), directory.ImportOptions{
		Strict: random.IntN(2) == 0, Problem: func(line int, err error) { t.Errorf("line %d: %v", line, err) }})
	if err == nil && summary.Created+summary.Updated != 4 {
		err = fmt.Errorf("an import of 4 rows stores %+v", summary)
	}
	return err
}

func TestSeed_byManyInstancesAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if _, err := w.db.Owner(t).Exec(t.Context(), `truncate directory_categories, search_synonyms, directory_entries cascade`); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		s := newService(w.db.Instance(t))
		wg.Go(func() {
			if err := s.Seed(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := newService(w.db.DB).Categories(t.Context())
	if err != nil || len(list[directory.KindBusiness]) < 50 {
		t.Errorf("%d categories of businesses, %v", len(list[directory.KindBusiness]), err)
	}
}

// An instance keeps the categories in memory and hears when another one
// changes them.
func TestCategories_acrossInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.db.Instance(t)
	ctx, stop := context.WithCancel(t.Context())
	heard := make(chan string, 100)
	other.OnChange(func(area string) { heard <- area })
	var listening sync.WaitGroup
	listening.Go(func() { other.Listen(ctx, slog.New(slog.DiscardHandler)) })
	t.Cleanup(func() { stop(); listening.Wait() })
	far := newService(other)
	<-heard // "everything", once it listens

	has := func(s *directory.Service) bool {
		list, err := s.List(t.Context(), directory.Filter{Kind: directory.KindBusiness, Categories: []string{"juggling"}})
		if err != nil {
			t.Fatal(err)
		}
		return list.Total == 1 // all two where the category is unknown
	}
	w.importRows(t, `{"kind":"business","name":"Balls","category":"cafe"}`)
	for _, s := range []*directory.Service{w.Service, far} {
		if kind, err := s.CategoryKind(t.Context(), []string{"juggling"}); kind != "" || err != nil {
			t.Fatalf("juggling is known before: %q, %v", kind, err)
		}
	}
	_, err := w.Import(t.Context(), core.TheSystem(), rows(t, `{"kind":"business","name":"Clubs","category":"juggling"}`), directory.ImportOptions{AddCategories: true})
	if err != nil {
		t.Fatal(err)
	}
	if !has(w.Service) {
		t.Error("the instance that changed the categories has the old ones")
	}
	for deadline := time.Now().Add(5 * time.Second); !has(far); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the other instance keeps the old categories")
		}
	}
}

func TestCategoryKind(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, tt := range []struct {
		categories []string
		want       directory.Kind
	}{
		{nil, ""}, {[]string{"bakery"}, directory.KindBusiness}, {[]string{"bakery", "BARBER"}, directory.KindBusiness},
		{[]string{"bakery", "juggling"}, ""}, {[]string{"juggling"}, ""},
	} {
		if got, err := w.CategoryKind(t.Context(), tt.categories); got != tt.want || err != nil {
			t.Errorf("%v belong to %q, %v, want %q", tt.categories, got, err, tt.want)
		}
	}
}
