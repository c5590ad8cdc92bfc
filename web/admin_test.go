package web_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/auditlog"
	"homeplace/core/sayings"
	"homeplace/web"
	"homeplace/web/httpx"
)

// administrator is an account that may see these pages.
func (w world) administrator(t testing.TB, name string) accounts.Account {
	t.Helper()
	a := w.account(t, name)
	if err := w.Accounts.SetRole(t.Context(), core.TheSystem(), name, accounts.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	a.Role = accounts.RoleAdmin
	return a
}

// logged are the latest decisions, as "who kind title: reason".
func (w world) logged(t *testing.T, kind string) (lines []string) {
	t.Helper()
	list, err := w.AuditLog.List(t.Context(), core.TheSystem(), auditlog.Filter{Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list.Items {
		lines = append(lines, strings.TrimSpace(r.Username+" "+r.Kind+" "+r.Title+": "+r.Reason))
	}
	return lines
}

var adminPages = []string{"/admin", "/admin/submissions", "/admin/submissions?source=saying", "/admin/settings", "/admin/settings/site", "/admin/settings/model",
	"/admin/users", "/admin/users?q=zzz", "/admin/users?role=staff", "/admin/users/ben", "/admin/users/ada"}

func TestOnlyAdministratorsAdminister(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben, mo, ada := w.account(t, "ben"), w.moderator(t, "mo"), w.administrator(t, "ada")
	forms := map[string][]string{"/admin/settings/site": {"site_name", "Mine", "was.site_name", "Homeplace"}, "/admin/users/ben/role": {"role", "admin", "confirm", "true"},
		"/admin/users/ben/points": {"delta", "5", "reason", "why not"}, "/admin/users/ben/sign-out": {}}
	for name, a := range map[string]accounts.Account{"a member": ben, "a moderator": mo} {
		b := w.as(t, a)
		for _, path := range append(adminPages, "/admin/roles") {
			if got := b.get(path); got.Code != http.StatusForbidden || strings.Contains(got.Body.String(), "@example.org") {
				t.Errorf("%s gets %d for %s", name, got.Code, path)
			}
		}
		for path, fields := range forms {
			if got := b.post(path, fields...); got.Code != http.StatusForbidden {
				t.Errorf("%s gets %d for posting %s", name, got.Code, path)
			}
		}
	}
	for _, path := range adminPages {
		if got := w.browser(t).get(path); got.Code != http.StatusSeeOther || !strings.HasPrefix(got.Header().Get("Location"), "/sign-in?next=") {
			t.Errorf("nobody gets %d for %s", got.Code, path)
		}
	}
	for path, fields := range forms {
		if got := w.browser(t).post(path, fields...); got.Code != http.StatusUnauthorized {
			t.Errorf("nobody gets %d for posting %s", got.Code, path)
		}
	}
	if lines := w.logged(t, ""); len(lines) != 1 {
		t.Errorf("besides her appointment something was done: %q", lines)
	}
	b := w.as(t, ada)
	for _, path := range adminPages {
		tree := b.page(path, http.StatusOK)
		t.Run(path, func(t *testing.T) {
			checkOutline(t, tree)
			checkReferences(t, tree)
			checkNothingInline(t, tree)
			checkSound(t, path, tree)
		})
	}
	for _, path := range []string{"/admin/settings/nothing", "/admin/users/nobody", "/admin/users?page=9", "/admin/submissions?page=9", "/admin/users/ben?page=9"} {
		if got := b.get(path); got.Code != http.StatusNotFound {
			t.Errorf("%s gives %d", path, got.Code)
		}
	}
	if got := b.get("/admin").Header().Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("/admin may be kept: %s", got)
	}
	wantText(t, "the first page", b.page("/", 200), "Administration")
	if strings.Contains(text(w.as(t, mo).page("/", 200)), "Administration") {
		t.Error("a moderator is led to the administrators' pages")
	}
}

func TestAdminOverview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben := w.account(t, "ben")
	w.moderator(t, "mo")
	if _, err := w.Sayings.Submit(t.Context(), ben.Viewer(), sayings.Input{Words: sayings.Words{Text: "Rivers <b>find</b> the sea."}}); err != nil {
		t.Fatal(err)
	}
	ada := w.as(t, w.administrator(t, "ada"))
	tree := ada.page("/admin", 200)
	wantText(t, "the overview", tree, "Members 1", "Moderators 1", "Administrators 1", "1 thing waits for a moderator.", "Rivers <b>find</b> the sea.", "No mail server", "No language model")
	if strings.Contains(text(tree), "proxy") {
		t.Error("it warns of a proxy that is not there")
	}
	wantText(t, "the feed", ada.page("/admin/submissions?source=saying", 200), "Rivers", "pending", "ben", "1 submission")
	wantText(t, "another source", ada.page("/admin/submissions?source=app", 200), "Nothing was sent in yet")
}

// A forwarding header from a peer that nobody configured shows on the overview.
func TestAdminOverviewWarnsOfAProxy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxies, err := httpx.NewProxies(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodGet, base, nil)
	r.RemoteAddr = netip.MustParseAddrPort("192.0.2.44:1234").String()
	r.Header.Set("X-Forwarded-For", "198.51.100.7")
	proxies.Client(r)
	w.surface.Proxies = proxies
	w.handler = web.New(w.Services, w.surface)
	wantText(t, "the overview", w.as(t, w.administrator(t, "ada")).page("/admin", 200), "192.0.2.44", "--trusted-proxies")
}

func TestSettingsPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(t, w.administrator(t, "ada"))
	wantText(t, "the list", ada.page("/admin/settings", 200), "How much one may send", "votes_per_hour", "How many votes an hour are counted", "Polls require approval", "Off", "Not set")
	values := controls(ada.page("/admin/settings/limits", 200))
	if values["votes_per_hour"] != "60" || values["was.votes_per_hour"] != "60" {
		t.Fatalf("the form has %v", values)
	}
	send := func(b *browser, values map[string]string, changes ...string) (fields []string) {
		for name, value := range values {
			for i := 0; i < len(changes); i += 2 {
				if changes[i] == name {
					value = changes[i+1]
				}
			}
			fields = append(fields, name, value)
		}
		return fields
	}
	tree := parsed(t, "a wrong value", ada.post("/admin/settings/limits", send(ada, values, "votes_per_hour", "lots", "writes_per_hour", "40")...), 422)
	checkSound(t, "the form with errors", tree)
	if msg := errorsAt(tree)["votes_per_hour"]; !strings.HasPrefix(msg, "Must be a whole number from 1 to 100000") || controls(tree)["writes_per_hour"] != "40" || controls(tree)["votes_per_hour"] != "lots" {
		t.Errorf("at the field it says %q, and keeps %v", msg, controls(tree))
	}
	if a := ada.post("/admin/settings/limits", send(ada, values, "votes_per_hour", "70")...); a.Code != http.StatusSeeOther {
		t.Fatalf("saving gives %d", a.Code)
	}
	wantText(t, "the list", ada.page("/admin/settings", 200), "70", "It counts from now on")
	// A second administrator saves a form that was opened before.
	eve := w.as(t, w.administrator(t, "eve"))
	tree = parsed(t, "the later form", eve.post("/admin/settings/limits", send(eve, values, "votes_per_hour", "80", "writes_per_hour", "41")...), 409)
	if msg := errorsAt(tree)["votes_per_hour"]; !strings.Contains(msg, `is now "70"`) {
		t.Errorf("the later form says %q", msg)
	}
	again := controls(tree)
	if again["votes_per_hour"] != "80" || again["was.votes_per_hour"] != "70" {
		t.Errorf("the later form is shown as %v", again)
	}
	if a := eve.post("/admin/settings/limits", send(eve, again)...); a.Code != http.StatusSeeOther {
		t.Fatalf("sent again it gives %d", a.Code)
	}
	want := []string{`eve setting_changed votes_per_hour: "70" → "80"`, `eve setting_changed writes_per_hour: "30" → "41"`, `ada setting_changed votes_per_hour: "60" → "70"`}
	lines := w.logged(t, "setting_changed")
	if len(lines) != 3 || !sameLines(lines, want) {
		t.Errorf("the log has %q", lines)
	}
	wantText(t, "the log", ada.page("/moderation/log", 200), "Setting changed", "votes_per_hour")
}

