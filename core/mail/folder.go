package mail

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// folder writes each mail into a file of its own. The log names the file and
// nothing of what it says, since a mail may hold a link that lets people in.
type folder struct {
	dir string
	log *slog.Logger
}

func (f folder) send(ctx context.Context, m *gomail.Msg) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder for mails: %w", err)
	}
	name := filepath.Join(f.dir, time.Now().UTC().Format("20060102T150405.000Z")+"-"+rand.Text()[:8]+".eml")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write a mail to a file: %w", err)
	}
	defer file.Close()
	if _, err := m.WriteTo(file); err != nil {
		return fmt.Errorf("write a mail to a file: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write a mail to a file: %w", err)
	}
	f.log.InfoContext(ctx, "no mail server is configured; a mail was written to a file", "file", name)
	return nil
}

// messageID is random before the sender's own domain (RFC 5322 §3.6.4).
func messageID(from string) string {
	return rand.Text() + from[strings.LastIndexByte(from, '@'):]
}
