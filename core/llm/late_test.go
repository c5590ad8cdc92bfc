package llm

import (
	"testing"
	"time"
)

// What began before the breaker opened comes too late to say anything.
func TestBreaker_lateResults(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	b := &breaker{now: func() time.Time { return now }}
	want := func(what string, want State) {
		t.Helper()
		if got := b.state(); got != want {
			t.Errorf("%s it is %v, want %v", what, got, want)
		}
	}
	enter := func() func(result) {
		t.Helper()
		leave, _ := b.enter()
		if leave == nil {
			t.Fatalf("nobody may enter while it is %v", b.state())
		}
		return leave
	}
	early, tardy, gone := enter(), enter(), enter()
	for range tolerated {
		enter()(failed)
	}
	want("after five failures", Open)
	early(succeeded)
	want("after a late success", Open)
	if leave, wait := b.enter(); leave != nil || wait != 30*time.Second {
		t.Errorf("somebody may enter, or in %v", wait)
	}
	now = now.Add(29 * time.Second)
	tardy(failed)
	if _, wait := b.enter(); wait != time.Second {
		t.Errorf("after a late failure it is open for another %v, want 1s", wait)
	}
	now = now.Add(time.Second)
	want("after 30 s", HalfOpen)

	probe := enter()
	gone(failed)
	if leave, _ := b.enter(); leave != nil {
		t.Error("a second probe may enter")
	}
	probe(undecided)
	want("after a probe that was given up", HalfOpen)
	enter()(failed)
	want("after a probe that failed", Open)
	now = now.Add(rest)
	enter()(succeeded)
	want("after a probe that went well", Closed)
	for range tolerated - 1 {
		enter()(failed)
	}
	want("after four failures more", Closed)
	if names := Closed.String() + " " + HalfOpen.String() + " " + Open.String(); names != "closed half-open open" {
		t.Errorf("the states are called %s", names)
	}
}
