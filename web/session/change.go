package session

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"homeplace/core/accounts"
	"homeplace/core/sessions"
)

// errNotMounted is a mistake in the routes.
var errNotMounted = errors.New("the session middleware is not mounted on this route")

// noticeKey is the one thing that a session holds: a sentence for the next
// page. Only text is stored, since the codec would have to know other types.
const noticeKey = "notice"

// SignIn begins a session of the account under a token that nobody has seen
// before, and sets its cookie. What the browser had before is forgotten. The
// answer should be a redirect: Viewer goes on telling who sent this request.
func SignIn(r *http.Request, a accounts.Account) error {
	v := visitOf(r.Context())
	if v == nil {
		return errNotMounted
	}
	if err := v.forget(); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	v.account = a.ID
	if err := v.save(); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	return nil
}

// SignOut ends the session and takes the cookie away. Without a session it
// does nothing.
func SignOut(r *http.Request) error {
	v := current(r)
	if v == nil {
		return nil
	}
	if err := v.forget(); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	v.showCookie("", time.Time{})
	return nil
}

// Renew gives the session another token, as after a change of the password.
// Errors: sessions.ErrEnded where it was ended in the meantime.
func Renew(r *http.Request) error {
	v := current(r)
	if v == nil || v.hash == "" {
		return sessions.ErrEnded
	}
	v.renewing = true
	defer func() { v.renewing = false }()
	if err := v.manager.tokens.RenewToken(v.ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	if err := v.save(); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	return nil
}

// SetNotice keeps a sentence for the next page that this browser sees. It
// gives a visitor who is not signed in a session, so that pages are not cached
// for them until TakeNotice.
func SetNotice(r *http.Request, notice string) error {
	v := visitOf(r.Context())
	if v == nil {
		return errNotMounted
	}
	v.manager.tokens.Put(v.ctx, noticeKey, notice)
	if err := v.save(); err != nil {
		return fmt.Errorf("keep a notice: %w", err)
	}
	return nil
}

// TakeNotice returns the sentence that was kept, once; empty where there is
// none. A session that held nothing else ends with it.
func TakeNotice(r *http.Request) (string, error) {
	v := current(r)
	if v == nil {
		return "", nil
	}
	notice := v.manager.tokens.PopString(v.ctx, noticeKey)
	if notice == "" {
		return "", nil
	}
	var err error
	if v.account != "" {
		err = v.save()
	} else if err = v.forget(); err == nil {
		v.showCookie("", time.Time{})
	}
	if err != nil {
		return "", fmt.Errorf("take a notice: %w", err)
	}
	return notice, nil
}

// save writes the session and its cookie at once, so that a handler learns
// when that fails.
func (v *visit) save() error {
	token, expiry, err := v.manager.tokens.Commit(v.ctx)
	if err != nil {
		return err
	}
	v.showCookie(token, expiry)
	return nil
}

// forget ends the stored session and leaves an empty one.
func (v *visit) forget() error {
	if v.hash == "" {
		return nil
	}
	if err := v.manager.tokens.Destroy(v.ctx); err != nil {
		return err
	}
	v.id, v.account = "", ""
	return nil
}

// showCookie sets the cookie, or takes it away where there is no token. Of
// several changes within one request the last one counts.
func (v *visit) showCookie(token string, expiry time.Time) {
	h := v.w.Header()
	h["Set-Cookie"] = slices.DeleteFunc(h["Set-Cookie"], func(c string) bool {
		return strings.HasPrefix(c, v.manager.tokens.Cookie.Name+"=")
	})
	v.manager.tokens.WriteSessionCookie(v.ctx, v.w, token, expiry)
}
