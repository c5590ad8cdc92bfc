// Package static holds the files that pages load, embedded and named by their
// contents: an address never shows other bytes, so browsers keep it for good.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed *.css *.svg
var files embed.FS

// Prefix is the path below which Handler answers.
const Prefix = "/static/"

type asset struct {
	contentType, etag string
	plain, zipped     []byte
}

// paths leads from a file's own name to its address, assets from the address
// to the file.
var paths, assets = load()

func load() (map[string]string, map[string]asset) {
	paths, assets := map[string]string{}, map[string]asset{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // what is embedded can be listed
	}
	for _, entry := range entries {
		body, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		sum, ext := sha256.Sum256(body), path.Ext(entry.Name())
		hash := hex.EncodeToString(sum[:6])
		address := Prefix + strings.TrimSuffix(entry.Name(), ext) + "." + hash + ext
		paths[entry.Name()] = address
		assets[address] = asset{mime.TypeByExtension(ext), hash, body, compress(body)}
	}
	return paths, assets
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(body) // a buffer takes everything
	w.Close()
	return b.Bytes()
}

// Path is the address of an embedded file, such as "app.css". An unknown name
// panics: it is a slip in a template, and every page test finds it.
func Path(name string) string {
	address, ok := paths[name]
	if !ok {
		panic(fmt.Sprintf("static: there is no file %q", name))
	}
	return address
}

// Serve answers with the file at the request's address; found is false, and
// nothing is written, where there is none.
func Serve(w http.ResponseWriter, r *http.Request) (found bool) {
	a, ok := assets[r.URL.Path]
	if !ok {
		return false
	}
	h, body, tag := w.Header(), a.plain, a.etag
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Add("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = a.zipped, a.etag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return true
}

func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" {
			return weight == "" || strings.Trim(weight, " q=0.") != "" // a weight of nothing but noughts refuses
		}
	}
	return false
}
