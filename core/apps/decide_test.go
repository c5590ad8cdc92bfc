package apps

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
)

func TestApprove(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	sent := w.submit(t, ben, "map", "places.json", `{"a": 1}`)
	if sent.Status != Waiting || sent.BaseVersion != 0 || *sent.Username != "ben" || sent.AppSlug != "map" || w.data(t, "map", "places.json") != "" {
		t.Errorf("sent %+v", sent)
	}
	for name, v := range map[string]core.Viewer{"the sender": ben, "another member": w.member(t, "cy"), "a moderator": w.moderator(t, "mod")} {
		_, err := w.Approve(t.Context(), v, sent.ID, ApproveInput{})
		if kind := core.KindOf(err); err == nil || kind != core.Forbidden && kind != core.NotFound {
			t.Errorf("an approval by %s gives %v", name, err)
		}
	}
	_, err := w.Approve(t.Context(), core.Nobody(), sent.ID, ApproveInput{})
	wantError(t, "nobody's approval", err, core.Unauthenticated, "unauthenticated")
	done, err := w.Approve(t.Context(), ada, sent.ID, ApproveInput{Reason: "Thank you"})
	if err != nil || done.Status != Approved || done.Reason != "Thank you" || *done.DecidedBy != "ada" || done.VersionNumber == nil || *done.VersionNumber != 1 {
		t.Fatalf("approved: %+v, %v", done, err)
	}
	if got := w.data(t, "map", "places.json"); got != `{"a": 1}` {
		t.Errorf("public is %s", got)
	}
	list, err := w.Versions(t.Context(), core.Nobody(), "map", "places.json", core.Page{})
	if err != nil || list.Total != 1 || list.Items[0].Source != FromSubmission || *list.Items[0].AuthorName != "ben" || !list.Items[0].Current {
		t.Errorf("history: %+v, %v", list.Items, err)
	}
	if len(w.till.paid) != 1 || w.till.paid[0].AccountID != ben.ID || w.till.paid[0].RefID != sent.ID || w.till.paid[0].Detail != "places.json for Map" {
		t.Errorf("paid %+v", w.till.paid)
	}
	_, err = w.Reject(t.Context(), ada, sent.ID, "")
	wantError(t, "a second decision", err, core.Conflict, "already_decided")
	if msg := core.AsError(err).Msg; !strings.Contains(msg, "approved") || !strings.Contains(msg, "ada") {
		t.Errorf("it says %q", msg)
	}
	wantError(t, "a withdrawal after the decision", w.Withdraw(t.Context(), ben, sent.ID), core.Conflict, "already_decided")
}

func TestOwnSubmissionPaysNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	own := w.submit(t, ada, "map", "a.json", `{"a":1}`)
	if _, err := w.Approve(t.Context(), ada, own.ID, ApproveInput{}); err != nil {
		t.Fatal(err)
	}
	same := w.submit(t, ben, "map", "a.json", `{"a":1}`)
	done, err := w.Approve(t.Context(), ada, same.ID, ApproveInput{})
	if err != nil || *done.VersionNumber != 1 || len(w.till.paid) != 0 {
		t.Errorf("the same bytes: version %v, paid %v, %v", done.VersionNumber, w.till.paid, err)
	}
	w.needs.Awards = nil
	other := w.submit(t, ben, "map", "a.json", `{"a":2}`)
	if _, err := w.Approve(t.Context(), ada, other.ID, ApproveInput{}); err != nil {
		t.Errorf("without a ledger: %v", err)
	}
}

