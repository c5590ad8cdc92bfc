package accounts

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// The pages that links in mails lead to, as segments for Needs.Page. The
// page takes the token from the parameter "token" and must not use it up on
// GET: programs that check mails for danger open every link.
const (
	VerifyPage  = "verify"
	RecoverPage = "recover"
	EmailPage   = "change-email"
	AccountPage = "account" // needs no token
)

// purpose is what a one-time link is good for.
type purpose struct {
	name  string
	page  string
	lasts time.Duration
}

var (
	toVerify      = purpose{"verify", VerifyPage, 24 * time.Hour}
	toRecover     = purpose{"recover", RecoverPage, time.Hour}
	toChangeEmail = purpose{"change_email", EmailPage, 24 * time.Hour}
)

// errBadLink is the same for every reason.
var errBadLink = &core.Error{Kind: core.NotFound, Code: "link_not_valid",
	Msg: "This link does not work any more: it was used already, has expired, or a newer one was sent. Please ask for a new one."}

// link is a one-time link that is still good.
type link struct {
	AccountID  string
	Email      string // that it was sent to
	Unverified bool   // nobody has proved before to read the mails there
}

// newLink makes the link of an account for a purpose; an older one ends.
func (a *Access) newLink(ctx context.Context, account Account, p purpose) (address string, err error) {
	token := rand.Text()
	err = a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		return upsertLink(ctx, tx, account, p, hashToken(token), a.now())
	})
	if err != nil {
		return "", fmt.Errorf("make a link to %s: %w", p.name, err)
	}
	return a.linkAddress(p, token), nil
}

func (a *Access) linkAddress(p purpose, token string) string {
	return a.Page(p.page) + "?token=" + url.QueryEscape(token)
}

// mailLink makes a link and mails it in the words of compose.
func (a *Access) mailLink(ctx context.Context, account Account, p purpose, compose func(letter) message) error {
	address, err := a.newLink(ctx, account, p)
	if err != nil {
		return err
	}
	return a.mail(ctx, account, compose(a.letter(account, address)))
}
