package pg

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
)

// credentials of the role that the program logs in as.
type credentials struct{ user, password string }

// loginFor names the login role of a database. Its password is derived from
// the owner's, so that every instance with the same --database-url knows it
// and nothing has to be stored. An owner without a password (a private socket,
// a client certificate) makes a login role without one: what anybody can work
// out is no secret.
func loginFor(cfg *pgx.ConnConfig) credentials {
	const longestName = 63 // PostgreSQL cuts names there
	user := "homeplace_login_" + cfg.Database
	if len(user) > longestName {
		sum := sha256.Sum256([]byte(cfg.Database))
		user = "homeplace_login_" + hex.EncodeToString(sum[:12])
	}
	if cfg.Password == "" {
		return credentials{user: user}
	}
	mac := hmac.New(sha256.New, []byte(cfg.Password))
	mac.Write([]byte("homeplace login role of " + cfg.Database))
	return credentials{user: user, password: hex.EncodeToString(mac.Sum(nil))}
}

// ensureLogin makes the login role: it owns nothing, inherits nothing, cannot
// bypass row-level security, and may only become anon, member, staff or
// system for the length of a transaction.
func ensureLogin(ctx context.Context, url string) (credentials, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return credentials{}, fmt.Errorf("database address: %w", err)
	}
	login := loginFor(cfg)
	trial := cfg.Copy()
	trial.User, trial.Password = login.user, login.password
	if conn, err := pgx.ConnectConfig(ctx, trial); err == nil {
		return login, conn.Close(ctx)
	}
	owner, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return credentials{}, translate(fmt.Errorf("connect as the owner: %w", err))
	}
	defer owner.Close(context.WithoutCancel(ctx))
	if _, err := owner.Exec(ctx, `select homeplace_ensure_login($1, $2)`, login.user, login.password); err != nil {
		if Denied(err) {
			return credentials{}, mayNotSetUp(cfg, err)
		}
		return credentials{}, fmt.Errorf("make the login role: %w", err)
	}
	return login, nil
}

// mayNotSetUp says what the owner of a database needs, for a statement that
// was refused to it.
func mayNotSetUp(cfg *pgx.ConnConfig, err error) error {
	user, database := pgx.Identifier{cfg.User}.Sanitize(), pgx.Identifier{cfg.Database}.Sanitize()
	return (&core.Error{Kind: core.Forbidden, Code: "not_allowed",
		Msg: fmt.Sprintf("The database user %q may not set up the database. Run \"alter role %s createrole\" and \"alter database %s owner to %s\" as an administrator, or give --database-url a user that may.",
			cfg.User, user, database, user)}).Wrap(err)
}
