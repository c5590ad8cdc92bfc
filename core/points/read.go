package points

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Balance is what the viewer has. Errors: Unauthenticated.
func (s *Service) Balance(ctx context.Context, v core.Viewer) (b Balance, err error) {
	if !v.SignedIn() {
		return b, core.Unauthenticatedf("Sign in, or send a bearer token, to see your points.")
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		b, err = balanceOf(ctx, tx, v.ID)
		return err
	})
	if err != nil {
		return Balance{}, fmt.Errorf("read balance: %w", err)
	}
	return b, nil
}

// Log is one page of a member's events with the balance at the same moment.
type Log struct {
	core.List[Event]
	Balance Balance
}

// Events lists what changed the viewer's balance, latest first. Errors:
// Unauthenticated.
func (s *Service) Events(ctx context.Context, v core.Viewer, page core.Page) (Log, error) {
	if !v.SignedIn() {
		return Log{}, core.Unauthenticatedf("Sign in, or send a bearer token, to see your points.")
	}
	return s.log(ctx, v, v.ID, page)
}

// LogOf is Events of any account. For administrators. It runs as the system:
// row-level security shows nobody another's points. Errors: Unauthenticated,
// Forbidden.
func (s *Service) LogOf(ctx context.Context, v core.Viewer, accountID string, page core.Page) (Log, error) {
	switch {
	case CanCorrect(v):
		return s.log(ctx, core.TheSystem(), accountID, page)
	case !v.SignedIn():
		return Log{}, core.Unauthenticatedf("Sign in as an administrator to see the points of others.")
	}
	return Log{}, core.Forbiddenf("Only administrators see the points of others.")
}

func (s *Service) log(ctx context.Context, reader core.Viewer, accountID string, page core.Page) (Log, error) {
	var l Log
	l.Page = EventRule.Clamp(page)
	err := s.db.Read(ctx, reader, func(tx pg.Querier) (err error) {
		w, err := ownWallet(ctx, tx, accountID)
		if err != nil {
			return err
		}
		l.Total = w.Events
		if l.Items, err = eventsOf(ctx, tx, w, l.Page); err != nil {
			return err
		}
		if l.Balance, err = balanceOf(ctx, tx, accountID); err != nil {
			return err
		}
		l.Balance.Balance = w.Balance
		return nil
	})
	if err != nil {
		return Log{}, fmt.Errorf("list points events: %w", err)
	}
	return l, nil
}

// Leaderboard lists who has earned most, as everybody sees it: without those
// who opted out, whose e-mail address is not verified, and who have no points.
// Among equals, who has been here longer comes first.
func (s *Service) Leaderboard(ctx context.Context, page core.Page) (core.List[Leader], error) {
	list := core.List[Leader]{Page: LeaderboardRule.Clamp(page)}
	db := s.db.Public()
	var err error
	if list.Total, err = countLeaders(ctx, db); err != nil {
		return list, pg.Err(fmt.Errorf("count leaders: %w", err))
	}
	if list.Items, err = leaders(ctx, db, list.Page); err != nil {
		return list, pg.Err(fmt.Errorf("list leaders: %w", err))
	}
	if len(list.Items) == 0 {
		return list, nil
	}
	before, err := leadersAbove(ctx, db, list.Items[0].Points)
	if err != nil {
		return list, pg.Err(fmt.Errorf("rank leaders: %w", err))
	}
	for i := range list.Items {
		l := &list.Items[i]
		switch {
		case i == 0:
			l.Rank = before + 1
		case l.Points == list.Items[i-1].Points:
			l.Rank = list.Items[i-1].Rank
		default:
			l.Rank = list.Page.Offset + i + 1
		}
	}
	return list, nil
}

// Standing is an account's row of the leaderboard, as everybody sees it; found
// is false for who is not on it.
func (s *Service) Standing(ctx context.Context, accountID string) (l Leader, found bool, err error) {
	db := s.db.Public()
	l, err = leader(ctx, db, accountID)
	if pg.NoRows(err) {
		return Leader{}, false, nil
	}
	if err == nil {
		l.Rank, err = leadersAbove(ctx, db, l.Points)
		l.Rank++
	}
	if err != nil {
		return Leader{}, false, pg.Err(fmt.Errorf("read standing: %w", err))
	}
	return l, true, nil
}
