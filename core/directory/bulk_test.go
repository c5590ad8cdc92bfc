package directory

import (
	"testing"
	"time"
)

func TestCopyRows(t *testing.T) {
	t.Parallel()
	text, number, whole := "a\tb\\c\r\nd", -84.5, 1865
	at := time.Date(2026, 3, 1, 7, 0, 0, 500_000_000, time.FixedZone("", -5*3600))
	for _, c := range []struct {
		name   string
		values []any
		want   string
	}{
		{"text", []any{text, "", &text}, `a\tb\\c\r\nd` + "\t\t" + `a\tb\\c\r\nd` + "\n"},
		{"null", []any{(*string)(nil), (*float64)(nil), (*int)(nil), (*time.Time)(nil)}, `\N` + "\t" + `\N` + "\t" + `\N` + "\t" + `\N` + "\n"},
		{"numbers", []any{&number, float32(0.15), &whole, true}, "-84.5\t0.15\t1865\ttrue\n"},
		{"times", []any{at, &at}, "2026-03-01T12:00:00.5Z\t2026-03-01T12:00:00.5Z\n"},
		{"lists", []any{[]string{}, []string{`say "hi"`, `back\slash`, "a,b"}}, `{}` + "\t" + `{"say \\"hi\\"","back\\\\slash","a,b"}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var rows copyRows
			rows.add(c.values...)
			if string(rows) != c.want {
				t.Errorf("got %q, want %q", rows, c.want)
			}
		})
	}
}
