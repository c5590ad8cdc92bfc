// Package demo holds demonstration content for an empty database: directory
// entries for some thirty cities, apps with their data files, sayings, products
// with reviews, shout-outs, and reports of fake content, so that a new site can
// be seen and tried.
//
// The businesses, services, events, apps, products, reviews, shout-outs and
// reports are invented, with telephone numbers and web addresses reserved for
// fiction. The landmarks and people are real, and
// so are the sayings; what they mean is told in words of our own.
package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // events name their zone, and the host may have no zone files
)

//go:embed directory.jsonl
var directory []byte

//go:embed apps.jsonl
var apps []byte

//go:embed app-files.jsonl
var appFiles []byte

//go:embed sayings.jsonl
var sayings []byte

//go:embed products.jsonl
var products []byte

//go:embed reviews.jsonl
var reviews []byte

//go:embed shoutouts.jsonl
var shoutOuts []byte

//go:embed fake-reports.jsonl
var fakeReports []byte

// ShoutOuts returns what neighbours praise businesses of the directory for, as
// JSON Lines, ready for the import of shout-outs once the directory is there.
func ShoutOuts() []byte { return shoutOuts }

// FakeReports returns confirmed reports of fake content as JSON Lines, ready for
// their import.
func FakeReports() []byte { return fakeReports }

// Products returns products as JSON Lines, ready for their import.
func Products() []byte { return products }

// Reviews returns what neighbours say of the products as JSON Lines, ready for
// the import of reviews once the products are there.
func Reviews() []byte { return reviews }

// Sayings returns proverbs and sayings as JSON Lines, ready for their import.
func Sayings() []byte { return sayings }

// Apps returns the demonstration apps as JSON Lines, ready for the import of
// apps.
func Apps() []byte { return apps }

// AppFiles returns the apps' data files as JSON Lines, ready for the import of
// files once the apps are there.
func AppFiles() []byte { return appFiles }

// Directory returns the demonstration directory as JSON Lines, ready for the
// directory import. Events are written relative to a day ("+12d 18:00", local
// time of their city); Directory places them after today, whose own calendar
// date counts, and gives starts_at and ends_at in RFC 3339 with the offset of
// the event's zone.
func Directory(today time.Time) ([]byte, error) {
	out := make([]byte, 0, len(directory))
	number := 0
	for line := range bytes.Lines(directory) {
		number++
		resolved, err := resolve(bytes.TrimSpace(line), today)
		if err != nil {
			return nil, fmt.Errorf("demo directory line %d: %w", number, err)
		}
		out = append(out, resolved...)
		out = append(out, '\n')
	}
	return out, nil
}

func resolve(line []byte, today time.Time) ([]byte, error) {
	var entry map[string]json.RawMessage
	if err := json.Unmarshal(line, &entry); err != nil {
		return nil, fmt.Errorf("parse entry: %w", err)
	}
	if entry["starts_at"] == nil {
		return line, nil
	}
	var zone string
	if err := json.Unmarshal(entry["timezone"], &zone); err != nil {
		return nil, fmt.Errorf("parse timezone: %w", err)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("load timezone: %w", err)
	}
	for _, field := range []string{"starts_at", "ends_at"} {
		var relative string
		if err := json.Unmarshal(entry[field], &relative); err != nil {
			return nil, fmt.Errorf("parse %s: %w", field, err)
		}
		at, err := onDay(relative, today, loc)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", field, err)
		}
		entry[field] = json.RawMessage(strconv.Quote(at.Format(time.RFC3339)))
	}
	delete(entry, "timezone")
	return json.Marshal(entry)
}

// onDay reads "+12d 18:00" as wall time in loc, twelve calendar days after today.
func onDay(relative string, today time.Time, loc *time.Location) (time.Time, error) {
	offset, clock, ok := strings.Cut(relative, "d ")
	days, err := strconv.Atoi(offset)
	if !ok || err != nil || !strings.HasPrefix(offset, "+") {
		return time.Time{}, fmt.Errorf("%q is not of the form \"+12d 18:00\"", relative)
	}
	wall, err := time.Parse("15:04", clock)
	if err != nil {
		return time.Time{}, fmt.Errorf("time of day in %q: %w", relative, err)
	}
	year, month, day := today.Date()
	return time.Date(year, month, day+days, wall.Hour(), wall.Minute(), 0, 0, loc), nil
}
