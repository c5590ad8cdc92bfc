package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"homeplace/core/idempotency"
	"homeplace/core/mail"
	"homeplace/core/pg"
	"homeplace/core/ratelimit"
	"homeplace/web/httpx"
)

// limiter counts for httpx in the database, so over all instances.
type limiter struct{ limits *ratelimit.Service }

func (l limiter) Take(ctx context.Context, key string, limit httpx.Limit) (httpx.Decision, error) {
	d, err := l.limits.Take(ctx, key, limit.Max, limit.Per)
	return httpx.Decision{Allowed: d.Allowed, Limit: d.Limit, Remaining: d.Remaining, Reset: d.Reset}, err
}

// mailDir is where mails go below the data directory while no mail server is
// configured.
const mailDir = "mail"

// newMailer reads the flags on mail.
func newMailer(c *commandLine, siteName func() string, log *slog.Logger) (*mail.Mailer, error) {
	from := c.MailFrom
	switch {
	case from == "" && c.SMTPURL != "":
		return nil, errors.New("--smtp-url needs --mail-from: the address that mails come from")
	case from == "":
		from = "homeplace@localhost"
	}
	return mail.New(mail.Options{SMTPURL: c.SMTPURL, From: from, Dir: filepath.Join(c.DataDir, mailDir), SiteName: siteName, Log: log})
}

// keyStore keeps httpx's idempotency keys in the database.
type keyStore struct{ keys *idempotency.Service }

func (k keyStore) Find(ctx context.Context, caller, key string) (*httpx.KeyRecord, error) {
	record, found, err := k.keys.Find(ctx, caller, key)
	if err != nil || !found {
		return nil, err
	}
	stored := &httpx.KeyRecord{Hash: record.Hash}
	if a := record.Answer; a != nil {
		stored.Answer = &httpx.StoredAnswer{Status: a.Status, ContentType: a.ContentType, Header: a.Headers, Body: a.Body}
	}
	return stored, nil
}

func (k keyStore) Finish(ctx context.Context, c httpx.Claim, a httpx.StoredAnswer) error {
	return k.keys.Finish(ctx, pg.Claim{Caller: c.Caller, Key: c.Key, Hash: c.Hash},
		idempotency.StoredAnswer{Status: a.Status, ContentType: a.ContentType, Headers: a.Header, Body: a.Body})
}

// newIdempotency joins httpx's handling of keys to the transactions of core/pg.
func newIdempotency(keys *idempotency.Service) *httpx.Idempotency {
	return &httpx.Idempotency{
		Keys: keyStore{keys},
		WithClaim: func(ctx context.Context, c httpx.Claim) context.Context {
			return pg.WithClaim(ctx, pg.Claim{Caller: c.Caller, Key: c.Key, Hash: c.Hash})
		},
		Taken:  pg.ErrClaimed,
		Render: httpx.ErrorAnswer,
	}
}
