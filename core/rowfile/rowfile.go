// Package rowfile reads the files that an operator imports: JSON Lines, or CSV
// with a header, as rows of named fields with their line numbers.
package rowfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"unicode/utf8"
)

// Format is how a file is written.
type Format string

// The formats.
const (
	JSONLines Format = "jsonl"
	CSV       Format = "csv"
)

// Row is one object of a file. CSV fields are JSON strings; empty ones are
// left out.
type Row struct {
	Line   int
	Fields map[string]json.RawMessage
}

// LineError is what is wrong with one line; the lines after it can be read.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap gives the reason.
func (e *LineError) Unwrap() error { return e.Err }

// MaxLine is the longest line of JSON Lines that is read, in bytes. An app
// file of 1 MB fits, escaped.
const MaxLine = 8 << 20

// Reader reads rows one after another.
type Reader struct {
	next   func() (Row, error)
	Header []string // CSV only
}

// Sniff tells the format from the first byte that is not white space.
func Sniff(start []byte) Format {
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	if len(start) == 0 || start[0] == '{' {
		return JSONLines
	}
	return CSV
}

// NewReader starts to read; an empty format is told from the contents. A byte
// order mark is skipped.
func NewReader(r io.Reader, format Format) (*Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	start, err := b.Peek(512)
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if format == "" {
		format = Sniff(start)
	}
	if bytes.HasPrefix(start, []byte("\ufeff")) {
		b.Discard(3)
	}
	switch format {
	case JSONLines:
		return &Reader{next: jsonLines(b)}, nil
	case CSV:
		return newCSV(b)
	}
	return nil, fmt.Errorf("unknown format %q; use jsonl or csv", format)
}

// Next returns the next row; io.EOF at the end; a *LineError for a line that
// cannot be read, after which Next may be called again.
func (r *Reader) Next() (Row, error) { return r.next() }

func jsonLines(b *bufio.Reader) func() (Row, error) {
	line := 0
	return func() (Row, error) {
		for {
			text, err := readLine(b)
			if err == io.EOF {
				return Row{}, io.EOF
			}
			line++
			if errors.Is(err, bufio.ErrTooLong) {
				return Row{}, &LineError{line, fmt.Errorf("is longer than %d MB", MaxLine>>20)}
			}
			if err != nil {
				return Row{}, fmt.Errorf("read line %d: %w", line, err)
			}
			if text = bytes.TrimSpace(text); len(text) > 0 {
				return jsonRow(line, text)
			}
		}
	}
}

// readLine returns the next line; ErrTooLong for one over MaxLine, which is
// skipped; io.EOF when there is none.
func readLine(b *bufio.Reader) (line []byte, err error) {
	tooLong := false
	for {
		part, err := b.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0 && !tooLong:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case tooLong:
			return nil, bufio.ErrTooLong
		}
		return line, nil
	}
}

func jsonRow(line int, text []byte) (Row, error) {
	row := Row{Line: line}
	if !utf8.Valid(text) {
		return Row{}, &LineError{line, errors.New("is not valid UTF-8")}
	}
	if err := json.Unmarshal(text, &row.Fields); err != nil || row.Fields == nil {
		return Row{}, &LineError{line, errors.New("is not a JSON object")}
	}
	return row, nil
}

func newCSV(b *bufio.Reader) (*Reader, error) {
	c := csv.NewReader(b)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err == io.EOF {
		return &Reader{next: func() (Row, error) { return Row{}, io.EOF }}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	next := func() (Row, error) {
		record, err := c.Read()
		if err == io.EOF {
			return Row{}, io.EOF
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return Row{}, &LineError{syntax.StartLine, syntax.Err}
		}
		if err != nil {
			return Row{}, fmt.Errorf("read the file: %w", err)
		}
		line, _ := c.FieldPos(0)
		if len(record) != len(header) {
			return Row{}, &LineError{line, fmt.Errorf("has %d fields, the header names %d", len(record), len(header))}
		}
		return csvRow(line, header, record)
	}
	return &Reader{next: next, Header: header}, nil
}

func csvRow(line int, header, record []string) (Row, error) {
	row := Row{Line: line, Fields: make(map[string]json.RawMessage, len(record))}
	for i, value := range record {
		if value == "" {
			continue
		}
		if !utf8.ValidString(value) {
			return Row{}, &LineError{line, fmt.Errorf("column %q is not valid UTF-8", header[i])}
		}
		text, err := json.Marshal(value)
		if err != nil {
			return Row{}, &LineError{line, err}
		}
		row.Fields[header[i]] = text
	}
	return row, nil
}

// Rename gives fields the names on the right of the map, all at once.
func (r Row) Rename(names map[string]string) {
	renamed := make(map[string]json.RawMessage, len(names))
	for from, to := range names {
		if value, ok := r.Fields[from]; ok {
			delete(r.Fields, from)
			renamed[to] = value
		}
	}
	maps.Copy(r.Fields, renamed)
}
