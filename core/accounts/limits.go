package accounts

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/settings"
)

// try is what is counted, and under which name. An e-mail address or username
// is counted as it was typed and not by its account: else a refusal would tell
// which address belongs to which username.
type try struct {
	what string
	key  string
	most int
	per  time.Duration
}

// guess is a try of a password.
func (a *Access) guess(what, key string) try {
	return try{what, key, a.Settings.Number(settings.SignInAttempts), a.Settings.Span(settings.SignInWindow)}
}

// mailTries are those of sign-up, verification and recovery, each counted by
// itself.
func (a *Access) mailTries(what, addressKey, email string) []try {
	return []try{
		{what + "-address", addressKey, a.Settings.Number(settings.SignUpsPerHour), time.Hour},
		{what + "-account", foldName(email), a.Settings.Number(settings.AccountMailsPerHour), time.Hour},
	}
}

// allow counts the tries in order and refuses at the first that is too many,
// so that one address alone cannot use up the tries of an account without end.
func (a *Access) allow(ctx context.Context, tries ...try) error {
	for _, t := range tries {
		d, err := a.Limits.Take(ctx, t.what+":"+t.key, t.most, t.per)
		if err != nil {
			return err
		}
		if !d.Allowed {
			return &core.Error{Kind: core.RateLimited, Code: "rate_limited", RetryAfter: d.Reset,
				Msg: fmt.Sprintf("That was tried too often. Please try again in %s.", minutes(d.Reset))}
		}
	}
	return nil
}

// minutes is a wait in words, rounded up.
func minutes(d time.Duration) string {
	if n := int((d + time.Minute - 1) / time.Minute); n > 1 {
		return fmt.Sprintf("%d minutes", n)
	}
	return "a minute"
}
