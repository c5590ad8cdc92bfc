package words

import (
	"strings"
	"testing"

	"homeplace/core/moderation/text"
)

func compile(t *testing.T, rules ...Rule) *List {
	t.Helper()
	for i := range rules {
		if rules[i].Severity == 0 {
			rules[i].Severity = 1
		}
	}
	list, err := Compile(rules, Classes{"colour": {"red", "green"}, "noun": {"garden", "lantern"}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// found are the parts of a text that rules of a list match.
func found(l *List, s, kind string) string {
	var parts []string
	for _, m := range l.Match(text.Normalize(s).Tokens(), kind) {
		parts = append(parts, s[m.Span.Start:m.Span.End])
	}
	return strings.Join(parts, "|")
}

func TestMatch_terms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ term, text, want string }{
		{"lantern", "The Lantern, lanterns and LANTERN.", "Lantern|LANTERN"},
		{"old lantern", "an old lantern; old. lantern", "old lantern"},
		{"{colour} lantern", "a red lantern, a blue lantern", "red lantern"},
		{"{colour}|big lantern", "big lantern", "big lantern"},
		{"red very? lantern", "red lantern, red very lantern, red very very lantern", "red lantern|red very lantern"},
		{"red very* lantern", "red very very lantern", "red very very lantern"},
		{"red .. lantern", "red a b c lantern", "red a b c lantern"},
		{"red .. lantern", "red a b c d lantern", ""},
		{"red ..4 lantern", "red a b c d lantern", "red a b c d lantern"},
		{"red ...", "no red lantern here. Not there", "red lantern here"},
		{"^ red", "red and red. Red", "red|Red"},
		{"garden", "gardening in Gardenia", ""},
	} {
		l := compile(t, Rule{Term: tt.term, Action: Review})
		if got := found(l, tt.text, ""); got != tt.want {
			t.Errorf("%q in %q finds %q, want %q", tt.term, tt.text, got, tt.want)
		}
	}
}

func TestMatch_disguises(t *testing.T) {
	t.Parallel()
	l := compile(t, Rule{Term: "{noun}", Action: Review}, Rule{Term: "the {noun}", Action: Review})
	for _, disguise := range []string{
		"lantern", "LANTERN", "l a n t e r n", "l.a.n.t.e.r.n", "l_a_n_t_e_r_n", "l4nt3rn", "1antern", "lan\u200btern", "ｌａｎｔｅｒｎ",
		"lаntеrn", "laaaantern", "lanternnnnn", "l*ntern", "l**tern", "latnern", "lantrn", "lan-tern", "#lantern", "thelantern",
	} {
		if found(l, disguise, "") == "" {
			t.Errorf("%q is not seen through", disguise)
		}
	}
	for _, other := range []string{"lanterns", "slantern", "atern", "l", "lan tern", "l******", "lateen", "gardens"} {
		if got := found(l, other, ""); got != "" {
			t.Errorf("%q is taken for a listed word", other)
		}
	}
}

func TestMatch_allowBeatsWhatItCovers(t *testing.T) {
	t.Parallel()
	l := compile(t, Rule{Term: "lantern", Action: Deny, Severity: 3}, Rule{Term: "green lantern", Action: Allow})
	if got := found(l, "a green lantern and a red lantern", ""); got != "lantern" {
		t.Errorf("found %q, want the red one alone", got)
	}
}

func TestMatch_scope(t *testing.T) {
	t.Parallel()
	l := compile(t, Rule{Term: "lantern", Action: Review, Scope: "profile review"})
	for kind, want := range map[string]string{"profile": "lantern", "review": "lantern", "saying": "", "": "lantern"} {
		if got := found(l, "lantern", kind); got != want {
			t.Errorf("in a %q: %q, want %q", kind, got, want)
		}
	}
}

func TestCompile_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]string{
		"{nothing}": `there is no class "nothing"`, "..9 word": "is no gap", "..": "would match everything", "word?": "would match everything",
		"a ... b": "nothing may follow", "se-cond": "is not one word", strings.Repeat("a ", 13): "12 are possible",
	} {
		_, err := Compile([]Rule{{Term: term, Action: Review, Severity: 1}}, Classes{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", term, err, want)
		}
	}
}

func TestReadRules_namesTheLine(t *testing.T) {
	t.Parallel()
	const header = "term,action,severity,category,scope,note\n"
	for in, want := range map[string]string{
		"a,b,c,d,e,f\n":                  "the header is",
		header + "word,forbid,1,,,\n":    `line 2: "forbid" is no action`,
		header + "\nword,deny,4,,,\n":    "line 3: severity 4",
		header + "word,deny,high,,,\n":   `line 2: severity "high"`,
		header + " ,deny,1,,,\n":         "line 2: the term is empty",
		header + "a,deny,1,,,\nb,deny\n": "wrong number of fields",
	} {
		if _, err := ReadRules(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", in, err, want)
		}
	}
}
