package views

import "homeplace/views/ui"

// The administrators' pages, each a tab.
const (
	AdminPage            = "/admin"
	AdminSubmissionsPage = "/admin/submissions"
	AdminUsersPage       = "/admin/users"
	AdminSettingsPage    = "/admin/settings"
	AdminRolesPage       = "/admin/roles"
)

// adminPages are what leads to them, in this order. A new page takes one line.
var adminPages = []ui.Link{
	{Text: "Overview", Href: AdminPage},
	{Text: "Submissions", Href: AdminSubmissionsPage},
	{Text: "Members", Href: AdminUsersPage},
	{Text: "Settings", Href: AdminSettingsPage},
	{Text: "Words", Href: WordsPage},
}

// adminTabs marks the page that is open.
func adminTabs(here string) []ui.Link {
	list := make([]ui.Link, len(adminPages))
	for i, tab := range adminPages {
		tab.Current = tab.Href == here
		list[i] = tab
	}
	return list
}
