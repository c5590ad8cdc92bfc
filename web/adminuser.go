package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/points"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// eventsShown is how many changes of a member's points are on one page.
const eventsShown = 20

// userVisit is what a visit to an account knows besides the address: the forms
// as they were left, and what was wrong with them.
type userVisit struct {
	role, delta, reason string
	roleRefusal         views.Refusal
	pointsRefusal       views.Refusal
}

// user shows an account.
func (h *handlers) user(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showUser(r, v, http.StatusOK, userVisit{})
}

func (h *handlers) showUser(r *http.Request, v core.Viewer, status int, visit userVisit) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, eventsShown)
	if err != nil {
		return nil, err
	}
	u, tokens, err := h.Accounts.User(r.Context(), v, chi.URLParam(r, "username"))
	if err != nil {
		return nil, err
	}
	sessions, err := h.Services.Sessions.CountOf(r.Context(), v, u.ID)
	if err != nil {
		return nil, err
	}
	log, err := h.Points.LogOf(r.Context(), v, u.ID, page)
	if err != nil {
		return nil, err
	}
	if len(log.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("This log has fewer pages.")
	}
	p := views.UserProps{User: h.userRow(u), Public: !u.Pending, Bio: u.Bio, Self: u.ID == v.ID, SignedIn: sessions > 0, Sessions: signedInText(sessions),
		Tokens: thousands(tokens), Balance: pointsOf(log.Balance.Balance), Lifetime: pointsOf(log.Balance.Lifetime),
		Shown: rangeOf(log.Page, len(log.Items), log.Total, "change"), Pager: pagerOf(userPath(u.Username), number, log.Total, log.Page),
		Role: visit.role, Delta: visit.delta, Reason: visit.reason, RoleRefusal: visit.roleRefusal, PointsRefusal: visit.pointsRefusal}
	if p.Role == "" {
		p.Role = string(u.Role)
	}
	for _, role := range []accounts.Role{accounts.RoleMember, accounts.RoleModerator, accounts.RoleAdmin} {
		p.Roles = append(p.Roles, ui.Option{Value: string(role), Text: roleWords[role]})
	}
	if u.VerifiedAt != nil {
		p.Verified = u.VerifiedAt.UTC().Format("2 January 2006")
	}
	if log.Balance.Held > 0 {
		p.Held = pointsOf(log.Balance.Held)
	}
	for _, e := range log.Items {
		p.Events = append(p.Events, h.pointsEvent(e))
	}
	p.Frame = h.adminFrame(r, v, u.Username)
	return show(r, status, views.User(p))
}

func signedInText(sessions int) string {
	switch sessions {
	case 0:
		return "nowhere"
	case 1:
		return "in 1 browser or program"
	}
	return "in " + thousands(sessions) + " browsers and programs"
}

var roleArticles = map[accounts.Role]string{accounts.RoleMember: "a member", accounts.RoleModerator: "a moderator", accounts.RoleAdmin: "an administrator"}

var (
	roleLabels   = []label{{"role", "Role"}, {"confirm", "This box"}}
	pointsLabels = []label{{"delta", "How many"}, {"reason", "Why"}}
)

// appoint changes a role, once that is confirmed.
func (h *handlers) appoint(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	username, role := chi.URLParam(r, "username"), values.Get("role")
	if values.Get("confirm") == "" {
		err = core.InvalidField("confirm", "has to be ticked, so that nobody gets a role by a slip")
	} else {
		err = h.Accounts.SetRole(r.Context(), v, username, accounts.Role(role))
	}
	if err == nil {
		notice := username + " is now " + roleArticles[accounts.Role(role)] + "."
		if strings.EqualFold(username, v.Username) && role != string(accounts.RoleAdmin) {
			return then(r, "/", notice)
		}
		return then(r, userPath(username), notice)
	}
	refusal, ok := refusalOf(err, roleLabels)
	if !ok {
		return nil, err
	}
	return h.showUser(r, v, formStatus(err), userVisit{role: role, roleRefusal: refusal})
}

// correctPoints gives points or takes some.
func (h *handlers) correctPoints(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	username := chi.URLParam(r, "username")
	visit := userVisit{delta: values.Get("delta"), reason: pastedText(values, "reason")}
	delta, err := strconv.Atoi(strings.Replace(strings.TrimSpace(visit.delta), "−", "-", 1))
	if err != nil {
		delta = 0 // which is refused together with whatever is wrong with the reason
	}
	after, err := h.Points.Correct(r.Context(), v, username, delta, visit.reason)
	if err == nil {
		return then(r, userPath(username), username+" now has "+points.Words(after.Balance)+" to spend.")
	}
	var ok bool
	if visit.pointsRefusal, ok = refusalOf(err, pointsLabels); !ok {
		return nil, err
	}
	return h.showUser(r, v, formStatus(err), visit)
}

// signOutUser ends every session of an account.
func (h *handlers) signOutUser(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	u, _, err := h.Accounts.User(r.Context(), v, chi.URLParam(r, "username"))
	if err != nil {
		return nil, err
	}
	if _, err := h.Services.Sessions.EndAllOf(r.Context(), v, u.ID); err != nil {
		return nil, err
	}
	if u.ID == v.ID {
		return httpx.Redirect(http.StatusSeeOther, "/sign-in"), nil
	}
	return then(r, userPath(u.Username), u.Username+" is signed out everywhere.")
}
