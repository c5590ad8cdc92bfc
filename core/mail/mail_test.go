package mail

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func mailer(t *testing.T, o Options) *Mailer {
	t.Helper()
	if o.From == "" {
		o.From = "hello@homeplace.test"
	}
	if o.SiteName == nil {
		o.SiteName = func() string { return "Test Porch" }
	}
	if o.Log == nil {
		o.Log = quiet()
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	m.pause = time.Millisecond
	return m
}

// parse reads a mail the way a mail program does.
func parse(t *testing.T, raw string) (header netmail.Header, text string) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("read the mail: %v\n%s", err, raw)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Header, strings.ReplaceAll(string(body), "\r\n", "\n")
}

const longLink = "https://homeplace.test/recover?token=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func TestSMTP(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := mailer(t, Options{SMTPURL: "smtp://" + s.address(), SiteName: func() string { return "Café Porch" }})
	if !m.Configured() {
		t.Error("a mailer with a server is not configured")
	}
	if err := m.Send(t.Context(), "ada@example.org", "Grüße", "Hello Ada,\n\n"+longLink+"\n.\n"); err != nil {
		t.Fatal(err)
	}
	mails, _ := s.mails()
	if len(mails) != 1 || !strings.Contains(mails[0].from, "<hello@homeplace.test>") || !strings.Contains(mails[0].to, "<ada@example.org>") {
		t.Fatalf("the server got %+v", mails)
	}
	h, text := parse(t, mails[0].data)
	from, err := h.AddressList("From")
	if err != nil || len(from) != 1 || *from[0] != (netmail.Address{Name: "Café Porch", Address: "hello@homeplace.test"}) {
		t.Errorf("From is %v, %v", from, err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil || subject != "Grüße" {
		t.Errorf("Subject is %q, %v", subject, err)
	}
	if !strings.Contains(text, "Hello Ada,\n\n"+longLink+"\n") {
		t.Errorf("the text is %q", text)
	}
	if date, err := h.Date(); err != nil || time.Since(date) > time.Minute {
		t.Errorf("Date is %v, %v", date, err)
	}
	if id := h.Get("Message-ID"); !strings.HasSuffix(id, "@homeplace.test>") || h.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("Message-ID %q, Auto-Submitted %q", id, h.Get("Auto-Submitted"))
	}
}

func TestSMTPSignsIn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.auth = true
	m := mailer(t, Options{SMTPURL: "smtp://ada:p%40ss@" + s.address()})
	if err := m.Send(t.Context(), "ada@example.org", "Hello", "Hello"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"\x00ada\x00p@ss"}; !slices.Equal(s.logins, want) {
		t.Errorf("the server saw the logins %q, want %q", s.logins, want)
	}
}

func TestOneRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		refusals        []string
		arrive, connect int
	}{
		{"no refusal", nil, 1, 1},
		{"a passing refusal", []string{"451 come back"}, 1, 2},
		{"two passing refusals", []string{"451 come back", "451 come back"}, 0, 2},
		{"a lasting refusal", []string{"550 nobody here"}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, c.refusals...)
			err := mailer(t, Options{SMTPURL: "smtp://" + s.address()}).Send(t.Context(), "ada@example.org", "Hello", "Hello")
			mails, connections := s.mails()
			if (err == nil) != (c.arrive == 1) || len(mails) != c.arrive || connections != c.connect {
				t.Errorf("%d mails over %d connections, error %v; want %d over %d", len(mails), connections, err, c.arrive, c.connect)
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.listener.Close()
	m := mailer(t, Options{SMTPURL: "smtp://ada:secret@" + s.address()})
	if err := m.Send(t.Context(), "ada@example.org", "Hello", "Hello"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("sending to a dead server gives %v", err)
	}
	silent := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if err := mailer(t, Options{SMTPURL: "smtp://" + silent.address()}).Send(ctx, "ada@example.org", "Hello", "Hello"); err == nil {
		t.Error("a mail goes out after its time")
	}
}

func policyOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return tlsPolicy(u).String()
}

// A password may not travel in the clear but on this machine.
func TestPasswordNeedsEncryption(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"smtp://ada:secret@mail.example.org":   "TLSMandatory",
		"smtp://mail.example.org":              "TLSOpportunistic",
		"smtp://ada:secret@127.0.0.1:25":       "TLSOpportunistic",
		"smtp://ada:secret@localhost":          "TLSOpportunistic",
		"smtp://ada:secret@127.0.0.1.evil.org": "TLSMandatory",
	} {
		if got := policyOf(t, address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, url, from, want string }{
		{"another scheme", "http://ada:secret@mail.example.org", "a@b.org", "must look like smtp://"},
		{"no host", "smtp://", "a@b.org", "must look like smtp://"},
		{"a path", "smtp://mail.example.org/x", "a@b.org", "must look like smtp://"},
		{"no address at all", "smtp://ada:sec%ret@host", "a@b.org", "must look like smtp://"},
		{"port 0", "smtp://mail.example.org:0", "a@b.org", "port"},
		{"port 99999", "smtp://ada:secret@mail.example.org:99999", "a@b.org", "port"},
		{"no sender", "smtp://mail.example.org", "", "sender"},
		{"a sender with a name", "", "Ada <a@b.org>", "sender"},
		{"a sender with a header", "", "a@b.org\r\nBcc: c@d.org", "sender"},
	} {
		_, err := New(Options{SMTPURL: c.url, From: c.from, SiteName: func() string { return "x" }, Log: quiet()})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q and no password", c.name, err, c.want)
		}
	}
}

func TestHeaderInjectionIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := mailer(t, Options{Dir: dir})
	for _, c := range []struct{ to, subject string }{
		{"ada@example.org\r\nBcc: eve@example.org", "Hello"},
		{"ada@example.org, eve@example.org", "Hello"},
		{"Ada <ada@example.org>", "Hello"},
		{"<ada@example.org>", "Hello"},
		{"", "Hello"},
		{"ada", "Hello"},
		{"ada@example.org", "Hello\r\nBcc: eve@example.org"},
		{"ada@example.org", "Hello\nX: y"},
		{"ada@example.org", "Hello\x00"},
	} {
		if err := m.Send(t.Context(), c.to, c.subject, "Hello"); err == nil {
			t.Errorf("Send(%q, %q) is no error", c.to, c.subject)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d mails were written", len(files))
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	dir := filepath.Join(t.TempDir(), "mail")
	m := mailer(t, Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if m.Configured() {
		t.Error("a mailer without a server is configured")
	}
	if err := m.Send(t.Context(), "ada@example.org", "Hello", "Open "+longLink+"\n"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v, want one", files, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, files[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	h, text := parse(t, string(data))
	if h.Get("To") != "<ada@example.org>" || h.Get("Subject") != "Hello" || text != "Open "+longLink+"\n" {
		t.Errorf("the file has To %q, Subject %q, text %q", h.Get("To"), h.Get("Subject"), text)
	}
	if !strings.Contains(log.String(), files[0]) || strings.Contains(log.String(), "token") || strings.Contains(log.String(), "ABCDEF") {
		t.Errorf("the log reads %s", log.String())
	}
}

func TestManyFilesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := mailer(t, Options{Dir: dir})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if err := m.Send(t.Context(), "ada@example.org", "Hello", "Hello"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if files, _ := os.ReadDir(dir); len(files) != 50 {
		t.Errorf("%d files, want 50", len(files))
	}
}