func sameLines(a, b []string) bool {
	seen := map[string]int{}
	for _, line := range a {
		seen[line]++
	}
	for _, line := range b {
		seen[line]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestSecretsAndSwitchesOnPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(t, w.administrator(t, "ada"))
	const key = "sk-hunter2hunter2"
	save := func(path string, fields ...string) {
		t.Helper()
		if a := ada.post(path, fields...); a.Code != http.StatusSeeOther || strings.Contains(a.Body.String(), key) {
			t.Fatalf("%s gives %d: %.400s", path, a.Code, a.Body)
		}
	}
	save("/admin/settings/model", "llm_api_key", key, "was.llm_api_key", "")
	for _, path := range []string{"/admin/settings", "/admin/settings/model", "/moderation/log"} {
		if strings.Contains(ada.get(path).Body.String(), "hunter2") {
			t.Errorf("%s shows the secret", path)
		}
	}
	form := ada.page("/admin/settings/model", 200)
	wantText(t, "the form", form, "It is set; leave this empty to keep it.", "Take it away")
	state := controls(form)["was.llm_api_key"]
	save("/admin/settings/model", "llm_api_key", "", "was.llm_api_key", state, "llm_model", "small", "was.llm_model", "")
	a := ada.post("/admin/settings/model", "llm_api_key", "other", "was.llm_api_key", "")
	if a.Code != http.StatusConflict || strings.Contains(a.Body.String(), "hunter2") {
		t.Errorf("a form from before the key gives %d", a.Code)
	}
	save("/admin/settings/model", "llm_api_key", "", "clear.llm_api_key", "true", "was.llm_api_key", state)
	wantText(t, "the list", ada.page("/admin/settings", 200), "Not set")
	save("/admin/settings/polls", "polls_require_approval", "true", "was.polls_require_approval", "false", "poll_days", "30", "was.poll_days", "30")
	save("/admin/settings/polls", "was.polls_require_approval", "true", "poll_days", "30", "was.poll_days", "30")
	want := []string{`ada setting_changed polls_require_approval: "true" → "false"`, `ada setting_changed polls_require_approval: "false" → "true"`,
		`ada setting_changed llm_api_key: taken away`, `ada setting_changed llm_model: "" → "small"`, `ada setting_changed llm_api_key: set`}
	if lines := w.logged(t, "setting_changed"); !sameLines(lines, want) {
		t.Errorf("the log has %q", lines)
	}
}

func TestUsersPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben := w.account(t, "ben")
	w.moderator(t, "mo")
	w.account(t, "percent")
	ada := w.as(t, w.administrator(t, "ada"))
	wantText(t, "the list", ada.page("/admin/users", 200), "4 accounts", "ben@example.org", "Administrator since")
	wantText(t, "part of an address", ada.page("/admin/users?q=BEN@EX", 200), "1 account", "ben")
	wantText(t, "signs stand for themselves", ada.page("/admin/users?q=%25", 200), "Nobody like that")
	staff := ada.page("/admin/users?role=staff", 200)
	wantText(t, "who has a role", staff, "2 accounts", "mo", "Moderator")
	if a := ada.get("/admin/roles"); a.Header().Get("Location") != "/admin/users?role=staff" {
		t.Errorf("/admin/roles leads to %q", a.Header().Get("Location"))
	}

	phone := w.as(t, ben)
	phone.page("/account", 200)
	wantText(t, "his page", ada.page("/admin/users/ben", 200), "ben@example.org", "in 1 browser or program", "0 points to spend", "Tokens that work 0")
	tree := parsed(t, "nothing", ada.post("/admin/users/ben/points", "delta", "some", "reason", " "), 422)
	if e := errorsAt(tree); e["reason"] != "Is required" || !strings.HasPrefix(e["delta"], "Must be a whole number") {
		t.Errorf("the form says %v", e)
	}
	checkSound(t, "a refused correction", tree)
	for _, c := range [][2]string{{"25", "A gift"}, {"−5", "Too much"}} {
		if a := ada.post("/admin/users/ben/points", "delta", c[0], "reason", c[1]); a.Code != http.StatusSeeOther {
			t.Fatalf("correcting by %s gives %d", c[0], a.Code)
		}
	}
	if e := errorsAt(parsed(t, "too much", ada.post("/admin/users/ben/points", "delta", "-21", "reason", "All"), 422)); !strings.Contains(e["delta"], "20 points") {
		t.Errorf("the form says %v", e)
	}
	wantText(t, "his page", ada.page("/admin/users/ben", 200), "20 points to spend", "A gift", "Corrected by hand")
	wantText(t, "his own log", phone.page("/account/points", 200), "A gift", "20 points")
	if lines := w.logged(t, "points_corrected"); !sameLines(lines, []string{"ada points_corrected ben: +25: A gift", "ada points_corrected ben: -5: Too much"}) {
		t.Errorf("the log has %q", lines)
	}

	if a := ada.post("/admin/users/ben/sign-out"); a.Code != http.StatusSeeOther {
		t.Fatalf("signing out gives %d", a.Code)
	}
	if a := phone.get("/account"); a.Code != http.StatusSeeOther {
		t.Errorf("he is still signed in: %d", a.Code)
	}
	wantText(t, "his page", ada.page("/admin/users/ben", 200), "is signed out everywhere", "nowhere")
	if lines := w.logged(t, "sessions_ended"); !sameLines(lines, []string{"ada sessions_ended ben:"}) {
		t.Errorf("the log has %q", lines)
	}
	wantText(t, "the log", ada.page("/moderation/log", 200), "Signed out everywhere", "Points corrected")
}

