// Package migrations holds the numbered steps of the schema. A landed file is
// never edited: the next step mends it. Each step must be safe while the
// previous version of the program still runs.
package migrations

import "embed"

// Files are the SQL steps, in the form that goose reads.
//
//go:embed *.sql
var Files embed.FS
