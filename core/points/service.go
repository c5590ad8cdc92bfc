package points

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// numbers are the settings that say what is paid.
type numbers interface {
	Number(k settings.Number) int
}

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// Service keeps the ledger. The methods that end in Tx are part of the caller's
// transaction and run as the system in it, so the caller is who decides whether
// they may; after an error of theirs the transaction can only be rolled back.
type Service struct {
	db       *pg.DB
	now      core.Clock
	settings numbers
	audit    auditor // nil keeps nothing
}

// New makes the service.
func New(db *pg.DB, now core.Clock, s numbers) *Service {
	return &Service{db: db, now: now, settings: s}
}

// WithAudit makes the service write every correction down; it is called before
// first use, and returns the service itself.
func (s *Service) WithAudit(a auditor) *Service {
	s.audit = a
	return s
}

// Award is what the reason pays at the moment.
func (s *Service) Award(reason core.AwardReason) int { return s.settings.Number(awards[reason]) }

// AwardTx pays an account for what it did and returns how many points that
// were: 0 where the setting pays none, where this cause has paid the account
// before and that was not taken back, and where there is no such account (any
// more).
func (s *Service) AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (paid int, err error) {
	key, known := awards[a.Reason]
	if !known || a.RefType == "" || a.RefID == "" {
		return 0, fmt.Errorf("award points: %q for %q %q is not a cause", a.Reason, a.RefType, a.RefID)
	}
	amount := s.settings.Number(key)
	if amount == 0 || a.AccountID == "" {
		return 0, nil
	}
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		wallet, found, err := memberWallet(ctx, tx, a.AccountID, s.now())
		if err != nil || !found {
			return err
		}
		if _, err := lockBalance(ctx, tx, wallet); err != nil {
			return err
		}
		round, err := nextRound(ctx, tx, wallet, a)
		if err != nil {
			return err
		}
		t := transaction{ID: pg.NewID(), Kind: KindAward, WalletID: wallet, Reason: string(a.Reason), Detail: cut(a.Detail),
			RefType: optional(a.RefType), RefID: optional(a.RefID), Round: round, CreatedAt: s.now()}
		fresh, err := insertTransaction(ctx, tx, t)
		if err != nil || !fresh {
			return err
		}
		tx.Touch(Area)
		paid = amount
		return insertEntries(ctx, tx, t.ID, movement{wallet, amount}, movement{issued, -amount})
	})
	if err != nil {
		return 0, fmt.Errorf("award points: %w", err)
	}
	return paid, nil
}

// SpendTx takes points for good. Errors: Insufficient.
func (s *Service) SpendTx(ctx context.Context, tx *pg.Tx, sp Spending) error {
	if sp.Amount == 0 {
		return nil
	}
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		wallet, err := s.payer(ctx, tx, sp)
		if err != nil {
			return err
		}
		t := s.spending(KindSpend, wallet, sp)
		if _, err := insertTransaction(ctx, tx, t); err != nil {
			return err
		}
		return insertEntries(ctx, tx, t.ID, movement{wallet, -sp.Amount}, movement{spent, sp.Amount})
	})
	if err != nil {
		return fmt.Errorf("spend points: %w", err)
	}
	return nil
}

// payer locks the wallet of who pays until the transaction ends, and sees to it
// that there is enough in it.
func (s *Service) payer(ctx context.Context, tx *pg.Tx, sp Spending) (wallet string, err error) {
	if sp.Amount < 0 {
		return "", fmt.Errorf("%d points for %s is no price", sp.Amount, sp.Reason)
	}
	wallet, found, err := memberWallet(ctx, tx, sp.AccountID, s.now())
	if err != nil {
		return "", err
	}
	if !found {
		return "", errInsufficient(sp.Amount, 0)
	}
	balance, err := lockBalance(ctx, tx, wallet)
	if err == nil && balance < sp.Amount {
		return "", errInsufficient(sp.Amount, balance)
	}
	return wallet, err
}

func (s *Service) spending(kind Kind, wallet string, sp Spending) transaction {
	return transaction{ID: pg.NewID(), Kind: kind, WalletID: wallet, Reason: sp.Reason, Detail: cut(sp.Detail),
		RefType: optional(sp.RefType), RefID: optional(sp.RefID), CreatedAt: s.now()}
}

// Correct gives an account points or takes some away by hand; the member reads
// the reason. Both count in what was earned in total. For the system and
// administrators. Errors: Forbidden, NotFound, Invalid, also where the balance
// would be negative.
func (s *Service) Correct(ctx context.Context, v core.Viewer, username string, delta int, reason string) (Balance, error) {
	if !CanCorrect(v) {
		return Balance{}, core.Forbiddenf("Only administrators correct points.")
	}
	var p core.Problems
	p.Line("reason", &reason, 1, maxDetail)
	if delta == 0 || delta < -MaxCorrection || delta > MaxCorrection {
		p.Add("delta", "must be a whole number from -%d to %d, and not 0", MaxCorrection, MaxCorrection)
	}
	if err := p.Err(); err != nil {
		return Balance{}, err
	}
	var after Balance
	err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		account, found, err := accountNamed(ctx, tx, strings.ToLower(strings.TrimSpace(username)))
		if err != nil {
			return err
		}
		if !found {
			return core.NotFoundf("There is no account with the username %q.", username)
		}
		if err := s.correct(ctx, tx, v, account, delta, reason); err != nil {
			return err
		}
		after, err = balanceOf(ctx, tx, account)
		return err
	})
	if err != nil {
		return Balance{}, fmt.Errorf("correct points: %w", err)
	}
	return after, nil
}

func (s *Service) correct(ctx context.Context, tx *pg.Tx, v core.Viewer, account string, delta int, reason string) error {
	wallet, found, err := memberWallet(ctx, tx, account, s.now())
	if err != nil {
		return err
	}
	if !found {
		return core.NotFoundf("This account no longer exists.")
	}
	balance, err := lockBalance(ctx, tx, wallet)
	if err != nil {
		return err
	}
	if balance+delta < 0 {
		return core.InvalidField("delta", "must not take more than there is to spend, which is %s", Words(balance))
	}
	t := transaction{ID: pg.NewID(), Kind: KindCorrection, WalletID: wallet, Reason: reasonCorrection, Detail: reason,
		CreatedBy: optional(v.ID), CreatedAt: s.now()}
	if _, err := insertTransaction(ctx, tx, t); err != nil {
		return err
	}
	tx.Touch(Area)
	if err := insertEntries(ctx, tx, t.ID, movement{wallet, delta}, movement{issued, -delta}); err != nil || s.audit == nil {
		return err
	}
	return s.audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "points_corrected", About: core.Target{Type: "account", ID: account},
		Reason: fmt.Sprintf("%+d: %s", delta, reason)})
}

// Words is a number of points in words: "1 point", "12 points".
func Words(n int) string {
	if n == 1 {
		return "1 point"
	}
	return strconv.Itoa(n) + " points"
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// cut keeps what a log has room for: an effect must not fail for its words.
func cut(detail string) string {
	if letters := []rune(strings.TrimSpace(detail)); len(letters) > maxDetail {
		return string(letters[:maxDetail-1]) + "…"
	}
	return strings.TrimSpace(detail)
}
