package pg

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"homeplace/core"
)

// SQLSTATE codes that the program tells apart (PostgreSQL manual, appendix A).
const (
	uniqueViolation      = "23505"
	insufficientRight    = "42501"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	queryCanceled        = "57014"
	tooManyConnections   = "53300"
)

// translate turns failures to reach the database into core.Unavailable and
// leaves every other error as it is. Areas translate their own constraint
// errors with Violates before.
func translate(err error) error {
	if err == nil || !unreachable(err) {
		return err
	}
	return (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: 2 * time.Second,
		Msg: "The database cannot be reached right now. Please try again in a moment."}).Wrap(err)
}

func unreachable(err error) bool {
	var known *core.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) {
		return false
	}
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) { // for whatever reason, a refusal by the server included
		return true
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		// Class 57P: the server is shutting down or starting up.
		return strings.HasPrefix(server.Code, "57P") || server.Code == tooManyConnections || server.Code == queryCanceled
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, puddle.ErrClosedPool) ||
		errors.Is(err, context.DeadlineExceeded) || pgconn.SafeToRetry(err)
}

func isRetryable(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && (server.Code == serializationFailure || server.Code == deadlockDetected)
}

// Violates tells whether err breaks the named unique constraint or index.
func Violates(err error, constraint string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == uniqueViolation && server.ConstraintName == constraint
}

// Denied tells whether row-level security or a missing grant refused a
// statement.
func Denied(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == insufficientRight
}

// NoRows tells whether a query for exactly one row found none.
func NoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
