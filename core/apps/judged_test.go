package apps

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"homeplace/core"
)

// judge is a pipeline that tells by a word of the text.
type judge struct{ texts []core.Text }

func (j *judge) Judge(_ context.Context, _ core.Viewer, t core.Text) (core.Verdict, error) {
	j.texts = append(j.texts, t)
	switch {
	case strings.Contains(t.Body, "vile"):
		return core.Verdict{Decision: core.DecisionReject}, nil
	case strings.Contains(t.Body, "odd"):
		return core.Verdict{Decision: core.DecisionReview}, nil
	case strings.Contains(t.Body, "broken"):
		return core.Verdict{}, errors.New("the pipeline is away")
	}
	return core.Verdict{Decision: core.DecisionApprove}, nil
}

// A message that is rejected is not sent, with its file; one that would be held
// goes to the owner with a word of caution.
func TestMessagesAreJudged(t *testing.T) {
	t.Parallel()
	w, j := setup(t), &judge{}
	w.needs.Moderator = j
	owner, ada := w.member(t, "owner"), w.member(t, "ada")
	w.app(t, owner, "trail")
	send := func(slug, message string) (Submission, error) {
		return w.Submit(t.Context(), ada, slug, SubmitInput{Filename: "data.json", Content: json.RawMessage(`{}`), Message: message, From: core.Origin{AddressKey: "192.0.2.1"}})
	}
	for message, questionable := range map[string]bool{"": false, "Two places are new.": false, "An odd word.": true, "broken": true} {
		sent, err := send("trail", message)
		if err != nil || sent.Questionable != questionable || sent.Status != Waiting || sent.Message != message {
			t.Errorf("%q: %+v, %v", message, sent, err)
			continue
		}
		read, err := w.Submission(t.Context(), owner, sent.ID)
		if err != nil || read.Questionable != questionable || read.Message != message {
			t.Errorf("the owner reads %+v, %v", read, err)
		}
	}
	for _, text := range j.texts {
		if text.Scope != "app_submission" || text.Body == "" || !core.ValidID(text.About.ID) || text.From.AddressKey != "192.0.2.1" {
			t.Errorf("the pipeline got %+v", text)
		}
	}
	before := w.count(t, `select count(*) from app_submissions`)
	_, err := send("trail", "A vile word.")
	wantError(t, "a message that is rejected", err, core.Invalid, "spam")
	if core.AsError(err).Fields["message"] == "" || w.count(t, `select count(*) from app_submissions`) != before {
		t.Errorf("it says %v, and %d are stored", err, w.count(t, `select count(*) from app_submissions`))
	}
	judged := len(j.texts)
	_, err = send("nowhere", "A vile word.")
	if core.KindOf(err) != core.NotFound || len(j.texts) != judged {
		t.Errorf("for an app that is not there: %v", err)
	}
}
