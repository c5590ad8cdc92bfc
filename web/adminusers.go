package web

import (
	"net/http"
	"net/url"
	"strconv"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// roleChoices are the roles that the list of members can be narrowed to.
var roleChoices = []struct {
	value, text string
	roles       []accounts.Role
}{
	{"", "All", nil},
	{"staff", "Moderators and administrators", []accounts.Role{accounts.RoleModerator, accounts.RoleAdmin}},
	{"member", "Members", []accounts.Role{accounts.RoleMember}},
	{"moderator", "Moderators", []accounts.Role{accounts.RoleModerator}},
	{"admin", "Administrators", []accounts.Role{accounts.RoleAdmin}},
}

var roleWords = map[accounts.Role]string{accounts.RoleMember: "Member", accounts.RoleModerator: "Moderator", accounts.RoleAdmin: "Administrator"}

// roles leads to who has one, in the list of members.
func (h *handlers) roles(*http.Request, core.Viewer) (*httpx.Answer, error) {
	return httpx.Redirect(http.StatusSeeOther, usersAddress("", "staff", 1)), nil
}

// users lists the accounts.
func (h *handlers) users(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, accounts.UserRule.Default)
	if err != nil {
		return nil, err
	}
	q := httpx.ParseQuery(r)
	p := views.UsersProps{Query: lenient(q, "q")}
	f := accounts.UserFilter{Query: p.Query, Page: page}
	for _, choice := range roleChoices {
		p.Roles = append(p.Roles, ui.Option{Value: choice.value, Text: choice.text})
		if choice.value == lenient(q, "role") {
			p.Role, f.Roles = choice.value, choice.roles
		}
	}
	p.Staff = p.Role == "staff"
	list, err := h.Accounts.Users(r.Context(), v, f)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("The list of members has fewer pages.")
	}
	for _, u := range list.Items {
		p.Users = append(p.Users, h.userRow(u))
	}
	p.Shown = rangeOf(list.Page, len(list.Items), list.Total, "account")
	p.Pager = ui.PagerProps{Page: number, Pages: pagesOf(list.Total, list.Page.Limit), Href: func(n int) string { return usersAddress(p.Query, p.Role, n) }}
	p.Frame = h.adminFrame(r, v, "Members")
	return show(r, http.StatusOK, views.Users(p))
}

func usersAddress(query, role string, n int) string {
	values := url.Values{}
	if query != "" {
		values.Set("q", query)
	}
	if role != "" {
		values.Set("role", role)
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	if len(values) == 0 {
		return views.AdminUsersPage
	}
	return views.AdminUsersPage + "?" + values.Encode()
}

func (h *handlers) userRow(u accounts.User) views.UserRow {
	row := views.UserRow{Username: u.Username, Name: orEmpty(u.DisplayName), Email: u.Email, Role: roleWords[u.Role], Href: userPath(u.Username),
		Pending: u.Pending, Joined: h.moment(u.CreatedAt)}
	if !u.TakesMail() {
		row.Email = "none"
	}
	if u.RoleSince != nil {
		row.Since = u.RoleSince.UTC().Format("2 January 2006")
	}
	return row
}

func userPath(username string) string { return views.AdminUsersPage + "/" + username }
