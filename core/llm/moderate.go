package llm

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeplace/core"
)

// Decision is what should become of a text.
type Decision string

// The decisions.
const (
	Approve Decision = "approve"
	Review  Decision = "review" // by a person
	Reject  Decision = "reject"
)

// Verdict is what the model thinks of a text. The zero value decides nothing.
type Verdict struct {
	Decision Decision
	Score    float64 // how certain it is that the text is abuse: 0 is harmless, 1 certain
	Reason   string  // one sentence for moderators; it may quote the text
}

const (
	// maxModerated is the longest text in characters that is sent. A longer one
	// is not cut: abuse would go to its end.
	maxModerated = 10_000
	maxReason    = 500
	verdictSize  = 400 // tokens
	// thoughtsEnd is what some models write between their thoughts, in which
	// anything may stand, and their answer.
	thoughtsEnd = "</think>"
	// even is the score that divides approvals from rejections.
	even = 0.5
)

// ErrNoVerdict says that the model answered with something else than what it
// was asked for, as it does when it follows a text instead of judging it.
var ErrNoVerdict = errors.New("the language model gives no valid verdict")

//go:embed moderate.txt
var instructions string

// verdictSchema is that of the answer. The mark is no constant in it, since a
// server that fills in constants would prove nothing about its model.
var verdictSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["mark","decision","score","reason"],"properties":{` +
	`"mark":{"type":"string"},"decision":{"type":"string","enum":["approve","review","reject"]},` +
	`"score":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string"}}}`)

// Moderate asks what to do with a text that somebody wrote; the text alone is
// sent. After an error there is no verdict, and a person decides: no failure
// rejects anything. Errors are ErrNoVerdict, core.Invalid for a text that is
// empty or too long, and those of Complete.
func (c *Client) Moderate(ctx context.Context, text string) (Verdict, error) {
	return moderate(ctx, text, c.Complete)
}

func moderate(ctx context.Context, text string, ask func(context.Context, Request) (string, error)) (Verdict, error) {
	var p core.Problems
	if p.Text("text", &text, 1, maxModerated); p.Err() != nil {
		return Verdict{}, p.Err()
	}
	mark := rand.Text()[:10]
	answer, err := ask(ctx, Request{
		System:    strings.ReplaceAll(instructions, "{mark}", mark),
		User:      fmt.Sprintf("BEGIN %s\n%s\nEND %s", mark, text, mark),
		Schema:    verdictSchema,
		MaxTokens: verdictSize,
	})
	if err != nil {
		return Verdict{}, err
	}
	v, err := parseVerdict(answer, mark)
	if err == nil {
		err = v.validate()
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrNoVerdict, err)
	}
	return v, nil
}

// parseVerdict reads the one JSON object in an answer. Thoughts, prose and code
// fences around it are forgiven, anything odd within it is not. Its errors do
// not quote the answer.
func parseVerdict(answer, mark string) (Verdict, error) {
	answer = answer[max(strings.LastIndex(answer, thoughtsEnd), 0):]
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if from < 0 || to < from {
		return Verdict{}, errors.New("there is no JSON object in it")
	}
	fields, err := members(answer[from : to+1])
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	var seen string
	for name, into := range map[string]any{"mark": &seen, "decision": &v.Decision, "score": &v.Score, "reason": &v.Reason} {
		value, ok := fields[name]
		if !ok || string(value) == "null" || json.Unmarshal(value, into) != nil {
			return Verdict{}, fmt.Errorf("%q is missing or of another type", name)
		}
	}
	if len(fields) > 4 {
		return Verdict{}, errors.New("it has further members")
	}
	if seen != mark {
		return Verdict{}, errors.New("it does not carry the mark of the question")
	}
	v.Reason = strings.Join(strings.Fields(v.Reason), " ")
	return v, nil
}

// validate also refuses verdicts that contradict themselves.
func (v Verdict) validate() error {
	odd := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	switch {
	case v.Decision != Approve && v.Decision != Review && v.Decision != Reject:
		return errors.New("its decision is none of approve, review and reject")
	case !(v.Score >= 0 && v.Score <= 1):
		return errors.New("its score is not from 0 to 1")
	case v.Decision == Approve && v.Score > even, v.Decision == Reject && v.Score < even:
		return errors.New("its decision and its score contradict each other")
	case v.Reason == "" || utf8.RuneCountInString(v.Reason) > maxReason || strings.ContainsFunc(v.Reason, odd):
		return errors.New("its reason is empty, too long or malformed")
	}
	return nil
}

// members reads an object, and nothing after it, and refuses a name that
// stands twice or in another case, which encoding/json would let pass.
func members(object string) (map[string]json.RawMessage, error) {
	malformed := errors.New("it is not one JSON object")
	fields := map[string]json.RawMessage{}
	in := json.NewDecoder(strings.NewReader(object))
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return nil, malformed
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, malformed
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, malformed
		}
		key, _ := name.(string)
		if _, twice := fields[key]; twice {
			return nil, errors.New("a member stands twice in it")
		}
		fields[key] = value
	}
	if _, err := in.Token(); err != nil || in.InputOffset() != int64(len(object)) {
		return nil, malformed
	}
	return fields, nil
}
