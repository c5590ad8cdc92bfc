package polls

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// prepared is a question that waits for its day.
type prepared struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
}

//go:embed daily.jsonl
var dailyLines string

// pool are the prepared questions in the order of their days.
var pool = readPool(dailyLines)

func readPool(lines string) (list []prepared) {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		var q prepared
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			panic(fmt.Sprintf("daily question %d: %v", len(list)+1, err)) // a mistake of ours, seen by every test
		}
		list = append(list, q)
	}
	return list
}

// dayNumber counts UTC days since 1970.
func dayNumber(t time.Time) int64 { return t.Unix() / int64(24*time.Hour/time.Second) }

// questionOf is the question of a day: the same everywhere, and any run of days
// as long as the pool asks each question once.
func questionOf(day time.Time) prepared { return pool[dayNumber(day)%int64(len(pool))] }

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func dailySlug(t time.Time) string { return "daily-" + dayOf(t).Format(time.DateOnly) }

// Today reads the poll of the UTC day; found is false where staff have hidden
// it.
func (s *Service) Today(ctx context.Context) (p Poll, found bool, err error) {
	p, err = s.Get(ctx, core.Nobody(), dailySlug(s.now()))
	if core.KindOf(err) == core.NotFound && err != nil {
		return Poll{}, false, nil
	}
	return p, err == nil, err
}

// ensureDaily stores the poll of the UTC day where nobody has read it yet. It
// is a row and not worked out each time, because votes and comments refer to it
// and a later pool must not change what was asked. However many instances come
// at once, the unique day lets one of them store it, and the others wait for
// that one.
func (s *Service) ensureDaily(ctx context.Context) error {
	now := s.now()
	number := dayNumber(now)
	if s.made.Load() == number {
		return nil
	}
	// It is not the effect of whatever request happens to come first.
	err := s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		day := dayOf(now)
		q := questionOf(day)
		id := pg.NewID()
		stored, err := insertDaily(ctx, tx, id, dailySlug(now), q.Question, day)
		if err != nil || !stored {
			return err
		}
		tx.Touch(Area)
		return insertOptions(ctx, tx, id, q.Options)
	})
	if err != nil {
		return fmt.Errorf("store the poll of the day: %w", err)
	}
	s.made.Store(number)
	return nil
}
