// Package evaluation measures the search: it runs queries of which it is known
// what a good answer holds, and scores each type of them.
package evaluation

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/search"
)

// Case is a query with what a good answer holds: at least MinHits of the
// relevant entries among the first K.
type Case struct {
	Type     string
	Q        string
	Params   struct{ Kinds, Zip string }
	K        int
	MinHits  int      `json:"min_hits"`
	Relevant []string `json:"relevant_ids"`
}

const maxLine = 8 << 20

// ReadCases reads a case from each line. Errors name the line.
func ReadCases(r io.Reader) ([]Case, error) {
	var cases []Case
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// Names says what the ids of the cases stand for: name and city.
type Names map[string]string

// ReadNames reads a CSV with the columns id, name and city.
func ReadNames(r io.Reader) (Names, error) {
	rows := csv.NewReader(r)
	header, err := rows.Read()
	if err != nil {
		return nil, err
	}
	id, name, city := slices.Index(header, "id"), slices.Index(header, "name"), slices.Index(header, "city")
	if min(id, name, city) < 0 {
		return nil, fmt.Errorf("the header must name id, name and city")
	}
	names := Names{}
	for {
		record, err := rows.Read()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
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

// Outcome is what a case found.
type Outcome struct {
	Case
	Hits  int
	Total int
	Step  search.Step
	Found []string // names with cities, best first
}

// Passed tells whether enough of the relevant entries were found.
func (o Outcome) Passed() bool { return o.Hits >= o.MinHits }

// Run searches for one case.
func Run(ctx context.Context, s *search.Service, c Case, names Names) (Outcome, error) {
	query := search.Query{Text: c.Q, ZIP: c.Params.Zip, Page: core.Page{Limit: c.K}}
	for kind := range strings.SplitSeq(c.Params.Kinds, ",") {
		if k, ok := directory.ParseKind(kind); ok {
			query.Kinds = append(query.Kinds, k)
		}
	}
	result, err := s.Search(ctx, query)
	if err != nil {
		return Outcome{}, fmt.Errorf("search %q: %w", c.Q, err)
	}
	relevant := map[string]bool{}
	for _, id := range c.Relevant {
		relevant[names[id]] = true
	}
	o := Outcome{Case: c, Total: result.Total, Step: result.Reading.Step}
	for _, item := range result.Items {
		found := nameAndCity(item.Name, item.City)
		o.Found = append(o.Found, found)
		if relevant[found] {
			o.Hits++
		}
	}
	return o, nil
}

// Score counts the cases of one type.
type Score struct{ Passed, All int }

// Percent is the share of those that passed, of 100.
func (s Score) Percent() float64 { return 100 * float64(s.Passed) / float64(s.All) }

// Scores counts outcomes by type.
func Scores(outcomes []Outcome) map[string]Score {
	scores := map[string]Score{}
	for _, o := range outcomes {
		score := scores[o.Type]
		score.All++
		if o.Passed() {
			score.Passed++
		}
		scores[o.Type] = score
	}
	return scores
}
