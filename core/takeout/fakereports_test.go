package takeout

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core/accounts"
	"homeplace/core/fakereports"
)

func TestFakeReports(t *testing.T) {
	t.Parallel()
	w := setup(t)
	s := fakereports.New(w.db.DB, clock, fakereports.Needs{})
	ada, bea := w.account(t, "ada", accounts.RoleModerator), w.account(t, "bea", accounts.RoleMember)
	in := fakereports.Input{Category: "scam", Description: "A letter from <the bank>", ContentURL: "https://bank.example", SubmitterEmail: "ada@example.org"}
	sent, err := s.Send(t.Context(), ada, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), bea, fakereports.Input{Category: "other", Description: "Of another member"}); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal([]byte(unpacked(t, w.service(FakeReports(s)), ada)["fake-reports.json"]), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]map[string]any{{"id": sent.ID, "category": "scam", "description": "A letter from <the bank>", "platform": "", "handle": "",
		"content_url": "https://bank.example", "submitter_name": "", "submitter_email": "ada@example.org", "status": "pending", "reason": "",
		"decided_at": nil, "created_at": "2026-11-21T23:30:00Z"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
