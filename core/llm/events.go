package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	eventStream = "text/event-stream"
	done        = "[DONE]" // the data of the last event
)

// events reads server-sent events (HTML §9.2.5) and gives the data of each as
// one line, which is all that the library understands. Comments and other
// fields are dropped. An end without the last event is a failure.
type events struct {
	lines  *bufio.Reader
	source io.Closer
	data   []byte // of the event so far
	some   bool   // there was a data line in it
	line   []byte // for the reader
	last   bool
}

func newEvents(source io.ReadCloser) *events {
	return &events{lines: bufio.NewReader(source), source: source}
}

// Close ends the stream.
func (e *events) Close() error { return e.source.Close() }

// Read reads.
func (e *events) Read(p []byte) (int, error) {
	for len(e.line) == 0 {
		if e.last {
			return 0, io.EOF
		}
		if err := e.advance(); err != nil {
			return 0, err
		}
	}
	n := copy(p, e.line)
	e.line = e.line[n:]
	return n, nil
}

// advance takes the next line in. The last one need not be ended.
func (e *events) advance() error {
	line, err := e.lines.ReadBytes('\n')
	over := errors.Is(err, io.EOF)
	if err != nil && !over {
		return err
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if field, value, _ := bytes.Cut(line, []byte(":")); string(field) == "data" {
		if e.some {
			e.data = append(e.data, ' ') // in JSON as good as a line break
		}
		e.data, e.some = append(e.data, bytes.TrimPrefix(value, []byte(" "))...), true
	}
	if string(e.data) == done {
		e.last, e.line = true, []byte("data: "+done+"\n")
		return nil
	}
	if over {
		return ended()
	}
	if len(line) == 0 {
		if len(bytes.TrimSpace(e.data)) > 0 {
			e.line = append(append([]byte("data: "), e.data...), '\n')
		}
		e.data, e.some = e.data[:0], false
	}
	return nil
}
