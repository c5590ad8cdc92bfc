package moderation

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// How far back the pipeline looks.
const (
	rateWindow    = time.Hour
	refusedWindow = 30 * 24 * time.Hour
	blockedWindow = 365 * 24 * time.Hour
	copiesWindow  = 7 * 24 * time.Hour
)

// nobodys is the key of a caller without an address; see httpx.AddrKey.
const nobodys = "unknown"

// ownAddress is the address key where nobody but the sender stands behind it,
// else empty: what comes from a shared one says nothing of who sends it.
func ownAddress(o core.Origin) string {
	if o.Shared || o.AddressKey == nobodys {
		return ""
	}
	return o.AddressKey
}

// around reads what is known of who sends a text, and what is like it, in one
// round trip. Whoever is signed in is known by the account, everybody else by an
// address of their own.
func (s *Service) around(ctx context.Context, j *judgement) (Context, error) {
	var b pgx.Batch
	about := Context{Kind: j.Scope}
	var created time.Time
	address := ownAddress(j.From)
	switch {
	case j.accountID != "":
		queueHistory(&b, "account_id", j.accountID, j.at, &about)
		s.needs.QueueCreated(&b, j.accountID, &created)
	case address != "":
		queueHistory(&b, "address_key", address, j.at, &about)
	}
	if address != "" {
		s.needs.Blocks.QueueTimes(&b, address, j.at.Add(-blockedWindow), &about.AddressBlocks)
	}
	if j.identity.hash != nil {
		queueCopies(&b, j, &about.Duplicates)
		queueNear(&b, j, &about.NearDuplicates)
	}
	if b.Len() == 0 {
		return about, nil
	}
	err := s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error { return q.SendBatch(ctx, &b).Close() })
	if err != nil {
		return Context{Kind: j.Scope}, fmt.Errorf("read what is known around a text: %w", err)
	}
	if !created.IsZero() {
		about.AccountAge = max(j.at.Sub(created), 1) // 0 would be unknown
	}
	return about, nil
}
