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

func (a *Access) mail(ctx context.Context, account Account, m message) error {
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
