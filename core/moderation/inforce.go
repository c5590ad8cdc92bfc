package moderation

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"homeplace/core"
	"homeplace/core/moderation/spamscore"
	"homeplace/core/moderation/words"
	"homeplace/core/pg"
)

// Area is the name under which changes of word rules are announced; see
// pg.Tx.Touch.
const Area = "word_rules"

// retryAfter is how long the rules of before hold when the new ones could not be
// read, until that is tried again.
const retryAfter = time.Second

// inForce are the rules that texts are judged by at the moment. They are compiled
// once after every change, by whoever needs them first.
type inForce struct {
	compiled atomic.Pointer[Rules]
	changes  atomic.Int64 // counts what was told of
	known    atomic.Int64 // as of compiled
	retry    atomic.Int64 // not before, in nanoseconds of the epoch
	mu       sync.Mutex
}

func (f *inForce) outdate() { f.changes.Add(1) }

// fresh tells whether what is compiled may be used as it is.
func (f *inForce) fresh(now time.Time) bool {
	if f.compiled.Load() == nil {
		return false
	}
	return f.known.Load() > f.changes.Load() || now.UnixNano() < f.retry.Load()
}

// current are the rules in force. Where they cannot be read, the last ones hold,
// or those that come with the program.
func (s *Service) current(ctx context.Context) Rules {
	f := &s.rules
	if f.fresh(s.now()) {
		return *f.compiled.Load()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fresh(s.now()) {
		return *f.compiled.Load()
	}
	seen := f.changes.Load()
	rules, err := s.compile(ctx)
	if err != nil {
		s.needs.Log.ErrorContext(ctx, "the word rules could not be read; the earlier ones hold", "error", err)
		f.retry.Store(s.now().Add(retryAfter).UnixNano())
		if f.compiled.Load() == nil {
			return DefaultRules()
		}
		return *f.compiled.Load()
	}
	f.compiled.Store(&rules)
	f.known.Store(seen + 1)
	return rules
}

// compile reads the changes to the built-in rules and puts them into force.
func (s *Service) compile(ctx context.Context) (Rules, error) {
	// Others wait for the rules, too: they outlive the request that asked first.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	var rows []storedRule
	err := s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) (err error) {
		rows, err = rulesInForce(ctx, q)
		return err
	})
	if err != nil {
		return Rules{}, fmt.Errorf("read word rules: %w", err)
	}
	if len(rows) == 0 {
		return DefaultRules(), nil
	}
	list, err := words.Compile(joined(rows), words.DefaultClasses())
	if err != nil { // written for another version of the program
		s.needs.Log.ErrorContext(ctx, "a word rule no longer compiles and is left out", "error", err)
		list, err = words.Compile(joined(slices.DeleteFunc(rows, storedRule.broken)), words.DefaultClasses())
	}
	if err != nil {
		return Rules{}, fmt.Errorf("compile word rules: %w", err)
	}
	return Rules{list, spamscore.Default()}, nil
}

// broken tells of an added rule that means nothing to the compiler.
func (r storedRule) broken() bool {
	_, err := words.Compile([]words.Rule{r.rule()}, words.DefaultClasses())
	return r.Origin == OriginAdded && err != nil
}

// joined are the built-in rules but those that are switched off, and the added
// ones that are switched on.
func joined(rows []storedRule) []words.Rule {
	off := make(map[string]bool)
	var added []words.Rule
	for _, row := range rows {
		switch {
		case row.Origin == OriginOurs:
			off[row.ID] = true
		case row.State == StateOn:
			added = append(added, row.rule())
		}
	}
	var list []words.Rule
	for _, rule := range words.DefaultRules() {
		if !off[builtinID(rule)] {
			list = append(list, rule)
		}
	}
	return append(list, added...)
}
