package pg

import "github.com/google/uuid"

// NewID makes a UUID of version 7: sorted by time, so that indexes stay
// compact.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
