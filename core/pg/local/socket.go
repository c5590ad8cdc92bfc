package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	socketName = ".s.PGSQL." + port
	// longestSocket is what both Linux (107 bytes) and macOS (103) accept as a socket's path.
	longestSocket = 103
	shortParent   = "/tmp" // not $TMPDIR, which may be long itself or closed to the server's user
)

func socketNote(dir string) string { return filepath.Join(dir, "socket") }

// makeSocketDir makes the private directory that holds the socket and notes its path for Attach. It is dir/s unless that path is too long, or holds
// a comma, which separates entries both for the server and for its clients. What a killed owner has left goes first: a socket's lock file would keep the
// server from starting once a stranger has the process number in it.
func makeSocketDir(dir string, as *account) (string, error) {
	if old, err := os.ReadFile(socketNote(dir)); err == nil {
		removeSocketDir(dir, string(old))
	}
	socket := filepath.Join(dir, "s")
	var err error
	if len(filepath.Join(socket, socketName)) > longestSocket || strings.Contains(socket, ",") {
		socket, err = os.MkdirTemp(shortParent, "homeplace-")
	} else if err = os.Mkdir(socket, 0o700); errors.Is(err, fs.ErrExist) {
		err = os.Chmod(socket, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("make the socket's directory: %w", err)
	}
	if err := as.own(socket); err != nil {
		return "", err
	}
	if err := os.WriteFile(socketNote(dir), []byte(socket), 0o600); err != nil {
		return "", fmt.Errorf("note the socket's directory: %w", err)
	}
	return socket, nil
}

// removeSocketDir removes what the server makes in a socket's directory, then the directory, unless something else is in it.
func removeSocketDir(dir, socket string) {
	for _, path := range []string{filepath.Join(socket, socketName), filepath.Join(socket, socketName+".lock"), socket, socketNote(dir)} {
		os.Remove(path)
	}
}
