package web_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/views"
)

func TestExportPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.account(t, "bea")
	b := w.as(t, ada)
	if page := text(b.page("/account/export", 200)); !strings.Contains(page, "One ZIP file") || !strings.Contains(page, "Where you are signed in at the moment") {
		t.Errorf("the page says %s", page)
	}
	a := b.post("/account/export")
	name := "homeplace-ada-" + core.Now().Format(time.DateOnly) + ".zip"
	for header, want := range map[string]string{"Content-Type": "application/zip", "Cache-Control": "private, no-store",
		"Content-Disposition": `attachment; filename="` + name + `"`, "Content-Length": strconv.Itoa(a.Body.Len()), "X-Content-Type-Options": "nosniff"} {
		if got := a.Header().Get(header); got != want {
			t.Errorf("%s is %q, want %q", header, got, want)
		}
	}
	r, err := zip.NewReader(bytes.NewReader(a.Body.Bytes()), int64(a.Body.Len()))
	if err != nil || a.Code != 200 {
		t.Fatalf("the export gives %d, %v", a.Code, err)
	}
	profile, err := r.Open("profile.json")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(profile); err != nil || !strings.Contains(string(data), `"email": "ada@example.org"`) || strings.Contains(string(data), "bea") {
		t.Errorf("profile.json is %s, %v", data, err)
	}
	for range 4 {
		if a := b.post("/account/export"); a.Code != 200 {
			t.Errorf("one of five gives %d", a.Code)
		}
	}
	sixth := b.post("/account/export")
	if page := text(parsed(t, "/account/export", sixth, 429)); !strings.Contains(page, "5 packages made in an hour") || sixth.Header().Get("Retry-After") == "" ||
		sixth.Header().Get("Content-Disposition") != "" {
		t.Errorf("the sixth says %s", page)
	}
	if a := w.do(http.MethodGet, "/account/export"); a.Code != http.StatusSeeOther {
		t.Errorf("nobody is given %d", a.Code)
	}
	if a := w.browser(t).post("/account/export"); a.Code != http.StatusUnauthorized {
		t.Errorf("nobody's form gives %d", a.Code)
	}
}

func TestDeletingAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	b, elsewhere := w.as(t, ada), w.as(t, ada)
	if _, err := w.Contributions.Offer(t.Context(), ada.Viewer(), directory.Input{Kind: directory.KindBusiness, Name: "Ada's Oven", City: "Atlanta", Region: "GA"}); err != nil {
		t.Fatal(err)
	}
	page := b.page("/account/delete", 200)
	for _, n := range elements(page, "input") {
		if _, is := attribute(n, "checked"); is {
			t.Error("a choice is made beforehand")
		}
	}
	for _, want := range []string{"What goes", "What stays", "Keep my contributions without my name", "Remove them", "They describe businesses and places, not you"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := text(parsed(t, "/account/delete", b.post("/account/delete"), 422)); !strings.Contains(page, "2 things need another look") {
		t.Errorf("an empty form hears %s", page)
	}
	wrong := b.post("/account/delete", "contributions", "keep", "password", "not this one")
	if page := parsed(t, "/account/delete", wrong, 422); !chosen(page, "keep") || strings.Contains(wrong.Body.String(), "not this one") {
		t.Errorf("a wrong password hears %s", text(page))
	}
	b.page("/account", 200)

	led(t, "deleting", b.post("/account/delete", "contributions", "keep", "password", password), "/")
	if page := text(b.page("/", 200)); !strings.Contains(page, "Your account is deleted") || strings.Contains(page, "Signed in as") {
		t.Errorf("afterwards the page says %s", page)
	}
	for _, gone := range []*browser{b, elsewhere} {
		led(t, "a session", gone.get("/account"), "/sign-in?next=%2Faccount")
	}
	w.page(t, "/u/ada", http.StatusNotFound)
	desk := w.as(t, w.moderator(t, "mod"))
	if page := text(desk.page("/moderation", 200)); !strings.Contains(page, "Ada's Oven") || !strings.Contains(page, "sent by somebody without an account") {
		t.Errorf("the queue says %s", page)
	}
}

