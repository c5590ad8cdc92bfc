package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// settled is how long after its start a program is looked at for its memory.
const settled = 5 * time.Second

// startup is what a person waits for, and what the program then holds.
type startup struct {
	empty, existing time.Duration // until the first answer
	idle            memory
}

// measureStartup starts the program twice on one data directory of its own:
// the first time it is empty.
func measureStartup(ctx context.Context, program, dir string) (s startup, err error) {
	once := func(rest time.Duration) (first time.Duration, held memory, err error) {
		begun := time.Now()
		server, err := startProcess(ctx, filepath.Join(dir, "startup.log"), program, "serve", "--data-dir", filepath.Join(dir, "fresh"))
		if err != nil {
			return 0, memory{}, err
		}
		defer server.stop()
		if err := server.awaitReady(ctx); err != nil {
			return 0, memory{}, err
		}
		first = time.Since(begun)
		if rest == 0 {
			return first, memory{}, nil
		}
		select {
		case <-time.After(time.Until(begun.Add(rest))):
		case <-ctx.Done():
			return 0, memory{}, ctx.Err()
		}
		held, err = server.memory()
		return first, held, err
	}
	if s.empty, _, err = once(0); err != nil {
		return s, fmt.Errorf("start on an empty directory: %w", err)
	}
	if s.existing, s.idle, err = once(settled); err != nil {
		return s, fmt.Errorf("start on an existing directory: %w", err)
	}
	return s, nil
}
