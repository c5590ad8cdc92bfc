package views

import "homeplace/views/ui"

// The pages of an account, each a tab.
const (
	AccountPage       = "/account"
	ContributionsPage = "/account/submissions"
	MyAppsPage        = "/account/apps"
	PointsPage        = "/account/points"
	TokensPage        = "/account/tokens"
	SessionsPage      = "/account/sessions"
	EmailPage         = "/account/email"
	PasswordPage      = "/account/password"
	ExportPage        = "/account/export"
	DeletePage        = "/account/delete"
)

// tabs are what leads to them, in this order. A new page takes one line.
var tabs = []ui.Link{
	{Text: "Profile", Href: AccountPage},
	{Text: "Contributions", Href: ContributionsPage},
	{Text: "Apps", Href: MyAppsPage},
	{Text: "Points", Href: PointsPage},
	{Text: "Tokens", Href: TokensPage},
	{Text: "Sessions", Href: SessionsPage},
	{Text: "E-mail", Href: EmailPage},
	{Text: "Password", Href: PasswordPage},
	{Text: "Export", Href: ExportPage},
	{Text: "Delete", Href: DeletePage},
}

// accountTabs marks the page that is open.
func accountTabs(here string) []ui.Link {
	list := make([]ui.Link, len(tabs))
	for i, tab := range tabs {
		tab.Current = tab.Href == here
		list[i] = tab
	}
	return list
}