// chosen tells whether the radio button of a value is pressed.
func chosen(page *html.Node, value string) bool {
	for _, n := range elements(page, "input") {
		if got, _ := attribute(n, "value"); got == value {
			_, is := attribute(n, "checked")
			return is
		}
	}
	return false
}

func TestTheProfileIsGoneFromTheCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.page(t, "/u/ada", 200)
	led(t, "deleting", w.as(t, ada).post("/account/delete", "contributions", "remove", "password", password), "/")
	w.page(t, "/u/ada", http.StatusNotFound)
	if a := w.do(http.MethodGet, "/preview/u/ada.png"); a.Code != http.StatusNotFound {
		t.Errorf("the preview gives %d", a.Code)
	}
}

func TestTheOnlyAdministratorStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	if err := w.Accounts.SetRole(t.Context(), core.TheSystem(), "ada", accounts.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	b := w.as(t, ada)
	if page := text(parsed(t, "/account/delete", b.post("/account/delete", "contributions", "keep", "password", password), 422)); !strings.Contains(page, "You are the only administrator here") {
		t.Errorf("the page says %s", page)
	}
	b.page("/account", 200)
}

func TestDeletingAnAccountWithoutPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.withoutPassword(t, ada.ID)
	early := w.as(t, ada)
	w.clock.Store(int64(11 * time.Minute))
	if page := early.page("/account/delete", 200); !strings.Contains(text(page), "Type ada") {
		t.Errorf("the page says %s", text(page))
	}
	if page := text(parsed(t, "/account/delete", early.post("/account/delete", "contributions", "keep", "username", "ada"), 422)); !strings.Contains(page, "sign out and in again") {
		t.Errorf("a session of eleven minutes hears %s", page)
	}
	b := w.as(t, ada)
	if page := parsed(t, "/account/delete", b.post("/account/delete", "contributions", "keep", "username", "<b>"), 422); fields(page)["username"] != "<b>" {
		t.Errorf("another name hears %s", text(page))
	}
	led(t, "deleting", b.post("/account/delete", "contributions", "keep", "username", "ada"), "/")
}

// Whoever presses twice finds the account gone.
func TestDeletingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	one, two := w.as(t, ada), w.as(t, ada)
	led(t, "deleting", one.post("/account/delete", "contributions", "keep", "password", password), "/")
	if a := two.post("/account/delete", "contributions", "keep", "password", password); a.Code != http.StatusUnauthorized {
		t.Errorf("again gives %d", a.Code)
	}
}

// Forms that come from another site change nothing.
func TestAccountFormsFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ada"))
	for path, values := range map[string]url.Values{
		"/account/email":  {"email": {"evil@example.org"}, "password": {password}},
		"/account/export": {},
		"/account/delete": {"contributions": {"remove"}, "password": {password}},
		"/change-email":   {"token": {"x"}},
	} {
		r := httptest.NewRequest(http.MethodPost, base+path, strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://evil.test")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if a := b.send(r); a.Code != http.StatusForbidden || !strings.Contains(a.Body.String(), "sent from another site") {
			t.Errorf("%s from another site gives %d", path, a.Code)
		}
	}
	if page := text(b.page("/account", 200)); !strings.Contains(page, "ada@example.org") || len(w.letters(t)) > 0 {
		t.Error("a form from another site did something")
	}
}

func TestAccountTabs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ada"))
	paths := []string{views.AccountPage, views.ContributionsPage, views.MyAppsPage, views.PointsPage, views.TokensPage, views.SessionsPage, views.EmailPage,
		views.PasswordPage, views.ExportPage, views.DeletePage}
	for _, path := range paths {
		page := b.page(path, 200)
		var marked, all []string
		for _, nav := range elements(page, "nav") {
			if label, _ := attribute(nav, "aria-label"); label != "Your account" {
				continue
			}
			for _, n := range elements(nav, "a") {
				href, _ := attribute(n, "href")
				all = append(all, href)
				if here, _ := attribute(n, "aria-current"); here == "page" {
					marked = append(marked, href)
				}
			}
		}
		if !slices.Equal(all, paths) || len(marked) != 1 || marked[0] != path {
			t.Errorf("%s leads to %v and marks %v", path, all, marked)
		}
		checkOutline(t, page)
		checkReferences(t, page)
		checkNothingInline(t, page)
	}
}
