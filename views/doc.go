// Package views draws the pages. Its props are ready to show: it decides
// nothing, asks no service and knows no clock.
package views