func TestAppointing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben := w.account(t, "ben")
	ada := w.as(t, w.administrator(t, "ada"))
	tree := parsed(t, "without the tick", ada.post("/admin/users/ben/role", "role", "moderator"), 422)
	checkSound(t, "without the tick", tree)
	if errorsAt(tree)["confirm"] == "" {
		t.Error("an appointment needs no confirmation")
	}
	if a := ada.post("/admin/users/ben/role", "role", "king", "confirm", "true"); a.Code != 422 {
		t.Errorf("a role that there is not gives %d", a.Code)
	}
	if a := ada.post("/admin/users/ben/role", "role", "admin", "confirm", "true"); a.Code != http.StatusSeeOther {
		t.Fatalf("appointing gives %d", a.Code)
	}
	wantText(t, "his page", ada.page("/admin/users/ben", 200), "ben is now an administrator.", "Administrator since")
	b := w.as(t, ben)
	if a := b.post("/admin/users/ada/role", "role", "member", "confirm", "true"); a.Code != http.StatusSeeOther {
		t.Fatalf("taking the role gives %d", a.Code)
	}
	if a := ada.get("/admin"); a.Code != http.StatusForbidden {
		t.Errorf("she still administers: %d", a.Code)
	}
	tree = parsed(t, "the last one", b.post("/admin/users/ben/role", "role", "member", "confirm", "true"), 409)
	wantText(t, "the last one", tree, "There has to be an administrator.")
	if lines := w.logged(t, "role_changed"); !sameLines(lines, []string{"role_changed ada: member → admin", "ada role_changed ben: member → admin", "ben role_changed ada: admin → member"}) {
		t.Errorf("the log has %q", lines)
	}
	wantText(t, "the log", b.page("/moderation/log", 200), "Role changed", "admin → member")
}
