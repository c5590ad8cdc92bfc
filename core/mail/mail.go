// Package mail sends plain-text mails: through an SMTP server, or where none
// is configured into files that the operator can read.
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

const (
	// tryLimit ends one try to hand a mail over.
	tryLimit = 20 * time.Second
	// retryPause lies between the two tries.
	retryPause = 2 * time.Second
)

// Options says how mails leave the house.
type Options struct {
	// SMTPURL is smtp://user:password@host:587, with STARTTLS, or
	// smtps://user:password@host:465. Empty writes files into Dir.
	SMTPURL string
	From    string // the sender's address, such as hello@example.org
	Dir     string // for files; made at need, readable for its owner alone
	// SiteName names the sender; it is asked for each mail, since it is a
	// setting.
	SiteName func() string
	Log      *slog.Logger
}

// Mailer sends mails. Its methods are safe for concurrent use.
type Mailer struct {
	from       *netmail.Address
	siteName   func() string
	log        *slog.Logger
	transport  transport
	configured bool
	pause      time.Duration
}

// transport hands one finished message over, or fails.
type transport interface {
	send(ctx context.Context, m *gomail.Msg) error
}

// New makes the mailer; it does not connect yet. The error names the option
// that is wrong, never a password.
func New(o Options) (*Mailer, error) {
	from, err := address(o.From)
	if err != nil {
		return nil, fmt.Errorf("sender of mails: %w", err)
	}
	m := &Mailer{from: from, siteName: o.SiteName, log: o.Log, pause: retryPause}
	if o.SMTPURL == "" {
		m.transport = folder{dir: o.Dir, log: o.Log}
		return m, nil
	}
	m.configured = true
	m.transport, err = newSMTP(o.SMTPURL)
	return m, err
}

// Configured tells whether mails reach people, and not only files.
func (m *Mailer) Configured() bool { return m.configured }

// Send hands one mail over and waits until that is done, half a minute at
// most: it never belongs inside a transaction or before an answer. A failure
// that may pass is tried once more.
func (m *Mailer) Send(ctx context.Context, to, subject, text string) error {
	message, err := m.compose(to, subject, text)
	if err != nil {
		return fmt.Errorf("compose mail: %w", err)
	}
	err = m.try(ctx, message)
	if err == nil || permanent(err) || ctx.Err() != nil {
		return wrapSend(err)
	}
	m.log.WarnContext(ctx, "a mail could not be sent; trying once more", "error", err)
	select {
	case <-ctx.Done():
		return wrapSend(ctx.Err())
	case <-time.After(m.pause):
	}
	return wrapSend(m.try(ctx, message))
}

func (m *Mailer) try(ctx context.Context, message *gomail.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	return m.transport.send(ctx, message)
}

func wrapSend(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("send mail: %w", err)
}

// permanent tells whether the server refused for good (RFC 5321 §4.2.1).
func permanent(err error) bool {
	var refused *gomail.SendError
	return errors.As(err, &refused) && refused.ErrorCode() >= 500
}

func (m *Mailer) compose(to, subject, text string) (*gomail.Msg, error) {
	recipient, err := address(to)
	if err != nil {
		return nil, fmt.Errorf("recipient: %w", err)
	}
	if strings.ContainsFunc(subject, unicode.IsControl) {
		return nil, errors.New("the subject contains a control character")
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(&netmail.Address{Name: m.siteName(), Address: m.from.Address})
	message.ToMailAddress(recipient)
	message.Subject(subject)
	message.SetDate()
	message.SetMessageIDWithValue(messageID(m.from.Address))
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834 §5: no holiday notes in return
	message.SetBodyString(gomail.TypeTextPlain, text)
	return message, nil
}

// address takes exactly one bare address, so that neither a second recipient
// nor a header can ride in it.
func address(s string) (*netmail.Address, error) {
	parsed, err := netmail.ParseAddress(s)
	if err != nil || parsed.Name != "" || parsed.Address != s || strings.ContainsFunc(s, unicode.IsControl) {
		return nil, fmt.Errorf("%q is not an address such as name@example.org", s)
	}
	return parsed, nil
}
