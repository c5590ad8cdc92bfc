package pg

import (
	"context"
	"fmt"

	"homeplace/core"
)

// Claim is an Idempotency-Key on its way to the database. Write stores it
// first in the transaction of the effect, so that key and effect are there
// together or not at all.
type Claim struct {
	Caller string // account id, or the address key of an anonymous caller
	Key    string
	Hash   []byte // SHA-256 over method, path and body

	stored bool // by an earlier Write of the same request
}

// ErrClaimed says that the key of a Claim was used before.
var ErrClaimed = &core.Error{Kind: core.Conflict, Code: "request_in_progress",
	Msg: "A request with the same Idempotency-Key was made before."}

type claimKey struct{}

// WithClaim returns a context under which the first Write that commits stores
// the claim. The context belongs to one request and one goroutine.
func WithClaim(ctx context.Context, c Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, &c)
}

// WithoutClaim returns a context under which Write stores no claim: for
// bookkeeping, such as rate limits, that is not the effect of the request.
func WithoutClaim(ctx context.Context) context.Context {
	return context.WithValue(ctx, claimKey{}, (*Claim)(nil))
}

// claimFrom finds the claim that still has to be stored, or nil.
func claimFrom(ctx context.Context) *Claim {
	c, _ := ctx.Value(claimKey{}).(*Claim)
	if c == nil || c.stored {
		return nil
	}
	return c
}

// insert waits for another transaction that holds the same key: whichever
// commits first wins, the other gets ErrClaimed. The conflict's columns are not
// named: naming them asks for the right to read the table.
func (c *Claim) insert(ctx context.Context, tx *Tx) error {
	tag, err := tx.Exec(ctx, `
		insert into idempotency_keys (caller, key, request_hash)
		values ($1, $2, $3)
		on conflict do nothing`, c.Caller, c.Key, c.Hash)
	if err != nil {
		return translate(fmt.Errorf("store idempotency key: %w", err))
	}
	if tag.RowsAffected() == 0 {
		return ErrClaimed
	}
	return nil
}
