package moderation

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/moderation/words"
)

// Origin is where a word rule comes from.
type Origin string

// The origins.
const (
	OriginOurs  Origin = "ours"  // it comes with the program
	OriginAdded Origin = "added" // an administrator wrote it
)

// State is what becomes of a word rule.
type State string

// The states. A draft was never in force as it is written now.
const (
	StateDraft State = "draft"
	StateOn    State = "on"
	StateOff   State = "off"
)

// Lengths of a rule's texts in Unicode characters.
const (
	MaxTerm     = 300
	MaxScope    = 200
	MaxNote     = 500
	maxCategory = 30
)

// MaxRules is how many rules can be added.
const MaxRules = 2000

// WordRule is a rule as administrators see it.
type WordRule struct {
	ID        string
	Term      string
	Action    words.Action
	Severity  int
	Category  string
	Scope     string
	Note      string
	State     State
	Origin    Origin
	CreatedBy string    // username; empty for those of the program, and where somebody left
	CreatedAt time.Time // zero for those of the program
	UpdatedAt time.Time // when what it matches or does last changed
	Tried     bool      // as it is now, so that it can be switched on
}

// RuleInput is what an administrator writes for a rule.
type RuleInput struct {
	Term     string
	Action   words.Action
	Severity int    // 1 mild to 3 grave
	Category string // lower-case letters and _, such as "threat"
	Scope    string // kinds of text with blanks between them; empty is all
	Note     string
}

// RuleFilter narrows Rules; the zero value is all of them.
type RuleFilter struct {
	Query    string // part of the term, category or note
	Action   words.Action
	Category string
	Origin   Origin
	Page     core.Page
}

// RuleList is a page of the rules, with what can be filtered by.
type RuleList struct {
	core.List[WordRule]
	Categories []string // of all rules
}

// RulePaging is the paging of the list.
var RulePaging = core.PageRule{Default: 50, Max: 200}

var (
	categoryForm = regexp.MustCompile(`^[a-z][a-z_]*$`)
	scopeForm    = regexp.MustCompile(`^[a-z][a-z_]*( [a-z][a-z_]*)*$`)
)

// check cleans the input in place. What the term means is asked of the compiler
// alone, so that there is one answer.
func (in *RuleInput) check() error {
	var p core.Problems
	in.Term, in.Scope = strings.Join(strings.Fields(in.Term), " "), strings.Join(strings.Fields(in.Scope), " ")
	p.Line("term", &in.Term, 1, MaxTerm)
	p.Line("category", &in.Category, 1, maxCategory)
	p.Line("scope", &in.Scope, 0, MaxScope)
	p.Text("note", &in.Note, 0, MaxNote)
	switch in.Action {
	case words.Deny, words.Review, words.Allow:
	default:
		p.Add("action", "must be deny, review or allow, not %q", string(in.Action))
	}
	if in.Severity < 1 || in.Severity > 3 {
		p.Add("severity", "must be 1, 2 or 3")
	}
	if in.Category != "" && !categoryForm.MatchString(in.Category) {
		p.Add("category", "must be lower-case letters and _, such as threat")
	}
	if in.Scope != "" && !scopeForm.MatchString(in.Scope) {
		p.Add("scope", "must be kinds of text with blanks between them, such as saying poll_comment")
	}
	if in.Term != "" {
		if _, err := words.Compile([]words.Rule{in.rule()}, words.DefaultClasses()); err != nil {
			p.Add("term", "%v", err)
		}
	}
	return p.Err()
}

func (in *RuleInput) rule() words.Rule {
	return words.Rule{Term: in.Term, Action: in.Action, Severity: in.Severity, Category: in.Category, Scope: in.Scope, Note: in.Note}
}

// Input is the rule as its form has it.
func (r WordRule) Input() RuleInput {
	return RuleInput{Term: r.Term, Action: r.Action, Severity: r.Severity, Category: r.Category, Scope: r.Scope, Note: r.Note}
}

// trialHash is that of what a rule matches and does; what it is called and why
// it is there makes no difference.
func trialHash(r words.Rule) []byte {
	written, _ := json.Marshal([]any{r.Term, r.Action, r.Severity, r.Scope}) // strings and a number never fail
	sum := sha256.Sum256(written)
	return sum[:]
}

// builtinID names a rule of the program, the same in every installation.
func builtinID(r words.Rule) string {
	sum := sha256.Sum256([]byte("word rule " + r.Term + "\n" + r.Scope))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of our own making (RFC 9562 §5.8)
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func builtin(r words.Rule) WordRule {
	return WordRule{ID: builtinID(r), Term: r.Term, Action: r.Action, Severity: r.Severity, Category: r.Category, Scope: r.Scope, Note: r.Note,
		State: StateOn, Origin: OriginOurs}
}

func (f RuleFilter) matches(r WordRule) bool {
	query := strings.ToLower(f.Query)
	return (f.Action == "" || f.Action == r.Action) && (f.Category == "" || f.Category == r.Category) && (f.Origin == "" || f.Origin == r.Origin) &&
		(query == "" || strings.Contains(strings.ToLower(r.Term+"\n"+r.Category+"\n"+r.Note), query))
}
