package static

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

// The worker is not among the files: it stands at the root of the site, whose
// pages it looks after, and browsers know it by an address that never changes.
//
//go:embed sw.js
var workerSource string

// Worker is the service worker that keeps what is at the addresses, which hold
// no quotes, for when the network is gone. Another list, or another worker,
// makes browsers keep everything anew.
func Worker(addresses ...string) *File {
	filled := strings.Replace(workerSource, "FILES", strings.Join(addresses, `", "`), 1)
	sum := sha256.Sum256([]byte(filled))
	version := hex.EncodeToString(sum[:8])
	body := []byte(strings.Replace(filled, "VERSION", version, 1))
	return &File{Body: body, Gzip: pack(body), Type: mediaTypes[".js"], ETag: `"` + version + `"`}
}
