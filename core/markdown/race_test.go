//go:build race

package markdown

// slowdown is how much longer everything may take under the race detector.
const slowdown = 15
