package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// timing is how long and how often everything is measured.
type timing struct {
	Rounds   int           `help:"How often each server has its turn." default:"3"`
	Warmup   time.Duration `help:"Length of the load before a measurement." default:"1s"`
	Duration time.Duration `help:"Length of a measurement." default:"3s"`
}

// sample is one server under one scenario. Times are of the processor, for one
// request.
type sample struct {
	rate     float64 // requests per second
	server   time.Duration
	database time.Duration
}

// cpu is what a request costs in both processes.
func (s sample) cpu() time.Duration { return s.server + s.database }

// measure loads the server and takes one sample.
func (t timing) measure(ctx context.Context, s *server, db postgres, addresses []string) (sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var h hammer
	ended := make(chan error, 1)
	go func() { ended <- h.run(ctx, s.addr, addresses) }()
	if err := wait(ctx, t.Warmup, ended); err != nil {
		return sample{}, err
	}
	before, err := readUsage(s, db, &h)
	if err != nil {
		return sample{}, err
	}
	if err := wait(ctx, t.Duration, ended); err != nil {
		return sample{}, err
	}
	after, err := readUsage(s, db, &h)
	if err != nil {
		return sample{}, err
	}
	cancel()
	requests := after.requests - before.requests
	if requests == 0 {
		return sample{}, fmt.Errorf("%s answered nothing within %v", s.addr, t.Duration)
	}
	return sample{
		rate:     float64(requests) / after.at.Sub(before.at).Seconds(),
		server:   (after.server - before.server) / time.Duration(requests),
		database: (after.database - before.database) / time.Duration(requests),
	}, <-ended
}

// wait lets time go by, unless the load ends early, which is a failure.
func wait(ctx context.Context, d time.Duration, ended <-chan error) error {
	select {
	case <-time.After(d):
		return nil
	case err := <-ended:
		return fmt.Errorf("the load ended early: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// usage is what was done and used up to a moment.
type usage struct {
	at               time.Time
	requests         int64
	server, database time.Duration
}

func readUsage(s *server, db postgres, h *hammer) (u usage, err error) {
	u.at, u.requests = time.Now(), h.count()
	if u.server, err = s.cpu(); err != nil {
		return u, err
	}
	u.database, err = db.cpu()
	return u, err
}

// rival is a scenario with the program and its rod.
type rival struct {
	name         string
	target       float64 // least ratio of the rates
	addresses    []string
	program, rod *server
}

// duel is what came out, by round.
type duel struct {
	rival
	program, rod []sample
}

// fight gives program and rod their turns, each beginning every other round.
func (t timing) fight(ctx context.Context, r rival, db postgres) (duel, error) {
	d := duel{rival: r}
	for round := range t.Rounds {
		turns := []func() error{
			func() error { return take(&d.program)(t.measure(ctx, r.program, db, r.addresses)) },
			func() error { return take(&d.rod)(t.measure(ctx, r.rod, db, r.addresses)) },
		}
		if round%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return d, fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	return d, nil
}

func take(samples *[]sample) func(sample, error) error {
	return func(s sample, err error) error {
		*samples = append(*samples, s)
		return err
	}
}

// ratio is the median over the rounds, so that a disturbance of one counts
// little.
func (d duel) ratio() float64 {
	ratios := make([]float64, len(d.program))
	for i := range ratios {
		ratios[i] = d.program[i].rate / d.rod[i].rate
	}
	return median(ratios)
}

func typical(samples []sample) sample {
	return sample{
		rate:     median(collect(samples, func(s sample) float64 { return s.rate })),
		server:   median(collect(samples, func(s sample) time.Duration { return s.server })),
		database: median(collect(samples, func(s sample) time.Duration { return s.database })),
	}
}

func collect[T any](samples []sample, value func(sample) T) []T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	return values
}

// median of an even number is the mean of the two in the middle.
func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
