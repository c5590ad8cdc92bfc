package directory

import "testing"

func TestHoursOf(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, `{"kind":"business","slug":"with-hours","name":"With","hours":{"mon":[["09:00","17:00"]],"timezone":"America/New_York"}}`,
		`{"kind":"business","slug":"without","name":"Without"}`)
	with, without := w.entry(t, "with-hours").ID, w.entry(t, "without").ID
	hours, err := w.HoursOf(t.Context(), []string{with, without})
	if err != nil || len(hours) != 1 || hours[with].Days["mon"][0][1] != "17:00" || hours[with].Timezone != "America/New_York" {
		t.Errorf("%v %v", hours, err)
	}
	if none, err := w.HoursOf(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("of nothing: %v %v", none, err)
	}
}
