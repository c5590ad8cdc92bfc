package ui

import (
	"strconv"
	"time"
)

// Exactly is a time to the minute with its zone, such as "Saturday 21 November
// 2026, 16:04 UTC". A nil zone is UTC.
func Exactly(at time.Time, zone *time.Location) string {
	return in(at, zone).Format("Monday 2 January 2006, 15:04 MST")
}

// Ago is a time as people say it at the moment now: "3 minutes ago",
// "yesterday", "12 October", "in 2 hours". Days change at midnight of the
// zone; nil is UTC.
func Ago(at, now time.Time, zone *time.Location) string {
	at, now = in(at, zone), in(now, zone)
	gap := now.Sub(at)
	if gap < 0 {
		return ahead(at, now)
	}
	days := midnights(at, now)
	switch {
	case gap < time.Minute:
		return "just now"
	case gap < time.Hour:
		return count(int(gap/time.Minute), "minute") + " ago"
	case days == 0 || gap < 6*time.Hour:
		return count(int(gap/time.Hour), "hour") + " ago"
	case days == 1:
		return "yesterday"
	case days < 7:
		return count(days, "day") + " ago"
	}
	return date(at, now)
}

func ahead(at, now time.Time) string {
	gap, days := at.Sub(now), midnights(now, at)
	switch {
	case gap < time.Minute:
		return "now"
	case gap < time.Hour:
		return "in " + count(int(gap/time.Minute), "minute")
	case days == 0:
		return "in " + count(int(gap/time.Hour), "hour")
	case days == 1:
		return "tomorrow"
	case days < 7:
		return "in " + count(days, "day")
	}
	return date(at, now)
}

func date(at, now time.Time) string {
	if at.Year() == now.Year() {
		return at.Format("2 January")
	}
	return at.Format("2 January 2006")
}

func in(t time.Time, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone)
}

// midnights counts the midnights between two times of one zone.
func midnights(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)).Hours() / 24)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
