//go:build !race

package markdown

const slowdown = 1
