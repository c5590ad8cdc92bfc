package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// connections is how many keep-alive connections ask at once.
const connections = 32

// hammer is the load on a server: each connection sends a request when the answer to the
// one before has come. It parses no more of an answer than it must, so that
// the load generator leaves the processors to the server.
type hammer struct {
	done [connections]struct {
		count atomic.Int64
		_     [56]byte // a cache line each
	}
}

func (h *hammer) count() (n int64) {
	for i := range h.done {
		n += h.done[i].count.Load()
	}
	return n
}

// run asks for the addresses until ctx ends. Each connection goes round its
// own share of them.
func (h *hammer) run(ctx context.Context, server string, addresses []string) error {
	group, inner := errgroup.WithContext(ctx)
	for i := range connections {
		var requests [][]byte
		for j := i % len(addresses); j < len(addresses); j += connections {
			requests = append(requests, []byte("GET "+addresses[j]+" HTTP/1.1\r\nHost: "+server+"\r\n\r\n"))
		}
		group.Go(func() error {
			err := h.ask(inner, server, requests, &h.done[i].count)
			if ctx.Err() != nil {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}

func (h *hammer) ask(ctx context.Context, server string, requests [][]byte, done *atomic.Int64) error {
	conn, err := net.DialTimeout("tcp", server, 5*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	r := bufio.NewReaderSize(conn, 64<<10)
	for i := 0; ; i++ {
		request := requests[i%len(requests)]
		if _, err := conn.Write(request); err != nil {
			return err
		}
		if err := readAnswer(r); err != nil {
			line, _, _ := bytes.Cut(request, []byte("\r\n"))
			return fmt.Errorf("%s: %w", line, err)
		}
		done.Add(1)
	}
}

var (
	statusOK     = []byte("HTTP/1.1 200 ")
	endOfHeaders = []byte("\r\n\r\n")
	endOfLine    = []byte("\r\n")
	lengthHeader = []byte("\r\nContent-Length: ")
)

// readAnswer skips an answer of status 200 with a Content-Length.
func readAnswer(r *bufio.Reader) error {
	headers, err := peekHeaders(r)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(headers, statusOK) {
		line, _, _ := bytes.Cut(headers, endOfLine)
		return fmt.Errorf("answer %q", line)
	}
	_, after, ok := bytes.Cut(headers, lengthHeader)
	if !ok {
		return errors.New("an answer without Content-Length")
	}
	value, _, _ := bytes.Cut(after, endOfLine)
	length, err := strconv.Atoi(string(value))
	if err != nil {
		return fmt.Errorf("Content-Length: %w", err)
	}
	_, err = r.Discard(len(headers) + length)
	return err
}

// peekHeaders shows everything up to the body.
func peekHeaders(r *bufio.Reader) ([]byte, error) {
	for want := 1; ; want = r.Buffered() + 1 {
		if _, err := r.Peek(want); err != nil {
			return nil, err
		}
		seen, err := r.Peek(r.Buffered())
		if err != nil {
			return nil, err
		}
		if end := bytes.Index(seen, endOfHeaders); end >= 0 {
			return seen[:end+len(endOfHeaders)], nil
		}
	}
}
