// Package search finds directory entries for what a person types: names with
// slips of the finger, things with a place, synonyms, plain questions. It
// reads the search index that package directory writes, and writes nothing.
//
// A query is tried in steps, each looser than the one before, until one finds
// something: every word as typed, stems and synonyms included; words as
// beginnings; the surroundings of the place; words one slip away; and at last
// more than half of the words.
package search

import (
	"context"
	"fmt"
	"sync"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
)

// Rule is the paging of a search (SERVICE.md §8).
var Rule = core.PageRule{Default: 20, Max: 100}

// DefaultKinds are searched when none are named (SERVICE.md §4 Directory).
var DefaultKinds = []directory.Kind{directory.KindBusiness, directory.KindLandmark, directory.KindService, directory.KindEvent}

// Query is what to look for.
type Query struct {
	Text  string
	Kinds []directory.Kind // empty = DefaultKinds
	ZIP   string           // keeps the entries of that ZIP's metro
	Page  core.Page
}

// Step names how loosely a query had to be read to find something.
type Step string

// The steps, in the order in which they are tried.
const (
	Exact   Step = "exact"
	Prefix  Step = "prefix"   // words as beginnings of words
	Nearby  Step = "nearby"   // around the place rather than in it
	Spelled Step = "spelling" // slips of the finger mended
	Partial Step = "partial"  // more than half of the words
)

// Place is where the query says to look.
type Place struct {
	City   string // empty for a whole region
	Region string // USPS code
	ZIP    string // empty unless the query named one
}

// Reading is how a query was understood.
type Reading struct {
	Place       *Place
	Categories  []string          // curated slugs that the words name
	Corrections map[string]string // word as typed → word that was found
	Step        Step
}

// Result is a page of entries, best first.
type Result struct {
	core.List[directory.Summary]
	Reading   Reading
	ZIPFilter *directory.ZIPFilter // nil without a zip
}

// MaxRanked is how many matches one query ranks and counts; a word that stands
// in more of them needs a second one to tell them apart.
const MaxRanked = 1000

// enough matches of a step that no looser one is tried.
const enough = 3

// Service answers searches.
type Service struct {
	db        *pg.DB
	directory *directory.Service
	places    func() *geo.Gazetteer

	mu         sync.Mutex
	lexicon    *lexicon
	generation int
}

// New makes the service. places gives the gazetteer in use at the moment.
func New(db *pg.DB, dir *directory.Service, places func() *geo.Gazetteer) *Service {
	s := &Service{db: db, directory: dir, places: places}
	db.OnChange(func(area string) {
		if area == directory.Area || area == pg.Everything {
			s.mu.Lock()
			s.lexicon = nil
			s.generation++
			s.mu.Unlock()
		}
	})
	return s
}

// Search finds the public entries for a query. Errors: Invalid.
func (s *Service) Search(ctx context.Context, q Query) (Result, error) {
	var p core.Problems
	p.Query("q", &q.Text)
	if err := p.Err(); err != nil {
		return Result{}, err
	}
	q.Page = Rule.Clamp(q.Page)
	if len(q.Kinds) == 0 {
		q.Kinds = DefaultKinds
	}
	result := Result{List: core.List[directory.Summary]{Items: []directory.Summary{}, Page: q.Page}}
	if q.ZIP != "" {
		result.ZIPFilter = s.directory.ResolveZIP(q.ZIP)
	}
	ids, err := s.find(ctx, q, &result)
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", pg.Err(err))
	}
	result.Items, err = s.directory.ByIDs(ctx, ids)
	return result, err
}

// find ranks the ids of the page and fills in what the result says of them.
func (s *Service) find(ctx context.Context, q Query, result *Result) ([]string, error) {
	if q.Text == "" {
		r, err := s.browse(ctx, q, result.ZIPFilter)
		result.Total, result.Reading.Step = r.total, Exact
		return r.ids, err
	}
	lex, err := s.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	plan := lex.read(q.Text, s.places())
	if plan.key == "" {
		return nil, nil // nothing in it that could be found
	}
	result.Reading.Place, result.Reading.Categories = plan.placeOf(), plan.categories()
	return s.try(ctx, q, plan, result)
}

// try goes through the steps until one finds enough, or the thing of that
// name; else it keeps the one that found the most. Half of the words are only
// looked for where nothing else was found.
func (s *Service) try(ctx context.Context, q Query, plan *plan, result *Result) ([]string, error) {
	var best ranking
	for _, step := range []Step{Exact, Prefix, Nearby, Spelled, Partial} {
		if best.named || best.total >= enough || step == Partial && best.total > 0 {
			break
		}
		attempt, ok, err := s.attempt(ctx, plan, step)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		r, err := s.rank(ctx, q, attempt, result.ZIPFilter)
		if err != nil {
			return nil, err
		}
		if r.total > best.total {
			best, result.Reading.Step = r, step
		}
	}
	if result.Reading.Step == Spelled || result.Reading.Step == Partial {
		result.Reading.Corrections = plan.chosenCorrections()
	}
	result.Total = best.total
	return best.ids, nil
}

// attempt prepares the statement of a step; ok is false where the step cannot
// find more than those before.
func (s *Service) attempt(ctx context.Context, plan *plan, step Step) (attempt, bool, error) {
	switch step {
	case Exact:
		return plan.attempt(Exact, plan.groups(false)), true, nil
	case Prefix:
		return plan.attempt(Prefix, plan.groups(true)), true, nil
	case Nearby:
		if plan.place == nil || !plan.place.located || len(plan.terms) == 0 {
			return attempt{}, false, nil
		}
		return plan.attempt(Nearby, plan.groups(false)), true, nil
	case Spelled:
		corrections, err := s.corrections(ctx, plan)
		if err != nil || len(corrections) == 0 {
			return attempt{}, false, err
		}
		plan.corrections = corrections
		return plan.attempt(Spelled, plan.groups(true)), true, nil
	default:
		return s.partial(ctx, plan)
	}
}

// partial asks for more than half of the words; of two, for either, but only
// where the directory knows both: an unknown word beside a known one is more
// likely a thing that is not here than a word too many.
func (s *Service) partial(ctx context.Context, plan *plan) (attempt, bool, error) {
	groups := plan.groups(true)
	if len(groups) < 2 || len(groups) > maxPartialGroups {
		return attempt{}, false, nil
	}
	a := plan.attempt(Partial, groups)
	if len(groups) > 2 {
		a.query = moreThanHalf(groups)
		return a, true, nil
	}
	a.query = join(groups, " | ")
	known, err := allKnown(ctx, s.db.Public(), plan.words)
	return a, known, err
}
