package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// Ports where the address names none: submission with STARTTLS, and submission
// over TLS (RFC 8314 §3.3).
const (
	submissionPort  = 587
	submissionsPort = 465
)

// server is an SMTP server. Each mail has a connection of its own: mails are
// few, and an idle connection is soon closed by the other side.
type server struct {
	host    string
	options []gomail.Option
}

func newSMTP(address string) (transport, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error of url.Parse would quote the password.
		return nil, errors.New("address of the mail server: must look like smtp://user:password@host:587")
	}
	if (u.Scheme != "smtp" && u.Scheme != "smtps") || u.Hostname() == "" || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("address of the mail server %s: must look like smtp://user:password@host:587, or smtps:// with port 465", u.Redacted())
	}
	port := submissionPort
	if u.Scheme == "smtps" {
		port = submissionsPort
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, fmt.Errorf("address of the mail server %s: the port must be from 1 to 65535", u.Redacted())
		}
	}
	s := server{host: u.Hostname(), options: []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(tryLimit)}}
	if u.Scheme == "smtps" {
		s.options = append(s.options, gomail.WithSSL())
	} else {
		s.options = append(s.options, gomail.WithTLSPolicy(tlsPolicy(u)))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		s.options = append(s.options, gomail.WithUsername(u.User.Username()), gomail.WithPassword(password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	if _, err := gomail.NewClient(s.host, s.options...); err != nil {
		return nil, fmt.Errorf("address of the mail server %s: %w", u.Redacted(), err)
	}
	return s, nil
}

// tlsPolicy insists on encryption where a password travels, but for a server
// on this machine.
func tlsPolicy(u *url.URL) gomail.TLSPolicy {
	if u.User == nil || loopback(u.Hostname()) {
		return gomail.TLSOpportunistic
	}
	return gomail.TLSMandatory
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func (s server) send(ctx context.Context, m *gomail.Msg) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, m)
}
