package accounts

import (
	"context"
	"fmt"

	"homeplace/core/settings"
)

// letter is what the mails below are made of. The username is the one thing in
// them that a stranger may have chosen, and it cannot hold more than a word.
type letter struct {
	site     string
	username string
	link     string
}

type message struct{ subject, text string }

func (a *Access) letter(account Account, link string) letter {
	return letter{site: a.Settings.Text(settings.SiteName), username: account.Username, link: link}
}

// contact is where people reach who runs the site: the address from the
// settings, or where none is set the first page.
func (a *Access) contact() string {
	if address := a.Settings.Text(settings.ContactEmail); address != "" {
		return address
	}
	return a.Page()
}

func (a *Access) mail(ctx context.Context, account Account, m message) error {
	if !account.TakesMail() {
		return nil
	}
	return a.Mail.Send(ctx, account.Email, m.subject, m.text)
}

func verifyLetter(l letter) message {
	return message{"Confirm your e-mail address for " + l.site, fmt.Sprintf(`Welcome to %[1]s!

Somebody, most likely you, signed up as %[2]s with this e-mail address.
To confirm that it is yours, open this link within 24 hours:

%[3]s

Was it not you? Then do nothing: nobody can sign in until the address is
confirmed, and the account goes away by itself after a week.

%[1]s
`, l.site, l.username, l.link)}
}

func knownLetter(l letter) message {
	return message{"You already have an account at " + l.site, fmt.Sprintf(`Hello %[2]s,

somebody, most likely you, tried to sign up at %[1]s with this e-mail
address. You already have an account there: your username is %[2]s.

If you forgot the password, choose a new one within the hour:

%[3]s

Was it not you? Then do nothing: your account has not changed.

%[1]s
`, l.site, l.username, l.link)}
}

func recoverLetter(l letter) message {
	return message{"Choose a new password for " + l.site, fmt.Sprintf(`Hello %[2]s,

somebody, most likely you, asked for a new password at %[1]s.
To choose one, open this link within the hour:

%[3]s

Was it not you? Then do nothing: your password stays as it is.

%[1]s
`, l.site, l.username, l.link)}
}

func changedLetter(l letter) message {
	return message{"Your password at " + l.site + " was changed", fmt.Sprintf(`Hello %[2]s,

the password of your account at %[1]s was changed a moment ago, and you
were signed out everywhere else.

Was it not you? Then choose a new one at once:

%[3]s

%[1]s
`, l.site, l.username, l.link)}
}

func emailConfirmLetter(l letter) message {
	return message{"Confirm your new e-mail address for " + l.site, fmt.Sprintf(`Hello %[2]s,

somebody, most likely you, wants this to be the e-mail address of the
account %[2]s at %[1]s. To confirm it, open this link within
24 hours:

%[3]s

Was it not you? Then do nothing: the account keeps the address that it has.

%[1]s
`, l.site, l.username, l.link)}
}

func emailKnownLetter(l letter) message {
	return message{"You already have an account at " + l.site, fmt.Sprintf(`Hello %[2]s,

somebody, most likely you, asked to use this e-mail address for another
account at %[1]s. It belongs to your account %[2]s already, and an
address can have one account only.

Should the other account have it? Then give this one another address first,
or delete it:

%[3]s

Was it not you? Then do nothing: your account has not changed.

%[1]s
`, l.site, l.username, l.link)}
}

func emailAskedLetter(l letter) message {
	return message{"A new e-mail address for your account at " + l.site, fmt.Sprintf(`Hello %[2]s,

somebody, most likely you, asked for another e-mail address for your account
at %[1]s. It changes as soon as the new address is confirmed, and from
then on we write there.

Was it not you? Then choose a new password at once. That stops the change:

%[3]s

%[1]s
`, l.site, l.username, l.link)}
}

func emailChangedLetter(l letter) message {
	return message{"Your account at " + l.site + " has a new e-mail address", fmt.Sprintf(`Hello %[2]s,

your account at %[1]s has another e-mail address since a moment ago.
You cannot sign in with this one any more, and we no longer write here.

Was it not you? Then please tell us soon:

%[3]s

%[1]s
`, l.site, l.username, l.link)}
}

func goodbyeLetter(l letter) message {
	return message{"Your account at " + l.site + " is deleted", fmt.Sprintf(`Hello %[2]s,

as you asked, your account at %[1]s is deleted. You are signed out
everywhere, and your tokens have ended. This is our last mail to you.

Nobody can take the username %[2]s for the next 30 days. You are
welcome to come back at any time:

%[3]s

Thank you for what you gave.

%[1]s
`, l.site, l.username, l.link)}
}

func linkedLetter(l letter, host string) message {
	return message{"Another way into your account at " + l.site, fmt.Sprintf(`Hello %[2]s,

from now on your account at %[1]s also opens by signing in at %[4]s.
You can unlink it on your account page:

%[3]s

Was it not you? Then unlink it there, and change your password.

%[1]s
`, l.site, l.username, l.link, host)}
}
