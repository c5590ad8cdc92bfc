package secret

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func parse(t testing.TB, given string) Secret {
	t.Helper()
	s, err := Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// one and other are secrets of the least length.
var (
	one   = strings.Repeat("1", MinLength)
	other = strings.Repeat("2", MinLength)
)

func TestParse(t *testing.T) {
	t.Parallel()
	for given, good := range map[string]bool{one: true, one[1:]: false, strings.Repeat("é", 31): false, strings.Repeat("é", 32): true} {
		if _, err := Parse(given); (err == nil) != good || !good && !strings.Contains(err.Error(), "at least 32") {
			t.Errorf("Parse(%q) gives %v", given, err)
		}
	}
}

// The expected key was worked out with an independent implementation of
// RFC 5869 from HMAC alone.
func TestDerive(t *testing.T) {
	t.Parallel()
	s := parse(t, one)
	const want = "e0a27c0cb9dd98274b817a420a492595cd226b050fadae35f106fac3ad90b68e"
	if got := hex.EncodeToString(s.Derive("test")); got != want {
		t.Errorf("Derive = %s, want %s", got, want)
	}
	if bytes.Equal(s.Derive("a"), s.Derive("b")) || bytes.Equal(s.Derive("a"), parse(t, other).Derive("a")) {
		t.Error("two purposes, or two secrets, have one key")
	}
}

func TestUnsealRefusesWhatWasChanged(t *testing.T) {
	t.Parallel()
	s := parse(t, one)
	plain := []byte("a private key")
	sealed := s.Seal("keys", plain)
	if got, err := s.Unseal("keys", sealed); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("Unseal = %q, %v", got, err)
	}
	if bytes.Equal(sealed, s.Seal("keys", plain)) {
		t.Error("the same thing is sealed twice in the same way")
	}
	if _, err := s.Unseal("others", sealed); !errors.Is(err, ErrUnseal) {
		t.Errorf("with another purpose: %v", err)
	}
	if _, err := parse(t, other).Unseal("keys", sealed); !errors.Is(err, ErrUnseal) {
		t.Errorf("with another secret: %v", err)
	}
	for n := range sealed {
		if _, err := s.Unseal("keys", sealed[:n]); !errors.Is(err, ErrUnseal) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
		changed := bytes.Clone(sealed)
		changed[n] ^= 1
		if _, err := s.Unseal("keys", changed); !errors.Is(err, ErrUnseal) {
			t.Errorf("with byte %d changed: %v", n, err)
		}
	}
}

func TestSealingIsUndone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := Secret{text: rapid.StringN(MinLength, -1, -1).Draw(t, "secret")}
		purpose, plain := rapid.String().Draw(t, "purpose"), rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		got, err := s.Unseal(purpose, s.Seal(purpose, plain))
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("Unseal = %x, %v", got, err)
		}
	})
}

func TestOpenMakesTheFileOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	secrets := make([]Secret, 16)
	var all sync.WaitGroup
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = Open(dir, ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, s := range secrets {
		if s != secrets[0] || s == (Secret{}) {
			t.Fatal("processes that start at once have different secrets")
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("the directory holds %v, %v", files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Name() != FileName || info.Mode() != 0o600 || info.Size() != 64 {
		t.Errorf("the file is %v %v with %d bytes, %v", info.Name(), info.Mode(), info.Size(), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.TempDir(), string(text)); err != nil || s != secrets[0] {
		t.Errorf("its text, given elsewhere, is another secret, %v", err)
	}
	if s, err := Open(dir, other); err != nil || s != parse(t, other) {
		t.Errorf("a given secret does not go before the file, %v", err)
	}
}

func TestOpenRefusesADamagedFile(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("0a", 32)
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"good":              {good, 0o600, ""},
		"read only":         {good, 0o400, ""},
		"with a line's end": {good + "\n", 0o600, ""},
		"empty":             {"", 0o600, "has 0 bytes and should have 64"},
		"cut":               {good[1:], 0o600, "has 63 bytes"},
		"long":              {good + "abc", 0o600, "has 67 bytes"},
		"not hexadecimal":   {good[1:] + "g", 0o600, "hexadecimal"},
		"for the group":     {good, 0o640, "chmod 600"},
		"for everybody":     {good, 0o604, "chmod 600"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, "")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if now, _ := os.ReadFile(path); string(now) != c.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestFindMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, found, err := Find(dir, "")
	if found || err != nil || s != (Secret{}) {
		t.Errorf("Find = %t, %v in an empty directory", found, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("Find made %v, %v", files, err)
	}
	if _, err := s.Unseal("keys", parse(t, one).Seal("keys", nil)); !errors.Is(err, ErrUnseal) {
		t.Errorf("no secret unseals: %v", err)
	}
}

func TestOpenWithoutADirectory(t *testing.T) {
	t.Parallel()
	occupied := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(occupied, "below"), ""); err == nil {
		t.Error("a secret was kept below a file")
	}
}
