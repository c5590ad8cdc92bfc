package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"homeplace/core"
	"homeplace/core/moderation"
	"homeplace/core/moderation/evaluation"
	"homeplace/core/moderation/spamscore"
	"homeplace/core/rowfile"
)

type moderationCommand struct {
	Check moderationCheckCommand `cmd:"" help:"Judge the texts of a file by the built-in rules, without a database and without storing anything, and measure the verdicts where the file says what they should be."`
	Train moderationTrainCommand `cmd:"" help:"Make weights for the spam score from texts with labels."`
}

type moderationCheckCommand struct {
	File    string `arg:"" help:"JSON Lines, or CSV with a header: id, text and, to measure, label (ok, offensive, abuse, spam), subtype, source, orig_label; - is standard input."`
	Format  string `help:"jsonl or csv; told from the contents when empty." enum:",jsonl,csv" default:""`
	Weights string `help:"Weights of the spam score, from homeplace moderation train, in place of the built-in ones." type:"existingfile" placeholder:"FILE"`
}

// judged is a line of the answer.
type judged struct {
	ID      json.RawMessage      `json:"id"`
	Verdict core.Decision        `json:"verdict"`
	Score   float64              `json:"score"`
	Reasons []moderation.Finding `json:"reasons"`
}

// Run prints a line for each text; where there are labels, what was measured
// goes to standard error. Lines that cannot be read are named there, too.
func (c *moderationCheckCommand) Run(e *environment) error {
	rules := moderation.DefaultRules()
	if c.Weights != "" {
		model, err := readFile(c.Weights, spamscore.Read)
		if err != nil {
			return err
		}
		rules.Spam = model
	}
	out := json.NewEncoder(e.out)
	out.SetEscapeHTML(false)
	report := evaluation.New()
	bad, err := eachText(e, c.File, c.Format, func(t textRow) error {
		verdict := moderation.Judge(t.Text, moderation.Context{}, rules)
		if t.Label != "" {
			report.Add(t.Labelled, verdict.Decision)
		}
		return out.Encode(judged{t.id, verdict.Decision, verdict.Score, append([]moderation.Finding{}, verdict.Findings...)})
	})
	if bad > 0 {
		fmt.Fprintf(e.messages, "%d lines could not be read; they are named above\n", bad)
	}
	if report.Any() {
		report.Print(e.messages)
	}
	return err
}

type moderationTrainCommand struct {
	File   string `arg:"" help:"JSON Lines, or CSV with a header: text and label, which is spam or anything else; - is standard input."`
	Format string `help:"jsonl or csv; told from the contents when empty." enum:",jsonl,csv" default:""`
	Output string `help:"File for the weights." default:"spam-weights.json" type:"path" placeholder:"FILE"`
}

// Run trains on all texts with a label and writes the weights.
func (c *moderationTrainCommand) Run(e *environment) (err error) {
	var texts []spamscore.Labelled
	spam := 0
	bad, err := eachText(e, c.File, c.Format, func(t textRow) error {
		if t.Label == "" {
			return &rowfile.LineError{Line: t.line, Err: errors.New("has no label")}
		}
		if t.Label == "spam" {
			spam++
		}
		texts = append(texts, spamscore.Labelled{Text: t.Text, Spam: t.Label == "spam"})
		return nil
	})
	switch {
	case err != nil:
		return err
	case bad > 0:
		return fmt.Errorf("%d lines of %s cannot be used; mend the lines named above", bad, c.File)
	case spam == 0 || spam == len(texts):
		return fmt.Errorf("%s has %d texts, %d of them spam; training needs both kinds", c.File, len(texts), spam)
	}
	f, err := os.Create(c.Output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := spamscore.Train(texts).Write(f); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d texts, %d of them spam: the weights are in %s\n", len(texts), spam, c.Output)
	return nil
}

// textRow is a text of a file, its id as the file has it.
type textRow struct {
	evaluation.Labelled
	id   json.RawMessage
	line int
}

// eachText reads a file of texts. Lines that cannot be read, or that use returns
// a LineError for, are named and counted; the rest is read.
func eachText(e *environment, name, format string, use func(textRow) error) (bad int, err error) {
	var source io.ReadCloser = io.NopCloser(e.in)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		source = f
	}
	defer source.Close()
	rows, err := rowfile.NewReader(source, rowfile.Format(format))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	for e.Err() == nil {
		row, err := rows.Next()
		if err == io.EOF {
			return bad, nil
		}
		if err == nil {
			err = useRow(row, use)
		}
		var wrong *rowfile.LineError
		if errors.As(err, &wrong) {
			bad++
			fmt.Fprintln(e.messages, wrong)
		} else if err != nil {
			return bad, fmt.Errorf("%s: %w", name, err)
		}
	}
	return bad, e.Err()
}

func useRow(row rowfile.Row, use func(textRow) error) error {
	t := textRow{id: row.Fields["id"], line: row.Line}
	if err := json.Unmarshal(row.Fields["text"], &t.Text); err != nil {
		return &rowfile.LineError{Line: row.Line, Err: errors.New(`needs a "text" that is a string`)}
	}
	for name, field := range map[string]*string{"label": &t.Label, "subtype": &t.Subtype, "source": &t.Source, "orig_label": &t.Of} {
		if value, ok := row.Fields[name]; ok && json.Unmarshal(value, field) != nil {
			return &rowfile.LineError{Line: row.Line, Err: fmt.Errorf("%q must be a string", name)}
		}
	}
	if t.ID = string(t.id); json.Unmarshal(t.id, &t.ID) != nil {
		t.ID = string(t.id)
	}
	return use(t)
}
