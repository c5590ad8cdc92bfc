package api_test

import (
	"context"

	"homeplace/api"
	"homeplace/core/idempotency"
	"homeplace/core/pg"
	"homeplace/core/ratelimit"
	"homeplace/core/settings"
	"homeplace/web/httpx"
)

// writes counts and remembers writes in the database, as the program does.
func writes(db *pg.DB, values *settings.Service) api.Writes {
	return api.Writes{
		Limiter:   counter{ratelimit.New(db)},
		PerHour:   func() int { return values.Number(settings.WritesPerHour) },
		Anonymous: func() int { return values.Number(settings.AnonymousSubmissionsPerHour) },
		Votes:     func() int { return values.Number(settings.VotesPerHour) },
		Idempotency: &httpx.Idempotency{
			Keys: keys{idempotency.New(db)},
			WithClaim: func(ctx context.Context, c httpx.Claim) context.Context {
				return pg.WithClaim(ctx, pg.Claim{Caller: c.Caller, Key: c.Key, Hash: c.Hash})
			},
			Taken: pg.ErrClaimed, Render: httpx.ErrorAnswer,
		},
	}
}

type counter struct{ *ratelimit.Service }

func (c counter) Take(ctx context.Context, key string, l httpx.Limit) (httpx.Decision, error) {
	d, err := c.Service.Take(ctx, key, l.Max, l.Per)
	return httpx.Decision{Allowed: d.Allowed, Limit: d.Limit, Remaining: d.Remaining, Reset: d.Reset}, err
}

type keys struct{ *idempotency.Service }

func (k keys) Find(ctx context.Context, caller, key string) (*httpx.KeyRecord, error) {
	record, found, err := k.Service.Find(ctx, caller, key)
	if err != nil || !found {
		return nil, err
	}
	known := &httpx.KeyRecord{Hash: record.Hash}
	if a := record.Answer; a != nil {
		known.Answer = &httpx.StoredAnswer{Status: a.Status, ContentType: a.ContentType, Header: a.Headers, Body: a.Body}
	}
	return known, nil
}

func (k keys) Finish(ctx context.Context, c httpx.Claim, a httpx.StoredAnswer) error {
	return k.Service.Finish(ctx, pg.Claim{Caller: c.Caller, Key: c.Key, Hash: c.Hash},
		idempotency.StoredAnswer{Status: a.Status, ContentType: a.ContentType, Headers: a.Header, Body: a.Body})
}
