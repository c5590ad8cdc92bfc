package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// The targets that are no ratio of rates.
const (
	emptyTarget    = 1500 * time.Millisecond
	existingTarget = 300 * time.Millisecond
	idleTarget     = 60 << 20 // bytes
)

// report prints tables and counts what missed its target.
type report struct {
	out    io.Writer
	missed int
}

func (r *report) verdict(good bool) string {
	if good {
		return "ok"
	}
	r.missed++
	return "MISSED"
}

func (r *report) table(rows func(w io.Writer)) {
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows(w)
	w.Flush()
	fmt.Fprintln(r.out)
}

func microseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Microsecond))
}

// duels prints the program beside its rods. The ratio of the processor times
// stays true where other programs disturb that of the rates, but leaves out
// what the load generator takes.
func (r *report) duels(duels []duel) {
	r.table(func(w io.Writer) {
		fmt.Fprintln(w, "\trequests/s\t\t\t\tCPU µs/request\t\tPostgreSQL µs\t\tall CPU\t\t")
		fmt.Fprintln(w, "scenario\thomeplace\trod\tratio\ttarget\thomeplace\trod\thomeplace\trod\tratio\t\t")
		for _, d := range duels {
			program, rod, ratio := typical(d.program), typical(d.rod), d.ratio()
			fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.2f\t%.2f\t%s\t%s\t%s\t%s\t%.2f\t%s\t\n", d.name, program.rate, rod.rate, ratio, d.target,
				microseconds(program.server), microseconds(rod.server), microseconds(program.database), microseconds(rod.database),
				float64(rod.cpu())/float64(program.cpu()), r.verdict(ratio >= d.target))
		}
	})
}

func (r *report) weights(list []weight) {
	const kilo = 1000
	r.table(func(w io.Writer) {
		fmt.Fprintln(w, "compressed\tmeasured\ttarget\t\t")
		for _, i := range list {
			fmt.Fprintf(w, "%s\t%.1f kB\t%.1f kB\t%s\t\n", i.name, float64(i.bytes)/kilo, float64(i.target)/kilo, r.verdict(i.bytes <= i.target))
		}
	})
}

func (r *report) startup(s startup) {
	const mebi = 1 << 20
	r.table(func(w io.Writer) {
		fmt.Fprintln(w, "start and rest\tmeasured\ttarget\t\t")
		for _, row := range []struct {
			name             string
			measured, target time.Duration
		}{{"first answer, empty directory", s.empty, emptyTarget}, {"first answer, existing directory", s.existing, existingTarget}} {
			fmt.Fprintf(w, "%s\t%.2f s\t%.2f s\t%s\t\n", row.name, row.measured.Seconds(), row.target.Seconds(), r.verdict(row.measured <= row.target))
		}
		fmt.Fprintf(w, "idle memory, resident\t%.1f MiB\t%.1f MiB\t%s\t\n", float64(s.idle.resident)/mebi, float64(idleTarget)/mebi,
			r.verdict(s.idle.resident <= idleTarget))
		fmt.Fprintf(w, "idle memory, proportional\t%.1f MiB\t\t\t\n", float64(s.idle.proportional)/mebi)
	})
}

// growth is one scenario on the usual and on the large directory.
type growth struct {
	name         string
	target       float64 // greatest multiple of the time
	usual, large []sample
}

func (r *report) growth(list []growth, entries, many int) {
	r.table(func(w io.Writer) {
		fmt.Fprintf(w, "CPU µs/request\t%d entries\t%d entries\tmultiple\ttarget\t\t\n", entries, many)
		for _, g := range list {
			usual, large := typical(g.usual), typical(g.large)
			multiple := float64(large.cpu()) / float64(usual.cpu())
			fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%.2f\t%s\t\n", g.name, microseconds(usual.cpu()), microseconds(large.cpu()), multiple, g.target,
				r.verdict(multiple <= g.target))
		}
	})
}
