//go:build race

package main

// slowdown is how much longer everything may take under the race detector.
const slowdown = 4
