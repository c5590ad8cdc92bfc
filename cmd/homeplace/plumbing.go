package main

import (
	"context"

	"homeplace/core/idempotency"
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
