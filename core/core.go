// Package core is the kernel of Homeplace: the few nouns that every area,
// surface and tool shares. It imports the standard library only.
//
// A request goes one way: route, guard, decode, one service method, encode.
// The service method takes a Viewer, answers with domain values, and fails
// with an *Error; package web/httpx turns that error into a status.
package core

import "time"

// Clock tells the present moment. Services take one so that tests can move it.
type Clock func() time.Time

// Now is the wall clock in UTC, cut to the microsecond that PostgreSQL keeps.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
