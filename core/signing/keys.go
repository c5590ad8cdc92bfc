package signing

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Prepare makes the first key, once however many instances start, and checks
// that this installation can use the one there is. Errors: ErrOtherSecret.
func (s *Service) Prepare(ctx context.Context) error {
	err := s.change(ctx, func(tx *pg.Tx, keys []*ringKey) error { return s.ensureKey(ctx, tx, keys) })
	if err != nil {
		return fmt.Errorf("prepare signing keys: %w", err)
	}
	return s.Check(ctx)
}

// Check tells whether this installation can use the keys. Errors:
// ErrOtherSecret.
func (s *Service) Check(ctx context.Context) error {
	keys, err := s.List(ctx)
	for _, key := range keys {
		if key.RetiredAt == nil && !key.Readable {
			return ErrOtherSecret
		}
	}
	return err
}

// List returns every key, the newest first.
func (s *Service) List(ctx context.Context) ([]Key, error) {
	s.forget()
	r, err := s.keys(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Key, len(r.keys))
	for i, key := range r.keys {
		list[i] = key.Key
	}
	return list, nil
}

// Rotate publishes the next key. It signs in 15 minutes; the one before goes
// on verifying until its last token has expired. Errors: Conflict while the
// next key is published and does not sign yet; ErrOtherSecret.
func (s *Service) Rotate(ctx context.Context) (next Key, err error) {
	err = s.change(ctx, func(tx *pg.Tx, keys []*ringKey) (err error) {
		now := s.now()
		for _, key := range keys {
			switch {
			case key.RetiredAt != nil:
			case !key.Readable:
				return ErrOtherSecret
			case key.ActiveFrom.After(now):
				return core.Conflictf("rotation_running", "The next key is published already; it signs from %s on.",
					key.ActiveFrom.UTC().Format("15:04 MST"))
			}
		}
		next, err = s.succeed(ctx, tx, now.Add(announceAhead))
		return err
	})
	if err != nil {
		return Key{}, fmt.Errorf("rotate signing keys: %w", err)
	}
	return next, nil
}

// Sweep removes the keys that have expired, and rotates once the newest is 90
// days old. A job calls it now and then.
func (s *Service) Sweep(ctx context.Context) (rotated bool, err error) {
	keys, err := s.List(ctx)
	if err != nil {
		return false, fmt.Errorf("sweep signing keys: %w", err)
	}
	expired, due := false, false
	for _, key := range keys {
		expired = expired || key.Expired(s.now())
		due = due || s.due(key)
	}
	if !expired && !due { // the usual case takes no lock
		return false, nil
	}
	err = s.change(ctx, func(tx *pg.Tx, keys []*ringKey) (err error) {
		rotated = false
		if _, err := deleteExpired(ctx, tx, s.now()); err != nil {
			return err
		}
		for _, key := range keys {
			if s.due(key.Key) {
				rotated = true
				_, err = s.succeed(ctx, tx, s.now().Add(announceAhead))
			}
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sweep signing keys: %w", err)
	}
	return rotated, nil
}

// due tells whether a key has signed for long enough.
func (s *Service) due(k Key) bool {
	return k.RetiredAt == nil && k.Readable && s.now().Sub(k.ActiveFrom) >= rotateEvery
}

// Reset drops the keys that this installation cannot use, since the secret
// that sealed them is lost, and sees to it that there is one that it can. What
// they signed is not valid any more.
func (s *Service) Reset(ctx context.Context) (dropped int, err error) {
	err = s.change(ctx, func(tx *pg.Tx, keys []*ringKey) error {
		dropped = 0
		var left []*ringKey
		for _, key := range keys {
			if key.Readable {
				left = append(left, key)
				continue
			}
			if err := deleteKey(ctx, tx, key.ID); err != nil {
				return err
			}
			dropped++
		}
		return s.ensureKey(ctx, tx, left)
	})
	if err != nil {
		return 0, fmt.Errorf("reset signing keys: %w", err)
	}
	return dropped, nil
}

// change runs fn with the stored keys while nobody else can change them.
func (s *Service) change(ctx context.Context, fn func(tx *pg.Tx, keys []*ringKey) error) error {
	return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		rows, err := keyRows(ctx, tx)
		if err != nil {
			return err
		}
		keys := make([]*ringKey, len(rows))
		for i, r := range rows {
			if keys[i], err = s.open(r); err != nil {
				return fmt.Errorf("signing key %s: %w", r.Kid, err)
			}
		}
		tx.Touch(Area)
		return fn(tx, keys)
	})
}

// ensureKey makes a key that signs at once where none of these is in office.
func (s *Service) ensureKey(ctx context.Context, tx *pg.Tx, keys []*ringKey) error {
	for _, key := range keys {
		if key.RetiredAt == nil {
			return nil
		}
	}
	_, err := s.succeed(ctx, tx, s.now())
	return err
}

// succeed makes the key that signs from then on, and retires the one before.
func (s *Service) succeed(ctx context.Context, tx *pg.Tx, from time.Time) (Key, error) {
	if err := retireKey(ctx, tx, from, from.Add(MaxLifetime+2*Leeway)); err != nil {
		return Key{}, err
	}
	next, err := s.generate(from)
	if err != nil {
		return Key{}, err
	}
	if err := insertKey(ctx, tx, next); err != nil {
		return Key{}, err
	}
	return Key{ID: next.Kid, CreatedAt: next.CreatedAt, ActiveFrom: next.ActiveFrom, Readable: true}, nil
}
