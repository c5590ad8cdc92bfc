package web

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core/directory"
)

func TestParseDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]directory.Span{
		"closed": {}, " Closed ": {}, "24 hours": {{"00:00", "00:00"}},
		"09:00-17:30": {{"09:00", "17:30"}}, "9:00 – 17.30": {{"09:00", "17:30"}}, "9am-5:30pm": {{"09:00", "17:30"}},
		"9 a.m. to 5 p.m.": {{"09:00", "17:00"}}, "12am-12pm": {{"00:00", "12:00"}}, "noon-midnight": {{"12:00", "00:00"}},
		"09:00-12:00, 19:00-02:00": {{"09:00", "12:00"}, {"19:00", "02:00"}}, "18:00-24:00": {{"18:00", "00:00"}},
	} {
		got, known, err := parseDay("mon", text)
		if err != nil || !known || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v, %v; want %v", text, got, known, err, want)
		}
	}
	for _, text := range []string{"9-5", "9", "open", "25:00-26:00", "09:60-10:00", "13pm-14pm", "0am-1am", "09:00-", "-", "09:00-10:00-11:00", ",", "9am-5"} {
		if got, _, err := parseDay("mon", text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
	if got, known, err := parseDay("mon", "  "); got != nil || known || err != nil {
		t.Errorf("nothing is %v, %v, %v", got, known, err)
	}
}

func TestDaysComeBack(t *testing.T) {
	t.Parallel()
	clock := rapid.StringMatching(`([01][0-9]|2[0-3]):[0-5][0-9]`)
	rapid.Check(t, func(t *rapid.T) {
		spans := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) directory.Span {
			return directory.Span{clock.Draw(t, "open"), clock.Draw(t, "close")}
		}), 0, 6).Draw(t, "spans")
		text := dayHoursText(spans, true)
		got, known, err := parseDay("mon", text)
		if err != nil || !known || !slices.Equal(got, spans) {
			t.Fatalf("%q is read as %v, %v, %v; want %v", text, got, known, err, spans)
		}
	})
}
