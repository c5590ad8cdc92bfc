package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/search"
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

// evaluationCase is a query with what a good answer holds.
type evaluationCase struct {
	Type     string
	Q        string
	Params   struct{ Kinds, Zip string }
	K        int
	MinHits  int      `json:"min_hits"`
	Relevant []string `json:"relevant_ids"`
}

// Run prints a line for each type: how many queries have at least min_hits
// relevant entries among the first k.
func (c *searchEvaluateCommand) Run(e *environment) error {
	names, err := c.names()
	if err != nil {
		return err
	}
	cases, err := os.Open(c.Cases)
	if err != nil {
		return err
	}
	defer cases.Close()
	return e.withServices(func(s *services) error {
		good, all := map[string]int{}, map[string]int{}
		lines := bufio.NewScanner(cases)
		lines.Buffer(nil, 8<<20)
		for line := 1; lines.Scan(); line++ {
			var test evaluationCase
			if err := json.Unmarshal(lines.Bytes(), &test); err != nil {
				return fmt.Errorf("%s, line %d: %w", c.Cases, line, err)
			}
			passed, err := c.evaluate(e, s, test, names)
			if err != nil {
				return err
			}
			all[test.Type]++
			if passed {
				good[test.Type]++
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(e.out, "%-16s %4d of %4d  %5.1f %%\n", kind, good[kind], all[kind], 100*float64(good[kind])/float64(all[kind]))
		}
		return lines.Err()
	})
}

func (c *searchEvaluateCommand) evaluate(e *environment, s *services, test evaluationCase, names map[string]string) (bool, error) {
	query := search.Query{Text: test.Q, ZIP: test.Params.Zip, Page: core.Page{Limit: test.K}}
	for kind := range strings.SplitSeq(test.Params.Kinds, ",") {
		if k, ok := directory.ParseKind(kind); ok {
			query.Kinds = append(query.Kinds, k)
		}
	}
	result, err := s.search.Search(e, query)
	if err != nil {
		return false, fmt.Errorf("search %q: %w", test.Q, err)
	}
	relevant := map[string]bool{}
	for _, id := range test.Relevant {
		relevant[names[id]] = true
	}
	hits := 0
	for _, found := range result.Items {
		if relevant[nameAndCity(found.Name, found.City)] {
			hits++
		}
	}
	if hits < test.MinHits && c.Misses {
		fmt.Fprintf(e.out, "%s: %q has %d of %d (%d matches, %s)\n", test.Type, test.Q, hits, test.MinHits, result.Total, result.Reading.Step)
		for _, found := range result.Items {
			fmt.Fprintf(e.out, "    %s\n", nameAndCity(found.Name, found.City))
		}
	}
	return hits >= test.MinHits, nil
}

// names reads what the ids of the cases stand for.
func (c *searchEvaluateCommand) names() (map[string]string, error) {
	f, err := os.Open(c.Entries)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Entries, err)
	}
	id, name, city := slices.Index(header, "id"), slices.Index(header, "name"), slices.Index(header, "city")
	if min(id, name, city) < 0 {
		return nil, fmt.Errorf("%s: the header must name id, name and city", c.Entries)
	}
	names := map[string]string{}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Entries, err)
		}
		names[record[id]] = nameAndCity(record[name], &record[city])
	}
}

func nameAndCity(name string, city *string) string {
	if city == nil || *city == "" {
		return name
	}
	return name + ", " + *city
}
