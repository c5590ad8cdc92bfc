// Package e2e tells stories of people who use the running program in a real
// browser.
package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeplace/core/pg/local"
	"homeplace/e2e/browser"
)

func TestMain(m *testing.M) {
	defer os.RemoveAll(binaryDir)
	browser.Main(m)
}

var binaryDir = filepath.Join(os.TempDir(), fmt.Sprintf("homeplace-e2e-%d", os.Getpid()))

// binary builds the program once.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "homeplace")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/homeplace").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// site is a running service with demonstration content.
type site struct {
	t    *testing.T
	url  string
	data string
	mail *postbox // nil where no mail server is configured
	stop func()   // ends the program, once, and waits until it is gone
}

// open starts a service with a mail server that keeps what it is given.
func open(t *testing.T) *site {
	t.Helper()
	mail := newPostbox(t)
	s := openWith(t, "--smtp-url", "smtp://"+mail.addr, "--mail-from", "porch@homeplace.test")
	s.mail = mail
	return s
}

// openWith starts a service with further flags.
func openWith(t *testing.T, flags ...string) *site {
	t.Helper()
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.MkdirTemp("", "homeplace-site-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	if err := os.Chmod(data, 0o755); err != nil { // the database's own user must be able to enter
		t.Fatal(err)
	}
	s := &site{t: t, data: data}
	cmd := exec.Command(program, append([]string{"serve", "--demo", "--dev", "--data-dir", data, "--addr", "127.0.0.1:0"}, flags...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(data, "serve.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.stop = sync.OnceFunc(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the program's log ends with:\n%s", text[max(0, len(text)-3000):])
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		text, _ := os.ReadFile(log.Name())
		if strings.Contains(string(text), local.ErrNotInstalled.Error()) {
			t.Skip("needs PostgreSQL")
		}
		t.Fatalf("the program did not become ready: %v\n%s", err, text)
	}
	s.url = strings.TrimSpace(line[strings.LastIndex(line, " ")+1:])
	return s
}

// run runs one of the operator's commands and returns what it prints.
func (s *site) run(args ...string) string {
	s.t.Helper()
	program, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.Command(program, append(args, "--data-dir", s.data)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("homeplace %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// postbox is a mail server that takes everything and keeps it.
type postbox struct {
	addr string
	mu   sync.Mutex
	mail []string
}

func newPostbox(t *testing.T) *postbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := &postbox{addr: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.take(conn)
		}
	}()
	return p
}

// take speaks as much SMTP (RFC 5321) as a sender needs.
func (p *postbox) take(conn net.Conn) {
	defer conn.Close()
	say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	say("220 postbox")
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.TrimSpace(line)); {
		case strings.HasPrefix(verb, "EHLO"), strings.HasPrefix(verb, "HELO"):
			say("250 postbox")
		case verb == "DATA":
			say("354 go on")
			p.keep(lines)
			say("250 kept")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (p *postbox) keep(lines *bufio.Reader) {
	var text strings.Builder
	for {
		line, err := lines.ReadString('\n')
		if err != nil || strings.TrimRight(line, "\r\n") == "." {
			break
		}
		text.WriteString(line)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mail = append(p.mail, text.String())
}

var link = regexp.MustCompile(`https?://\S+`)

// linkTo waits for a mail to an address and returns the first link in it.
func (p *postbox) linkTo(t *testing.T, address string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		for _, text := range p.mail {
			// Quoted-printable breaks long lines with "=" at their end.
			text = strings.NewReplacer("=\r\n", "", "=\n", "", "=3D", "=").Replace(text)
			if found := link.FindString(text); found != "" && strings.Contains(text, address) {
				p.mu.Unlock()
				return found
			}
		}
		p.mu.Unlock()
	}
	t.Fatalf("no mail with a link came for %s", address)
	return ""
}
