package points

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// The two wallets of the site, made by the migration: where points come from,
// and where they go.
const (
	issued = "00000000-0000-7000-8000-000000000001"
	spent  = "00000000-0000-7000-8000-000000000002"
)

// transaction is a row of points_transactions.
type transaction struct {
	ID        string
	Kind      Kind
	WalletID  string // of the member whom it concerns
	Reason    string
	Detail    string
	RefType   *string
	RefID     *string
	HoldID    *string
	Round     int // of an award and its reversal; 0 is the first
	CreatedBy *string
	CreatedAt time.Time
}

// movement is what an entry adds to a wallet.
type movement struct {
	walletID string
	delta    int
}

type hold struct {
	ID       string
	WalletID string
	HeldID   string
	Amount   int
	State    HoldState
}

// memberWallet finds an account's wallet and makes it at need. From here on the
// account stays until the transaction ends; found is false where it is gone.
func memberWallet(ctx context.Context, tx *pg.Tx, accountID string, now time.Time) (id string, found bool, err error) {
	tag, err := tx.Exec(ctx, `select from accounts where id = $1 for key share`, accountID)
	if err != nil || tag.RowsAffected() == 0 {
		return "", false, err
	}
	id, err = walletOf(ctx, tx, accountID, "member", now)
	return id, err == nil, err
}

// heldWallet finds where points of an account wait.
func heldWallet(ctx context.Context, tx *pg.Tx, accountID string, now time.Time) (id string, err error) {
	return walletOf(ctx, tx, accountID, "held", now)
}

func walletOf(ctx context.Context, tx *pg.Tx, accountID, kind string, now time.Time) (id string, err error) {
	const find = `select id from points_wallets where account_id = $1 and kind = $2`
	err = tx.QueryRow(ctx, find, accountID, kind).Scan(&id)
	if !pg.NoRows(err) {
		return id, err
	}
	if _, err := tx.Exec(ctx, `
		insert into points_wallets (id, kind, account_id, balance, created_at)
		values (@id, @kind, @account, 0, @now)
		on conflict (account_id, kind) where account_id is not null do nothing`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "kind": kind, "account": accountID, "now": now}); err != nil {
		return "", err
	}
	err = tx.QueryRow(ctx, find, accountID, kind).Scan(&id)
	return id, err
}

// lockBalance reads a balance that nobody else changes until the transaction
// ends.
func lockBalance(ctx context.Context, tx *pg.Tx, walletID string) (balance int, err error) {
	err = tx.QueryRow(ctx, `select balance from points_wallets where id = $1 for no key update`, walletID).Scan(&balance)
	return balance, err
}

// insertTransaction tells whether it is stored: an award whose cause has paid in
// this round is not.
func insertTransaction(ctx context.Context, tx *pg.Tx, t transaction) (fresh bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into points_transactions (id, kind, wallet_id, reason, detail, ref_type, ref_id, hold_id, round, created_by, created_at)
		values (@id, @kind, @wallet, @reason, @detail, @ref_type, @ref_id, @hold, @round, @created_by, @created_at)
		on conflict (wallet_id, reason, ref_type, ref_id, round) where kind = 'award' do nothing`,
		pgx.StrictNamedArgs{"id": t.ID, "kind": t.Kind, "wallet": t.WalletID, "reason": t.Reason, "detail": t.Detail,
			"ref_type": t.RefType, "ref_id": t.RefID, "hold": t.HoldID, "round": max(t.Round, 1), "created_by": t.CreatedBy, "created_at": t.CreatedAt})
	return tag.RowsAffected() == 1, err
}

// insertEntries moves points; the database numbers the entries and keeps the
// balances.
func insertEntries(ctx context.Context, tx *pg.Tx, transactionID string, from, to movement) error {
	_, err := tx.Exec(ctx, `
		insert into points_entries (id, transaction_id, wallet_id, delta)
		values (@first, @transaction, @from, @from_delta), (@second, @transaction, @to, @to_delta)`,
		pgx.StrictNamedArgs{"first": pg.NewID(), "second": pg.NewID(), "transaction": transactionID,
			"from": from.walletID, "from_delta": from.delta, "to": to.walletID, "to_delta": to.delta})
	return err
}

func insertHold(ctx context.Context, tx *pg.Tx, h hold, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into points_holds (id, wallet_id, held_id, amount, created_at)
		values (@id, @wallet, @held, @amount, @now)`,
		pgx.StrictNamedArgs{"id": h.ID, "wallet": h.WalletID, "held": h.HeldID, "amount": h.Amount, "now": now})
	return err
}

// lockHold waits for whoever settles the hold at this moment; t is the
// transaction that set its points aside.
func lockHold(ctx context.Context, tx *pg.Tx, id string) (h hold, t transaction, err error) {
	h, err = pg.One[hold](ctx, tx, `
		select id, wallet_id, held_id, amount, state
		from points_holds
		where id = $1
		for update`, id)
	if err != nil {
		return h, t, err
	}
	t, err = pg.One[transaction](ctx, tx, `
		select id, kind, wallet_id, reason, detail, ref_type, ref_id, hold_id, round, created_by, created_at
		from points_transactions
		where hold_id = $1 and kind = 'hold'`, id)
	if err != nil {
		err = fmt.Errorf("read what hold %s is for: %w", id, err)
	}
	return h, t, err
}

func settleHold(ctx context.Context, tx *pg.Tx, id string, state HoldState, now time.Time) error {
	_, err := tx.Exec(ctx, `
		update points_holds
		set state = $2, settled_at = $3
		where id = $1`, id, state, now)
	return err
}

func accountNamed(ctx context.Context, q pg.Querier, username string) (id string, found bool, err error) {
	err = q.QueryRow(ctx, `select account_id from profiles where username = $1`, username).Scan(&id)
	if pg.NoRows(err) {
		return "", false, nil
	}
	return id, err == nil, err
}
