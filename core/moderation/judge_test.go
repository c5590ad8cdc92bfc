package moderation

import (
	"strings"
	"testing"
	"time"

	"homeplace/core"
)

func judge(s string, about Context) Verdict { return Judge(s, about, DefaultRules()) }

func TestJudge_decisions(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]core.Decision{
		"": core.DecisionApprove, "The peach cobbler is worth the drive.": core.DecisionApprove, "damn, this shit is good": core.DecisionApprove,
		"I hate Muslims": core.DecisionReview, "you are an idiot": core.DecisionReview, "Subscribe to my channel": core.DecisionReview,
		"kill all Muslims": core.DecisionReject, "k1ll yourself": core.DecisionReject,
		`He wrote "kill all Muslims" on the wall and got arrested`: core.DecisionApprove,
		`"kill all Muslims"`: core.DecisionReview,
		"You have won £1000! Call 09061234567 now to claim, 150p/msg. Reply STOP to opt out. T&Cs apply": core.DecisionReject,
	} {
		v := judge(s, Context{})
		if v.Decision != want {
			t.Errorf("%q: %s (%v), want %s", s, v.Decision, v.Findings, want)
		}
		if (v.Score >= refuses) != (v.Decision == core.DecisionReject) || (v.Score < holds) != (v.Decision == core.DecisionApprove) {
			t.Errorf("%q: the score %v does not fit %s", s, v.Score, v.Decision)
		}
	}
}

func TestJudge_graveSuspicionIsForAPerson(t *testing.T) {
	t.Parallel()
	if v := judge("you are an idiot", Context{}); !v.Borderline {
		t.Errorf("an insult is for the model: %+v", v)
	}
	for _, s := range []string{"I hate Muslims", "hello there", "kill yourself"} {
		if v := judge(s, Context{}); v.Borderline {
			t.Errorf("%q is for the model: %+v", s, v)
		}
	}
}

func TestJudge_reasonsPointIntoTheText(t *testing.T) {
	t.Parallel()
	const s = "Well, Ι h@te Muslims a lot." // the I is Greek
	v := judge(s, Context{})
	if len(v.Findings) == 0 || v.Findings[0].Code != "hate" || !strings.Contains(v.Findings[0].Detail, "h@te Muslims") {
		t.Fatalf("reasons %+v", v.Findings)
	}
	if span := v.Findings[0].Span; s[span.Start:span.End] != "h@te Muslims" {
		t.Errorf("the span is %q", s[span.Start:span.End])
	}
}

// TestJudge_context: 1 - (1-0.6)·(1-0.1) = 0.64.
func TestJudge_context(t *testing.T) {
	t.Parallel()
	v := judge("hello", Context{AddressBlocks: 1, AccountAge: time.Hour})
	if v.Decision != core.DecisionReview || v.Score != 0.64 || v.Findings[0].Code != "address_history" || v.Findings[1].Code != "new_account" {
		t.Errorf("%+v", v)
	}
	all := Context{AddressBlocks: 9, RefusedBefore: 9, SentLastHour: 900, Duplicates: 9, NearDuplicates: 9, AccountAge: time.Second}
	if v := judge("hello", all); v.Decision != core.DecisionReview {
		t.Errorf("who sends a text refuses it alone: %+v", v)
	}
	if v := judge("hello", Context{SentLastHour: 3, AccountAge: 48 * time.Hour}); v.Decision != core.DecisionApprove || v.Score != 0 {
		t.Errorf("a busy member: %+v", v)
	}
}

func TestJudge_boundedTime(t *testing.T) {
	t.Parallel()
	judge("", Context{}) // the default rules are made at the first use
	for _, s := range []string{strings.Repeat("call to claim ", 4600), strings.Repeat("send 1", 11000), strings.Repeat("\u200b", 21000), strings.Repeat("reply stop ", 6000)} {
		start := time.Now()
		judge(s, Context{})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%.20q… took %v", s, took)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("I h8 you", "saying")
	f.Add("W1N £££ at www.example.xyz", "")
	f.Fuzz(func(t *testing.T, s, kind string) {
		v := judge(s, Context{Kind: kind})
		if v.Score < 0 || v.Score > 1 || v.Borderline && v.Decision != core.DecisionReview {
			t.Fatalf("%q: %+v", s, v)
		}
		for _, r := range v.Findings {
			if r.Code == "" || r.Detail == "" || r.Span.End > len(s) {
				t.Fatalf("%q has the reason %+v", s, r)
			}
		}
	})
}
