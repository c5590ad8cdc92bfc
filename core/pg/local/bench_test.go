package local

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// BenchmarkStart measures a start up to the first query's answer: cold makes the cluster, warm finds it.
func BenchmarkStart(b *testing.B) {
	requirePostgres(b)
	for _, durable := range []bool{true, false} {
		name := "fast"
		if durable {
			name = "durable"
		}
		b.Run(name+"/cold", func(b *testing.B) {
			parent := reachableDir(b)
			for i := 0; b.Loop(); i++ {
				cycle(b, Options{Dir: filepath.Join(parent, strconv.Itoa(i)), Durable: durable})
			}
		})
		b.Run(name+"/warm", func(b *testing.B) {
			o := Options{Dir: reachableDir(b), Durable: durable}
			cycle(b, o)
			for b.Loop() {
				cycle(b, o)
			}
		})
	}
}

// cycle starts a server and asks it something on the clock, and stops it off the clock.
func cycle(b *testing.B, o Options) {
	b.Helper()
	s, err := Start(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.Connect(b.Context(), s.URL())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Exec(b.Context(), "select 1"); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	conn.Close(b.Context())
	if err := s.Stop(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
}
