package httpx

import (
	"context"
	"net/http"
)

// Blocker knows the addresses from which nothing may be sent; see AddrKey. It
// fails where the key is one of them.
type Blocker func(ctx context.Context, addressKey string) error

// Unblocked keeps blocked addresses out of a handler. A caller whose address many
// people may share, or who has none, always passes.
func Unblocked(ensure Blocker, h Handler) Handler {
	return func(r *http.Request) (*Answer, error) {
		if c := ClientOf(r); c.Addr.IsValid() && !c.Shared {
			if err := ensure(r.Context(), AddrKey(c.Addr)); err != nil {
				return nil, err
			}
		}
		return h(r)
	}
}
