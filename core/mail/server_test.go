package mail

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// testServer speaks as much SMTP as a client needs to hand one mail over.
type testServer struct {
	t        *testing.T
	listener net.Listener
	auth     bool
	// refusals answer the first RCPT commands instead of 250.
	mu       sync.Mutex
	refusals []string
	received []received
	logins   []string
	sessions int
}

type received struct{ from, to, data string }

func newServer(t *testing.T, refusals ...string) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{t: t, listener: l, refusals: refusals}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.talk(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		running.Wait()
	})
	return s
}

func (s *testServer) address() string { return s.listener.Addr().String() }

func (s *testServer) talk(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(line string) { fmt.Fprint(conn, line+"\r\n") }
	s.mu.Lock()
	s.sessions++
	s.mu.Unlock()
	say("220 test server")
	var m received
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			if s.auth {
				say("250-test server")
				say("250 AUTH PLAIN LOGIN")
			} else {
				say("250 test server")
			}
		case "AUTH":
			s.login(rest)
			say("235 welcome")
		case "MAIL":
			m = received{from: rest}
			say("250 ok")
		case "RCPT":
			m.to = rest
			say(s.answerRecipient())
		case "DATA":
			say("354 go on")
			m.data = readData(in)
			s.mu.Lock()
			s.received = append(s.received, m)
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *testServer) answerRecipient() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refusals) == 0 {
		return "250 ok"
	}
	refusal := s.refusals[0]
	s.refusals = s.refusals[1:]
	return refusal
}

func (s *testServer) login(rest string) {
	_, encoded, _ := strings.Cut(rest, " ")
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		s.t.Errorf("AUTH %s: %v", rest, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins = append(s.logins, string(plain))
}

func readData(in *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return b.String()
		}
		b.WriteString(line)
	}
}

// mails returns what arrived, and how many connections there were.
func (s *testServer) mails() (list []received, sessions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.received...), s.sessions
}
