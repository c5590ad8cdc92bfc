package words

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// List is a set of rules, ready to match. It may be used by many goroutines.
type List struct {
	lexicon lexicon
	rules   []compiled
	first   struct { // the rules that may begin with a word or a class
		byWord  map[wordID][]int
		byClass [maxClasses][]int
		any     []int
	}
}

// classSet is a set of classes by number.
type classSet uint64

const maxClasses = 64

type compiled struct {
	Rule
	elements []element
}

// element is a part of a term and how often it may come.
type element struct {
	words    []wordID
	classes  classSet
	any      bool
	least    int
	most     int
	begins   bool // nothing, at the beginning of a sentence
	sentence bool // all the rest of the sentence
}

func (e element) matches(t term) bool {
	return e.any || e.classes&t.classes != 0 || slices.ContainsFunc(t.words, func(w wordID) bool { return slices.Contains(e.words, w) })
}

// mostRepeats is how often an element with an asterisk may come.
const mostRepeats = 6

// maxElements keeps a term short; with the limits of the gaps it bounds the
// time that a text can cost.
const maxElements = 12

// Compile makes a list of rules. Errors name the term.
func Compile(rules []Rule, classes Classes) (*List, error) {
	l := &List{lexicon: newLexicon()}
	numbers, err := l.lexicon.addClasses(classes)
	if err != nil {
		return nil, err
	}
	for _, rule := range rules {
		elements, err := l.parse(rule.Term, numbers)
		if err != nil {
			return nil, fmt.Errorf("the term %q: %w", rule.Term, err)
		}
		l.rules = append(l.rules, compiled{rule, elements})
	}
	l.lexicon.index()
	l.indexRules()
	return l, nil
}

func (l *List) parse(term string, numbers map[string]int) ([]element, error) {
	var elements []element
	for _, field := range strings.Fields(term) {
		e, err := l.parseElement(field, numbers)
		if err != nil {
			return nil, err
		}
		if len(elements) > 0 && elements[len(elements)-1].sentence {
			return nil, fmt.Errorf("nothing may follow %q", "...")
		}
		elements = append(elements, e)
	}
	if len(elements) > maxElements {
		return nil, fmt.Errorf("has %d elements; %d are possible", len(elements), maxElements)
	}
	if !slices.ContainsFunc(elements, func(e element) bool { return e.least > 0 }) {
		return nil, fmt.Errorf("would match everything; give at least one word that must be there")
	}
	return elements, nil
}

func (l *List) parseElement(field string, numbers map[string]int) (element, error) {
	switch field {
	case "^":
		return element{begins: true}, nil
	case "...":
		return element{any: true, sentence: true}, nil
	}
	if gap, ok := strings.CutPrefix(field, ".."); ok {
		most := 3
		if gap != "" {
			n, err := strconv.Atoi(gap)
			if err != nil || n < 1 || n > 8 {
				return element{}, fmt.Errorf("%q is no gap; use .. or ..1 to ..8", field)
			}
			most = n
		}
		return element{any: true, most: most}, nil
	}
	e := element{least: 1, most: 1}
	if bare, ok := strings.CutSuffix(field, "?"); ok {
		field, e.least = bare, 0
	} else if bare, ok := strings.CutSuffix(field, "*"); ok {
		field, e.least, e.most = bare, 0, mostRepeats
	}
	for _, name := range strings.Split(field, "|") {
		if class, ok := strings.CutPrefix(name, "{"); ok {
			class = strings.TrimSuffix(class, "}")
			number, known := numbers[class]
			if !known {
				return element{}, fmt.Errorf("there is no class %q", class)
			}
			e.classes |= 1 << number
			continue
		}
		id, err := l.lexicon.addLiteral(name)
		if err != nil {
			return element{}, err
		}
		e.words = append(e.words, id)
	}
	return e, nil
}

// indexRules files every rule under all that may come first in a match.
func (l *List) indexRules() {
	l.first.byWord = make(map[wordID][]int)
	for i, rule := range l.rules {
		for _, e := range rule.elements {
			for _, w := range e.words {
				l.first.byWord[w] = append(l.first.byWord[w], i)
			}
			for set := e.classes; set != 0; set &= set - 1 {
				class := bits.TrailingZeros64(uint64(set))
				l.first.byClass[class] = append(l.first.byClass[class], i)
			}
			if e.any {
				l.first.any = append(l.first.any, i)
			}
			if e.least > 0 {
				break
			}
		}
	}
}
