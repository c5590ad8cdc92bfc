package directory

import (
	"slices"
	"strconv"
	"time"
)

// OpenState tells whether a place is open at a moment. Its times carry the
// place's own zone.
type OpenState struct {
	Known  bool      // false: no zone is given, or nothing is said about that day
	Open   bool      // implies Known
	Always bool      // open without end
	Until  time.Time // when Open: the end, over midnight where it goes on there; zero = Always
	Next   time.Time // when not Open: the next opening that is known; zero = none
}

// OpenAt works the state out in the zone of the hours. What lasts past
// midnight counts for the next day too. Hours that are nil are not known.
func (h *Hours) OpenAt(t time.Time) OpenState {
	if h == nil || len(h.Days) == 0 {
		return OpenState{}
	}
	zone, ok := loadZone(h.Timezone)
	if !ok {
		return OpenState{}
	}
	t = t.In(zone)
	_, known := h.Days[weekday(t)]
	for _, s := range h.stretches(t) {
		switch {
		case !t.Before(s.to):
		case t.Before(s.from):
			return OpenState{Known: known, Next: s.from}
		case s.to.Sub(t) > wholeWeek:
			return OpenState{Known: true, Open: true, Always: true}
		default:
			return OpenState{Known: true, Open: true, Until: s.to}
		}
	}
	return OpenState{Known: known}
}

// wholeWeek is a week with the hour that a change of the clocks may add: what
// is open for longer never closes.
const wholeWeek = 7*24*time.Hour + time.Hour

// loadZone finds an IANA zone. "" and "Local" name none: where this program
// runs says nothing about the place.
func loadZone(name string) (*time.Location, bool) {
	if name == "" || name == "Local" {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

func weekday(t time.Time) string { return Weekdays[(int(t.Weekday())+6)%7] }

// stretch is a time of being open, its end exclusive.
type stretch struct{ from, to time.Time }

// stretches are those of the day before t to the ninth after, in order; what
// touches or overlaps is one.
func (h *Hours) stretches(t time.Time) []stretch {
	var all []stretch
	year, month, today := t.Date()
	for day := today - 1; day <= today+9; day++ {
		for _, span := range h.Days[weekday(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))] {
			closing := day
			if span[1] <= span[0] {
				closing++
			}
			s := stretch{wallTime(year, month, day, span[0], t.Location()), wallTime(year, month, closing, span[1], t.Location())}
			if s.from.Before(s.to) { // else the clocks skip it
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	var joined []stretch
	for _, s := range all {
		last := len(joined) - 1
		if last < 0 || joined[last].to.Before(s.from) {
			joined = append(joined, s)
		} else if joined[last].to.Before(s.to) {
			joined[last].to = s.to
		}
	}
	return joined
}

// wallTime is the moment at which clocks in the zone show "HH:MM" on a day.
// Of a time that comes twice, when clocks are put back, it is the first; of one
// that is skipped it is the moment of the change. (time.Date promises neither.)
func wallTime(year int, month time.Month, day int, clock string, zone *time.Location) time.Time {
	hour, _ := strconv.Atoi(clock[:2]) // Hours hold nothing but HH:MM
	minute, _ := strconv.Atoi(clock[3:])
	shown := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	withOffsetOf := func(t time.Time) time.Time {
		_, offset := t.In(zone).Zone()
		return shown.Add(-time.Duration(offset) * time.Second).In(zone)
	}
	before := withOffsetOf(shown.Add(-24 * time.Hour))
	if before.Format("15:04") == clock {
		return before
	}
	if after := withOffsetOf(shown.Add(24 * time.Hour)); after.Format("15:04") == clock {
		return after
	}
	change, _ := before.ZoneBounds()
	return change
}
