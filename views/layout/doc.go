// Package layout is what stands around every page.
package layout
