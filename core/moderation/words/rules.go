// Package words matches texts against rules: whole words and short phrases that
// are denied, held for review, or allowed. A rule may name classes of words, so
// that what only counts in combination, such as hatred and whom it is for, is
// written once. An allowing rule beats every other one in the span it covers.
package words

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Action is what a rule does with a text.
type Action string

// The actions.
const (
	Deny   Action = "deny"
	Review Action = "review"
	Allow  Action = "allow"
)

// Rule is one line of the word list.
//
// Term is words with blanks between them, matched whole and folded. An element
// of a term may be "word", "{class}", or several with | between them; ? after
// it makes it optional, * lets it come up to six times or not at all. ".."
// stands for up to three words of any kind, "..N" for up to N, a first "^" for
// the beginning of a sentence, and a last "..." for the rest of it. No term reaches across sentences.
type Rule struct {
	Term     string
	Action   Action
	Severity int    // 1 mild to 3 grave
	Category string // what it is about, such as "threat"; the code of the reason
	Scope    string // the kinds of text that it is for, with blanks between them; empty is all
	Note     string // why it is there, for moderators
}

// inScope tells whether a rule is for texts of a kind; an empty kind is any.
func (r Rule) inScope(kind string) bool {
	return r.Scope == "" || kind == "" || slices.Contains(strings.Fields(r.Scope), kind)
}

// Check says what is wrong with a rule, in words for whoever wrote it.
func (r Rule) Check() error {
	switch {
	case strings.TrimSpace(r.Term) == "":
		return errors.New("the term is empty; give a word or a phrase")
	case r.Action != Deny && r.Action != Review && r.Action != Allow:
		return fmt.Errorf("%q is no action; use deny, review or allow", r.Action)
	case r.Severity < 1 || r.Severity > 3:
		return fmt.Errorf("severity %d is not between 1 and 3", r.Severity)
	}
	return nil
}

var ruleHeader = []string{"term", "action", "severity", "category", "scope", "note"}

// ReadRules reads CSV with the columns term, action, severity, category, scope
// and note. Errors name the line.
func ReadRules(r io.Reader) ([]Rule, error) {
	var rules []Rule
	err := readCSV(r, ruleHeader, func(f []string) error {
		severity, err := strconv.Atoi(f[2])
		if err != nil {
			return fmt.Errorf("severity %q is not a number", f[2])
		}
		rule := Rule{Term: f[0], Action: Action(f[1]), Severity: severity, Category: f[3], Scope: f[4], Note: f[5]}
		rules = append(rules, rule)
		return rule.Check()
	})
	return rules, err
}

// Classes are words by the name of their class.
type Classes map[string][]string

// ReadClasses reads CSV with the columns class and words, which have blanks
// between them; a class may have many lines.
func ReadClasses(r io.Reader) (Classes, error) {
	classes := make(Classes)
	err := readCSV(r, []string{"class", "words"}, func(f []string) error {
		classes[f[0]] = append(classes[f[0]], strings.Fields(f[1])...)
		return nil
	})
	return classes, err
}

func readCSV(r io.Reader, header []string, row func([]string) error) error {
	c := csv.NewReader(r)
	c.Comment, c.FieldsPerRecord = '#', len(header)
	first, err := c.Read()
	if err != nil {
		return fmt.Errorf("read the header: %w", err)
	}
	if !slices.Equal(first, header) {
		return fmt.Errorf("the header is %q; it should be %q", strings.Join(first, ","), strings.Join(header, ","))
	}
	for {
		record, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the rules: %w", err)
		}
		if err := row(record); err != nil {
			line, _ := c.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

//go:embed rules.csv
var rulesCSV string

//go:embed classes.csv
var classesCSV string

// DefaultRules are the rules that come with the program. They are our own,
// written from what the words mean and how they are used, not taken from any
// list: slurs, attacks on people for what they are, threats and insults wait for
// a person; calls for killing, and the gravest slurs to somebody's face, are
// refused; profanity alone, and what people call themselves, is let through.
var DefaultRules = sync.OnceValue(func() []Rule { return must(ReadRules(strings.NewReader(rulesCSV))) })

// DefaultClasses are the classes that rules may name.
var DefaultClasses = sync.OnceValue(func() Classes { return must(ReadClasses(strings.NewReader(classesCSV))) })

// Default is the compiled default list.
var Default = sync.OnceValue(func() *List { return must(Compile(DefaultRules(), DefaultClasses())) })

// must is for what is embedded: a test reads it.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
