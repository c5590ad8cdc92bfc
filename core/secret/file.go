package secret

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FileName is the secret's file below the data directory. It holds 32 random
// bytes as hexadecimal digits, so that its text can be given to an instance
// with another data directory.
const FileName = "secret"

const (
	fileBytes  = 32
	fileDigits = 2 * fileBytes
	// openToOthers are the permissions that the file must not have.
	openToOthers fs.FileMode = 0o077
)

// Open returns the given secret or, without one, that of the data directory,
// which is made at the first start. Of several processes that start at once,
// all get the same. Errors: given is too short; the file has another size or
// form, or others may read it.
func Open(dataDir, given string) (Secret, error) {
	s, found, err := Find(dataDir, given)
	if err != nil || found {
		return s, err
	}
	path := filepath.Join(dataDir, FileName)
	if err = create(path); err == nil {
		s, err = read(path)
	}
	if err != nil {
		return Secret{}, fmt.Errorf("make the secret: %w", err)
	}
	return s, nil
}

// Find is Open without making a file.
func Find(dataDir, given string) (s Secret, found bool, err error) {
	if given != "" {
		s, err = Parse(given)
	} else if s, err = read(filepath.Join(dataDir, FileName)); errors.Is(err, fs.ErrNotExist) {
		return Secret{}, false, nil
	}
	if err != nil {
		return Secret{}, false, fmt.Errorf("open the secret: %w", err)
	}
	return s, true, nil
}

func read(path string) (Secret, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Secret{}, err
	}
	if info.Mode().Perm()&openToOthers != 0 {
		return Secret{}, fmt.Errorf("others on this machine may read %s; run \"chmod 600 %[1]s\"", path)
	}
	if size := info.Size(); size < fileDigits || size > fileDigits+2 { // an editor may have ended the line
		return Secret{}, fmt.Errorf("%s has %d bytes and should have %d; put the right file back, or give its text as --secret", path, size, fileDigits)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Secret{}, err
	}
	text := strings.TrimRight(string(data), "\r\n")
	if raw, err := hex.DecodeString(text); err != nil || len(raw) != fileBytes {
		return Secret{}, fmt.Errorf("%s does not hold %d hexadecimal digits; put the right file back, or give its text as --secret", path, fileDigits)
	}
	return Parse(text)
}

// create makes the file, whole or not at all: a link to it appears only once
// everything is written, and only where there is none yet.
func create(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, ".secret-*") // with permissions 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	raw := make([]byte, fileBytes)
	rand.Read(raw) // never fails, see crypto/rand
	_, err = draft.WriteString(hex.EncodeToString(raw))
	if err == nil {
		err = draft.Sync()
	}
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; where the data directory cannot keep it, give the secret as --secret", err)
	}
	return nil
}
