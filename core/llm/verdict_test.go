package llm

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const sound = `{"mark":"M","decision":"review","score":0.4,"reason":"Unclear."}`

func TestParseVerdict(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		sound,
		" \n" + sound + "\n",
		"```json\n" + sound + "\n```",
		"```\n" + sound + "```",
		"Here is my verdict:\n\n" + sound,
		sound + "\nLet me know if you need more.",
		"<think>Is {this} abuse? " + sound + "</think>\n" + sound,
		`{"reason":" Un\u0063lear. ", "score":4e-1,"decision":"review","mark":"M"}`,
	} {
		want := Verdict{Decision: Review, Score: 0.4, Reason: "Unclear."}
		if v, err := parseVerdict(answer, "M"); err != nil || v.validate() != nil || v != want {
			t.Errorf("parseVerdict(%q) = %+v, %v", answer, v, err)
		}
	}
}

func TestParseVerdict_refuses(t *testing.T) {
	t.Parallel()
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(sound) }
	for name, answer := range map[string]string{
		"nothing":            "",
		"prose":              "It is fine.",
		"brackets":           "}{",
		"half":               sound[:len(sound)-2],
		"an array":           "[" + `"approve"` + "]",
		"two objects":        sound + sound,
		"a quoted object":    "You sent {}. " + sound,
		"an object within":   `{"verdict":` + sound + `}`,
		"bad JSON":           with(`"M"`, `M`),
		"a trailing comma":   with(`."}`, `.",}`),
		"without mark":       with(`"mark":"M",`, ``),
		"another mark":       with(`"M"`, `"m"`),
		"a mark as number":   with(`"M"`, `1`),
		"no such decision":   with(`review`, `spam`),
		"a capital decision": with(`review`, `Review`),
		"an empty decision":  with(`review`, ``),
		"a null decision":    with(`"review"`, `null`),
		"a low score":        with(`0.4`, `-0.1`),
		"a high score":       with(`0.4`, `1.1`),
		"a percentage":       with(`0.4`, `40`),
		"a text as score":    with(`0.4`, `"0.4"`),
		"no number":          with(`0.4`, `NaN`),
		"beyond numbers":     with(`0.4`, `1e999`),
		"no score":           with(`"score":0.4,`, ``),
		"a null score":       with(`0.4`, `null`),
		"no reason":          with(`Unclear.`, ` `),
		"a long reason":      with(`Unclear.`, strings.Repeat("x", 501)),
		"a control reason":   with(`Unclear.`, `a\u0000b`),
		"a list as reason":   with(`"Unclear."`, `["Unclear."]`),
		"a further member":   with(`."}`, `.","spam":true}`),
		"a member twice":     with(`."}`, `.","decision":"approve"}`),
		"a capital member":   with(`"score"`, `"Score"`),
		"approve, but 0.6":   with(`review`, `approve`, `0.4`, `0.6`),
		"reject, but 0.4":    with(`review`, `reject`),
	} {
		v, err := parseVerdict(answer, "M")
		if err == nil {
			err = v.validate()
		}
		if err == nil || strings.Contains(err.Error(), "clear") {
			t.Errorf("%s: parseVerdict(%q) = %+v, %v", name, answer, v, err)
		}
	}
}

func FuzzParseVerdict(f *testing.F) {
	for _, seed := range []string{sound, "```json\n" + sound + "```", "{}", `{"mark":"M","mark":"M"}`, "</think>{", "{{}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		v, err := parseVerdict(answer, "M")
		if err != nil || v.validate() != nil {
			return
		}
		again, err := json.Marshal(map[string]any{"mark": "M", "decision": v.Decision, "score": v.Score, "reason": v.Reason})
		if err != nil {
			t.Fatal(err)
		}
		if same, err := parseVerdict(string(again), "M"); err != nil || same != v {
			t.Errorf("parseVerdict(%q) = %+v", answer, v)
		}
	})
}

// Whatever comes in, what goes out is lines of data, and how it is cut makes
// no difference.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\ndata: [DONE]\n\n", ": c\r\ndata:a\r\ndata: b\r\n\r\ndata: [DONE]", "data\n\n", "data: a", "\n\n\ndata:\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		whole, err := io.ReadAll(newEvents(io.NopCloser(strings.NewReader(in))))
		parts, again := io.ReadAll(iotest.OneByteReader(newEvents(io.NopCloser(iotest.OneByteReader(strings.NewReader(in))))))
		if string(whole) != string(parts) || (err == nil) != (again == nil) {
			t.Errorf("%q gives %q, %v at once and %q, %v in bytes", in, whole, err, parts, again)
		}
		for line := range strings.Lines(string(whole)) {
			if !strings.HasPrefix(line, "data: ") || !strings.HasSuffix(line, "\n") {
				t.Errorf("%q gives the line %q", in, line)
			}
		}
		if err == nil && !strings.HasSuffix(string(whole), "data: [DONE]\n") {
			t.Errorf("%q ends well without its end: %q", in, whole)
		}
	})
}
