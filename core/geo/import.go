package geo

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxFileBytes = 1 << 30
	maxLineBytes = 1 << 20
	maxProblems  = 100
)

// Report says what became of the lines of a file.
type Report struct {
	Lines    int       // data lines read; empty lines and comments do not count
	Kept     int       // places taken over
	Skipped  int       // good lines with nothing to take: abroad, a repeat, not a city
	Bad      int       // lines that could not be understood
	Problems []Problem // the first hundred of the bad lines
}

// Problem is a line that could not be understood.
type Problem struct {
	Line   int // from 1
	Reason string
}

func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Reason) }

func (r *Report) bad(line int, err error) {
	r.Bad++
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{Line: line, Reason: err.Error()})
	}
}

// errSkip marks a good line that has nothing to take.
var errSkip = errors.New("nothing to take")

// eachLine calls take for every line that is not blank or a comment and counts
// the outcome: errSkip skips, any other error makes the line a bad one.
func eachLine(r io.Reader, take func(line int, text string) error) (Report, error) {
	var report Report
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		report.Lines++
		err := take(n, text)
		switch {
		case err == nil:
			report.Kept++
		case errors.Is(err, errSkip):
			report.Skipped++
		default:
			report.bad(n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return report, fmt.Errorf("read line %d: %w", report.Lines+1, err)
	}
	return report, nil
}

// openText returns r itself, or the largest text file in it where r is a .zip.
func openText(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	start, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if string(start) != "PK\x03\x04" {
		return io.LimitReader(buffered, maxFileBytes), nil
	}
	packed, err := io.ReadAll(io.LimitReader(buffered, maxFileBytes))
	if err != nil {
		return nil, fmt.Errorf("read zip file: %w", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("open zip file: %w", err)
	}
	var text *zip.File
	for _, f := range archive.File {
		switch strings.ToLower(path.Ext(f.Name)) {
		case ".txt", ".csv", ".tsv":
			if text == nil || f.UncompressedSize64 > text.UncompressedSize64 {
				text = f
			}
		}
	}
	if text == nil {
		return nil, errors.New("the zip file holds no .txt, .csv or .tsv file")
	}
	body, err := text.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s in the zip file: %w", text.Name, err)
	}
	return io.LimitReader(body, maxFileBytes), nil
}

// columns splits a tab-separated line into exactly want fields, spaces trimmed.
func columns(text string, want int) ([]string, error) {
	fields := strings.Split(text, "\t")
	if len(fields) != want {
		return nil, fmt.Errorf("has %d tab-separated columns, want %d", len(fields), want)
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, nil
}

// parsePoint reads a latitude and a longitude in degrees.
func parsePoint(lat, lng string) (int32, int32, error) {
	y, errLat := strconv.ParseFloat(lat, 64)
	x, errLng := strconv.ParseFloat(lng, 64)
	if errLat != nil || errLng != nil || math.IsNaN(y) || math.IsNaN(x) {
		return 0, 0, fmt.Errorf("latitude %q or longitude %q is not a number", lat, lng)
	}
	if !onGlobe(y, x) {
		return 0, 0, fmt.Errorf("latitude %s or longitude %s is out of range", lat, lng)
	}
	return units(y), units(x), nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("has no name")
	case len(name) > maxNameBytes:
		return fmt.Errorf("name is longer than %d bytes", maxNameBytes)
	case !utf8.ValidString(name):
		return errors.New("name is not UTF-8")
	}
	return nil
}