func TestBaseChanged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	w.upload(t, ada, "map", "a.json", `{"n":1}`)
	first := w.submit(t, ben, "map", "a.json", `{"n":2}`)
	second := w.submit(t, ben, "map", "a.json", `{"n":3}`)
	outcomes, err := w.ApproveAll(t.Context(), ada, []string{first.ID, second.ID, "nonsense"}, "")
	if err != nil || len(outcomes) != 3 || outcomes[0].Err != nil || outcomes[0].Submission.Status != Approved {
		t.Fatalf("outcomes %+v, %v", outcomes, err)
	}
	wantError(t, "the second of the file", outcomes[1].Err, core.Conflict, "base_changed")
	wantError(t, "no id", outcomes[2].Err, core.NotFound, "not_found")
	compared, err := w.Difference(t.Context(), ada, second.ID)
	if err != nil || !compared.Submission.BaseChanged() || compared.Submission.CurrentVersion != 2 ||
		compared.Difference.Changes[0].Before != "2" || compared.Difference.Changes[0].After != "3" {
		t.Errorf("compared %+v, %v", compared, err)
	}
	old := 1
	_, err = w.Approve(t.Context(), ada, second.ID, ApproveInput{BaseSeen: &old})
	wantError(t, "a look at an older version", err, core.Conflict, "base_changed")
	if d := core.AsError(err).Details; d["base_version"] != 1 || d["current_version"] != 2 {
		t.Errorf("details %v", d)
	}
	if _, err := w.Approve(t.Context(), ada, second.ID, ApproveInput{BaseSeen: &compared.Submission.CurrentVersion}); err != nil {
		t.Errorf("an approval of what was looked at: %v", err)
	}
	third := w.submit(t, ben, "map", "a.json", `{"n":4}`)
	if err := w.RemoveFile(t.Context(), ada, "map", "a.json"); err != nil {
		t.Fatal(err)
	}
	_, err = w.Approve(t.Context(), ada, third.ID, ApproveInput{})
	wantError(t, "a file that is gone", err, core.Conflict, "base_changed")
	none := 0
	if done, err := w.Approve(t.Context(), ada, third.ID, ApproveInput{BaseSeen: &none}); err != nil || *done.VersionNumber != 1 {
		t.Errorf("brought back: %+v, %v", done, err)
	}
}

// Sixteen tabs on two instances end in one decision, one version, one payment.
func TestOneDecision(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	instances := []*Service{w.Service, w.second(t)}
	for round := range 5 {
		sent := w.submit(t, ben, "map", "a.json", fmt.Sprintf(`{"round":%d}`, round))
		var group sync.WaitGroup
		errs := make([]error, 16)
		for tab := range errs {
			group.Go(func() {
				s := instances[tab%2]
				if tab%4 < 2 {
					_, errs[tab] = s.Approve(t.Context(), ada, sent.ID, ApproveInput{})
				} else {
					_, errs[tab] = s.Reject(t.Context(), ada, sent.ID, "no")
				}
			})
		}
		group.Wait()
		won := 0
		for _, err := range errs {
			var known *core.Error
			switch {
			case err == nil:
				won++
			case !errors.As(err, &known) || known.Code != "already_decided":
				t.Errorf("a tab that lost: %v", err)
			}
		}
		if won != 1 {
			t.Errorf("%d tabs decided", won)
		}
	}
	approved := w.count(t, `select count(*) from app_submissions where status = 'approved'`)
	if versions := w.count(t, `select count(*) from app_file_versions`); versions != approved || len(w.till.paid) != approved {
		t.Errorf("%d approved, %d versions, %d paid", approved, versions, len(w.till.paid))
	}
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	sent := w.submit(t, ben, "map", "a.json", `[]`)
	wantError(t, "nobody's withdrawal", w.Withdraw(t.Context(), core.Nobody(), sent.ID), core.Unauthenticated, "unauthenticated")
	wantError(t, "the owner's withdrawal", w.Withdraw(t.Context(), ada, sent.ID), core.Forbidden, "not_allowed")
	wantError(t, "a stranger's withdrawal", w.Withdraw(t.Context(), w.member(t, "cy"), sent.ID), core.NotFound, "not_found")
	if err := w.Withdraw(t.Context(), ben, sent.ID); err != nil {
		t.Fatal(err)
	}
	_, err := w.Approve(t.Context(), ada, sent.ID, ApproveInput{})
	wantError(t, "an approval of what was withdrawn", err, core.Conflict, "already_decided")
	mine, err := w.MySubmissions(t.Context(), ben, core.Page{})
	if err != nil || mine.Total != 1 || mine.Items[0].Status != Withdrawn {
		t.Errorf("mine: %+v, %v", mine, err)
	}
}
