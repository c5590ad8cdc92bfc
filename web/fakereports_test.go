package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/fakereports"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// decideFake decides about the report that was sent last, as the desk does.
func (w world) decideFake(t testing.TB, mod accounts.Account, action core.Action, reason string) {
	t.Helper()
	v := mod.Viewer()
	list, err := w.FakeReports.Recent(t.Context(), v, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.db.Write(t.Context(), v, func(tx *pg.Tx) error {
		_, err := w.FakeReports.Desk().DecideTx(t.Context(), tx, v, list[0].ID, action, reason)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func (w world) confirmedFake(t testing.TB, mod accounts.Account, in fakereports.Input) {
	t.Helper()
	if _, err := w.FakeReports.Send(t.Context(), core.Nobody(), in); err != nil {
		t.Fatal(err)
	}
	w.decideFake(t, mod, core.ActionApprove, "")
}

func TestFakeReportsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tree := w.page(t, "/report-fake", 200)
	wantText(t, "an empty list", tree, "Nothing is confirmed yet", "Report fake content")
	checkPage(t, "an empty list", tree)
	mo := w.moderator(t, "mo")
	w.confirmedFake(t, mo, fakereports.Input{Category: "scam", Description: "<script>alert(1)</script> & <b>bold</b>", Platform: "E-mail", Handle: "<i>@x</i>",
		ContentURL: "https://evil.example.org:8443/a.b?c=<d>", SubmitterName: "Ida Sender", SubmitterEmail: "ida@sender.example"})
	w.confirmedFake(t, mo, fakereports.Input{Category: "impersonation", Description: "هذا الحساب مزيف\nsecond line", Handle: "\u202eevil"})
	if _, err := w.FakeReports.Send(t.Context(), core.Nobody(), fakereports.Input{Category: "other", Description: "Still waits"}); err != nil {
		t.Fatal(err)
	}
	tree = w.page(t, "/report-fake", 200)
	checkPage(t, "the list", tree)
	wantText(t, "the list", tree, "All 2, the latest first", "<script>alert(1)</script> & <b>bold</b>", "<i>@x</i>", "هذا الحساب مزيف",
		"hxxps://evil[.]example[.]org:8443/a.b?c=<d>", "Addresses are written so that no click leads there.")
	body := w.do(http.MethodGet, "/report-fake").Body.String()
	for _, secret := range []string{"Ida Sender", "sender.example", "evil.example.org", "<script>alert", "Still waits"} {
		if strings.Contains(body, secret) {
			t.Errorf("the page has %q in it", secret)
		}
	}
	for _, p := range elements(tree, "p") {
		if class, _ := attribute(p, "class"); class == "said lines" {
			if dir, _ := attribute(p, "dir"); dir != "auto" {
				t.Errorf("the direction of a text is %q", dir)
			}
		}
	}
	for target, want := range map[string][]string{
		"/report-fake?category=scam":     {"All 1", "E-mail"},
		"/report-fake?category=other":    {"Nothing of that kind is confirmed", "Show all reports"},
		"/report-fake?category=nonsense": {"All 2"},
		"/report-fake?page=9":            {"All 2"},
	} {
		tree := w.page(t, target, 200)
		wantText(t, target, tree, want...)
		checkSound(t, target, tree)
	}
	if a := w.do(http.MethodGet, "/report-fake/"); a.Code != 301 || a.Header().Get("Location") != "/report-fake" {
		t.Errorf("a slash leads to %d %s", a.Code, a.Header().Get("Location"))
	}
	if a := w.do(http.MethodGet, "/report-fake"); a.Header().Get("Cache-Control") != "public, max-age=60" {
		t.Errorf("the list is kept %s", a.Header().Get("Cache-Control"))
	}
	for i := range 20 {
		w.confirmedFake(t, mo, fakereports.Input{Category: "scam", Description: fmt.Sprintf("Number %d", i)})
	}
	wantText(t, "the second page", w.page(t, "/report-fake?page=2", 200), "21–22 of 22", "<i>@x</i>")
	wantText(t, "the second page of scams", w.page(t, "/report-fake?category=scam&page=2", 200), "21–21 of 21")
	if body := w.do(http.MethodGet, "/sitemaps/start.xml").Body.String(); !strings.Contains(body, base+"/report-fake") {
		t.Error("the site map does not lead here")
	}
}

func TestFakeReportIsSentByNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mo, b := w.moderator(t, "mo"), w.browser(t)
	tree := b.page("/report-fake/new", 200)
	wantText(t, "the form", tree, "Report fake content", "Only the moderators read this.")
	checkPage(t, "the form", tree)
	tree = parsed(t, "a wrong form", b.post("/report-fake/new", "description", "ab", "content_url", "javascript:alert(1)", "handle", "\"><script>", "submitter_email", "ida"), 422)
	wantText(t, "a wrong form", tree, "4 things need another look", "Choose what it is", "Must have at least 3 characters, has 2",
		"Must be a whole web address that begins with http:// or https://", "Must be an address such as name@example.org")
	checkSound(t, "a wrong form", tree)
	if got := valueOf(tree, "handle") + valueOf(tree, "submitter_email"); got != "\"><script>ida" {
		t.Errorf("what was written is not kept: %q", got)
	}
	for what, text := range map[string]string{"NUL": "abc\x00", "an escape": "abc\x1b[2J", "broken UTF-8": "abc\xff", "too long": strings.Repeat("é", 4001)} {
		if a := b.post("/report-fake/new", "category", "scam", "description", text); a.Code != 422 {
			t.Errorf("%s gives %d", what, a.Code)
		}
	}
	a := b.post("/report-fake/new", "category", "scam", "description", "A letter\r\nfrom the bank", "content_url", "https://bank.example", "submitter_name", "Ida")
	if a.Code != 303 || a.Header().Get("Location") != "/report-fake/thanks" || a.Header().Get("Set-Cookie") != "" {
		t.Fatalf("sending gives %d %v", a.Code, a.Header())
	}
	for target, want := range map[string]string{"/report-fake/thanks": "Thank you for telling us", "/report-fake/thanks?outcome=spam": "This was taken for spam"} {
		tree := b.page(target, 200)
		wantText(t, target, tree, want)
		checkSound(t, target, tree)
	}
	w.decideFake(t, mo, core.ActionApprove, "")
	wantText(t, "the list", w.page(t, "/report-fake", 200), "A letter from the bank", "hxxps://bank[.]example")
	foreign := w.do(http.MethodPost, "/report-fake/new", "Origin", "https://elsewhere.test", "Sec-Fetch-Site", "cross-site", "Content-Type", "application/x-www-form-urlencoded")
	if foreign.Code != 403 {
		t.Errorf("a page of another site sends: %d", foreign.Code)
	}
}

func TestFakeReportsAreCountedByAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.Settings.Set(t.Context(), core.TheSystem(), "anonymous_submissions_per_hour", "2"); err != nil {
		t.Fatal(err)
	}
	if got := w.Settings.Number(settings.AnonymousSubmissionsPerHour); got != 2 {
		t.Fatalf("the setting is %d", got)
	}
	b := w.browser(t)
	send := func(b *browser) int {
		return b.post("/report-fake/new", "category", "scam", "description", "One of many").Code
	}
	for range 3 {
		b.post("/report-fake/new", "category", "scam") // what is not filled in does not count
	}
	if first, second := send(b), send(b); first != 303 || second != 303 {
		t.Errorf("sending gives %d, %d", first, second)
	}
	a := b.post("/report-fake/new", "category", "scam", "description", "One of many")
	tree := parsed(t, "one too many", a, 429)
	wantText(t, "one too many", tree, "That was a lot in a short time.", "One of many")
	if a.Header().Get("Retry-After") == "" {
		t.Error("it does not say when again")
	}
	if got := send(w.as(t, w.account(t, "ada"))); got != 303 {
		t.Errorf("a member at the same address gives %d", got)
	}
	err := w.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		_, err := w.Blocks.BlockTx(t.Context(), tx, core.TheSystem(), core.Abuse{From: core.Origin{AddressKey: "192.0.2.1"}, Reason: "A threat."})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := send(w.as(t, w.account(t, "ben"))); got != 403 {
		t.Errorf("a blocked address gives %d", got)
	}
}

func TestFakeReportOfAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, mo := w.account(t, "ada"), w.account(t, "ben"), w.moderator(t, "mo")
	b := w.as(t, ada)
	tree := b.page("/report-fake/new", 200)
	wantText(t, "the form", tree, "You are signed in")
	if strings.Contains(text(tree), "Your e-mail address") {
		t.Error("a member is asked for an e-mail address")
	}
	for _, description := range []string{"It is real after all", "Take me back", "Not she"} {
		if a := b.post("/report-fake/new", "category", "impersonation", "description", description, "handle", "@ada"); a.Code != 303 {
			t.Fatalf("sending gives %d", a.Code)
		}
		if description == "It is real after all" {
			w.decideFake(t, mo, core.ActionReject, "It is her own account.")
		}
	}
	wantText(t, "the thanks", b.page("/report-fake/thanks", 200), "See what becomes of it")
	w.decideFake(t, mo, core.ActionApprove, "")
	tree = b.page("/account/submissions", 200)
	wantText(t, "what was sent", tree, "Report of fake content", "Not she", "Confirmed", "Take me back", "Waiting for a moderator", "Not confirmed", "It is her own account.", "Pretending to be someone else · @ada")
	checkSound(t, "what was sent", tree)
	mine, err := w.FakeReports.Mine(t.Context(), ada.Viewer(), core.Page{})
	if err != nil {
		t.Fatal(err)
	}
	back := "/account/submissions/fakes/" + mine.Items[1].ID + "/withdraw"
	if a := w.as(t, ben).post(back); a.Code != 404 {
		t.Errorf("another takes it back: %d", a.Code)
	}
	if a := w.browser(t).post(back); a.Code != 401 {
		t.Errorf("nobody takes it back: %d", a.Code)
	}
	if a := b.post(back); a.Code != 303 {
		t.Errorf("taking it back gives %d", a.Code)
	}
	b.post("/account/submissions/fakes/" + mine.Items[0].ID + "/withdraw")
	wantText(t, "too late", b.page("/account/submissions", 200), "This report no longer waits")
	if strings.Contains(text(b.page("/account/submissions", 200)), "Take me back") {
		t.Error("it is still there")
	}
	if a := b.get("/account/submissions?fakes=9"); a.Code != 404 {
		t.Errorf("a page that there is not gives %d", a.Code)
	}
	if strings.Contains(text(w.as(t, ben).page("/account/submissions", 200)), "Not she") {
		t.Error("another member sees it")
	}
}
