package session

import (
	"net/http"
	"net/url"

	"homeplace/core"
	"homeplace/web/httpx"
)

// Protect is the middleware that keeps other sites from sending forms in a
// visitor's name: a request that may change something must come from the
// site's own pages, or from no browser at all. It goes before every page route.
func Protect(a httpx.Addresses, render httpx.Render) func(http.Handler) http.Handler {
	origin := protection(a)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := origin.Check(r); err != nil {
				httpx.Send(w, r, render(r, crossSite.Wrap(err)))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

var crossSite = &core.Error{Kind: core.Forbidden, Code: "cross_site",
	Msg: "This was sent from another site, so nothing was done. Please open the page here and send it again."}

// protection trusts the site's own origin even where a proxy changes the Host.
func protection(a httpx.Addresses) *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	u, err := url.Parse(a.Base())
	if err == nil {
		err = p.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	if err != nil {
		panic(err) // httpx.NewAddresses lets only addresses with scheme and host through
	}
	return p
}

// FromCookie is the viewer of an API route that takes the cookie beside a
// bearer. The cookie counts only when the site's own pages send the request,
// reads included, since browsers add it to requests of other sites too; from
// elsewhere the caller is nobody.
func (m *Manager) FromCookie(r *http.Request) (core.Viewer, error) {
	v, _, err := m.Browser(r)
	return v, err
}

// Browser is FromCookie for who must also know the id of the browser's session.
func (m *Manager) Browser(r *http.Request) (v core.Viewer, sessionID string, err error) {
	if m.token(r) == "" || !m.sameOrigin(r) {
		return core.Nobody(), "", nil
	}
	found, err := m.load(nil, r)
	if err != nil {
		return core.Nobody(), "", err
	}
	return found.viewer, found.id, nil
}

// sameOrigin asks about every request as if it could change something.
func (m *Manager) sameOrigin(r *http.Request) bool {
	asWrite := *r
	asWrite.Method = http.MethodPost
	return m.origin.Check(&asWrite) == nil
}
