package moderation

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/moderation/heuristics"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// VerdictTx is the latest verdict on a target, and where its text came from, for
// the desk; found is false where none is kept. The origin is empty once it was
// forgotten. The transaction is that of staff or the system.
func (s *Service) VerdictTx(ctx context.Context, q pg.Querier, target core.Target) (v core.Verdict, from core.Origin, found bool, err error) {
	k, err := latestOf(ctx, q, target)
	switch {
	case pg.NoRows(err):
		return core.Verdict{}, core.Origin{}, false, nil
	case err != nil:
		return core.Verdict{}, core.Origin{}, false, fmt.Errorf("read verdict: %w", err)
	}
	return core.Verdict{Decision: k.Decision, Score: k.Score, Reasons: k.Reasons}, core.Origin{AddressKey: k.AddressKey, Shared: k.Shared}, true, nil
}

// LeaveTx readies the area for an account's deletion: of what its texts were
// judged, only the verdicts stay, without the texts, the address and the name.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, _ bool) error {
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error { return forgetSender(ctx, tx, accountID) })
	if err != nil {
		return fmt.Errorf("leave judgements: %w", err)
	}
	return nil
}

// sweptAtOnce bounds the rows of one transaction of Sweep.
const sweptAtOnce = 1000

// Sweep empties judgements that are older than the setting judgements_days, of
// texts and addresses, and returns how many. A job calls it now and then.
func (s *Service) Sweep(ctx context.Context) (emptied int64, err error) {
	before := s.now().AddDate(0, 0, -s.needs.Settings.Number(settings.JudgementsDays))
	for {
		var n int64
		err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) (err error) {
			n, err = emptyBefore(ctx, tx, before, sweptAtOnce)
			return err
		})
		if emptied += n; err != nil {
			return emptied, fmt.Errorf("empty old judgements: %w", err)
		}
		if n < sweptAtOnce {
			return emptied, nil
		}
	}
}

// nearArgs are the bands of a fingerprint, as the indexes have them.
func nearArgs(args pgx.StrictNamedArgs, of identity) {
	args["fingerprint"], args["bits"] = int64(of.fingerprint), heuristics.NearBits
	for i, name := range [...]string{"band0", "band1", "band2", "band3"} {
		args[name] = int64(of.fingerprint >> (16 * i) & 0xffff)
	}
}
