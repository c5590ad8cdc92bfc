package signing

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"time"

	"github.com/MicahParks/jwkset"

	"homeplace/core"
	"homeplace/core/pg"
)

// ringKey is a stored key, ready for use. private is nil where this
// installation cannot unseal it.
type ringKey struct {
	Key
	public  *ecdsa.PublicKey
	private *ecdsa.PrivateKey
	jwk     jwkset.JWKMarshal
}

// ring is every stored key at one moment, the newest first.
type ring struct {
	keys   []*ringKey
	readAt time.Time
}

// live are the keys that still verify.
func (r *ring) live(now time.Time) (list []*ringKey) {
	for _, key := range r.keys {
		if !key.Expired(now) {
			list = append(list, key)
		}
	}
	return list
}

// signer is the newest key that is active. Where the clock of another instance
// goes ahead, the only key may not be: it signs all the same.
func (r *ring) signer(now time.Time) (signer *ringKey) {
	for _, key := range r.live(now) {
		signer = key
		if !key.ActiveFrom.After(now) {
			break
		}
	}
	return signer
}

func (r *ring) find(kid string, now time.Time) *ringKey {
	for _, key := range r.live(now) {
		if key.ID == kid {
			return key
		}
	}
	return nil
}

// forget makes the next use read the keys again.
func (s *Service) forget() {
	s.changes.Add(1)
	s.current.Store(nil)
}

// keys are those in memory, or else those of the database.
func (s *Service) keys(ctx context.Context) (*ring, error) {
	if r := s.current.Load(); r != nil && s.now().Sub(r.readAt) < ringAge {
		return r, nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if r := s.current.Load(); r != nil && s.now().Sub(r.readAt) < ringAge { // read while we waited
		return r, nil
	}
	return s.read(ctx)
}

// read expects that loading is locked.
func (s *Service) read(ctx context.Context) (*ring, error) {
	heard := s.changes.Load()
	r := &ring{readAt: s.now()}
	var rows []row
	err := s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		rows, err = keyRows(ctx, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	for _, stored := range rows {
		key, err := s.open(stored)
		if err != nil {
			return nil, fmt.Errorf("read signing key %s: %w", stored.Kid, err)
		}
		r.keys = append(r.keys, key)
	}
	s.current.Store(r)
	if s.changes.Load() != heard { // what was read may be older than the change
		s.current.Store(nil)
	}
	return r, nil
}

// lookUp finds a key by its name; nil where it is not ours. A name that is not
// known may be that of a key made a moment ago, so the database is asked, but
// strangers cannot make us ask all the time.
func (s *Service) lookUp(ctx context.Context, kid string) (*ringKey, error) {
	r, err := s.keys(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if key := r.find(kid, now); key != nil {
		return key, nil
	}
	last := s.stranger.Load()
	if now.Sub(time.UnixMicro(last)) < strangerPause || !s.stranger.CompareAndSwap(last, now.UnixMicro()) {
		return nil, nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if r, err = s.read(ctx); err != nil {
		return nil, err
	}
	return r.find(kid, now), nil
}
