package main

import (
	"context"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/geography"
	"homeplace/core/idempotency"
	"homeplace/core/pg"
	"homeplace/core/ratelimit"
	"homeplace/core/search"
	"homeplace/core/settings"
)

// services are all services over one database: who gets what stands here and
// nowhere else.
type services struct {
	db          *pg.DB
	settings    *settings.Service
	geography   *geography.Service
	accounts    *accounts.Service
	directory   *directory.Service
	search      *search.Service
	limits      *ratelimit.Service
	idempotency *idempotency.Service
}

func wire(db *pg.DB) *services {
	s := &services{
		db:          db,
		settings:    settings.New(db),
		geography:   geography.New(db),
		accounts:    accounts.New(db, core.Now),
		limits:      ratelimit.New(db),
		idempotency: idempotency.New(db),
	}
	s.directory = directory.New(db, core.Now, s.geography.Current)
	s.search = search.New(db, s.directory, s.geography.Current)
	return s
}

// prepare reads the settings and fills what a new database starts with.
func (s *services) prepare(ctx context.Context) error {
	if err := s.directory.Seed(ctx); err != nil {
		return err
	}
	return s.settings.Load(ctx)
}
