package ui

import "testing"

func marked(parts []part) (text string) {
	for _, p := range parts {
		if p.kind == same {
			text += p.text
		} else {
			text += "[" + p.text + "]"
		}
	}
	return text
}

func TestSidesMarkWhatTheOtherLacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row         ChangeRow
		gone, fresh string
	}{
		{ChangeRow{Kind: MemberAdded, After: `"new"`}, "", `"new"`},
		{ChangeRow{Kind: MemberRemoved, Before: `12`}, `12`, ""},
		{ChangeRow{Kind: MemberChanged, Before: `"open until noon"`, After: `"open until six"`}, `"open until [noon"]`, `"open until [six"]`},
		{ChangeRow{Kind: MemberChanged, Before: `15`, After: `99`}, `15`, `99`},
		{ChangeRow{Kind: MemberChanged, Before: `"a long walk in the rain"`, After: `"the quick brown fox jumps over"`},
			`"a long walk in the rain"`, `"the quick brown fox jumps over"`},
	} {
		gone, fresh := c.row.sides()
		if marked(gone) != c.gone || marked(fresh) != c.fresh {
			t.Errorf("%+v: before %s, after %s; want %s and %s", c.row, marked(gone), marked(fresh), c.gone, c.fresh)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 40_000: "40,000", 1_234_567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 12_499: "12 kB",
		12_500: "13 kB", 999_499: "999 kB", 999_500: "1.0 MB", 1 << 20: "1.0 MB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%d is %q, want %q", bytes, got, want)
		}
	}
}
