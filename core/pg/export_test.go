package pg

import "github.com/jackc/pgx/v5/pgxpool"

// Private gives tests the pool behind Read and Write, without a role.
func (db *DB) Private() *pgxpool.Pool { return db.private }
