package sessions

import (
	"context"
	"fmt"
	"time"

	"homeplace/core/pg"
)

// StartedTx tells when a live session of the account began, which is when
// somebody last proved in that browser who they are. found is false where the
// account has no such session.
func (s *Service) StartedTx(ctx context.Context, tx *pg.Tx, accountID, id string) (at time.Time, found bool, err error) {
	at, err = sessionStart(ctx, tx, accountID, id, s.now())
	if pg.NoRows(err) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("look up the start of a session: %w", err)
	}
	return at, true, nil
}
