package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"homeplace/core"
	"homeplace/core/search/evaluation"
)

type searchCommand struct {
	Evaluate searchEvaluateCommand `cmd:"" help:"Run the queries of a file and print the score of each type."`
	Reindex  searchReindexCommand  `cmd:"" help:"Write the search index anew from the entries."`
}

type searchReindexCommand struct{}

// Run writes the index anew.
func (c *searchReindexCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error {
		count, err := s.directory.Reindex(e, core.TheSystem())
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%d entries are in the search index\n", count)
		return nil
	})
}

type searchEvaluateCommand struct {
	Cases   string `arg:"" type:"existingfile" help:"JSON Lines: q, params {kinds, zip}, type, k, min_hits, relevant_ids."`
	Entries string `required:"" type:"existingfile" help:"CSV with the columns id, name and city, which says what the ids are." placeholder:"FILE"`
	Misses  bool   `help:"Print the queries that fail, with what was found instead."`
}

// Run prints a line for each type: how many queries have at least min_hits
// relevant entries among the first k.
func (c *searchEvaluateCommand) Run(e *environment) error {
	cases, err := readFile(c.Cases, evaluation.ReadCases)
	if err != nil {
		return err
	}
	names, err := readFile(c.Entries, evaluation.ReadNames)
	if err != nil {
		return err
	}
	return e.withServices(func(s *services) error {
		var outcomes []evaluation.Outcome
		for _, test := range cases {
			o, err := evaluation.Run(e, s.search, test, names)
			if err != nil {
				return err
			}
			if c.Misses && !o.Passed() {
				printMiss(e.out, o)
			}
			outcomes = append(outcomes, o)
		}
		scores := evaluation.Scores(outcomes)
		for _, kind := range slices.Sorted(maps.Keys(scores)) {
			fmt.Fprintf(e.out, "%-16s %4d of %4d  %5.1f %%\n", kind, scores[kind].Passed, scores[kind].All, scores[kind].Percent())
		}
		return nil
	})
}

func printMiss(out io.Writer, o evaluation.Outcome) {
	fmt.Fprintf(out, "%s: %q has %d of %d (%d matches, %s)\n", o.Type, o.Q, o.Hits, o.MinHits, o.Total, o.Step)
	for _, found := range o.Found {
		fmt.Fprintf(out, "    %s\n", found)
	}
}

// readFile reads a whole file with read; errors name the file.
func readFile[T any](name string, read func(io.Reader) (T, error)) (value T, err error) {
	f, err := os.Open(name)
	if err != nil {
		return value, err
	}
	defer f.Close()
	if value, err = read(f); err != nil {
		return value, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}
