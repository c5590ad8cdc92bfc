package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

const attachLimit = 5 * time.Second

// Attach finds the server that another process runs for dir, for a command that wants to work beside it. With running false and no error nobody
// owns dir, and the caller may Start its own server. An error that wraps ErrInUse says that the owner is just starting or stopping its server.
func Attach(dir string) (url string, running bool, err error) {
	owned, err := ownedPlace(dir)
	if err != nil || owned == "" {
		return "", false, err
	}
	url, err = answering(owned)
	if err != nil {
		return "", false, fmt.Errorf("%s: the server there does not answer (%w): %w", owned, err, ErrInUse)
	}
	return url, true, nil
}

// Owned tells whether a process owns dir, whatever state its server is in.
func Owned(dir string) (bool, error) {
	owned, err := ownedPlace(dir)
	return owned != "", err
}

// ownedPlace is the directory of dir's server, which may be another; "" while nobody owns it.
func ownedPlace(dir string) (string, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	dirs, err := candidates(dir, fallbackRoots)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if owned, err := held(dir); err != nil || owned {
			return dir, err
		}
	}
	return "", nil
}

// answering is the address of the server of dir, tried with a connection.
func answering(dir string) (string, error) {
	socket, err := os.ReadFile(socketNote(dir))
	if err != nil {
		return "", fmt.Errorf("find the socket: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), attachLimit)
	defer cancel()
	url := socketURL(string(socket), superuser, database)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	if err := conn.Close(ctx); err != nil {
		return "", fmt.Errorf("close the connection: %w", err)
	}
	return url, nil
}
