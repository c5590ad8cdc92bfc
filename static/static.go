// Package static holds the files that browsers load beside the pages: style
// sheets, the one script, fonts, icons and the map library. Each is served
// under a name that carries a hash of its content, so that browsers keep it
// for a year and never show an old one.
//
// All but the scripts and the icons is written by `make styles` and committed,
// so that running the service needs Go alone. The icons in PNG are pictures of
// favicon.svg.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

//go:embed app.css app.js theme-light.css theme-dark.css favicon.svg fonts icons leaflet
var files embed.FS

// Prefix is where the files are served.
const Prefix = "/static/"

// File is one file, ready to be sent.
type File struct {
	Body    []byte
	Gzip    []byte // nil where it would not be smaller
	Type    string
	ETag    string // with its quotes, of Body
	Address string // with the hash in its name, from Prefix on
}

// built holds the files by name and by hashed address. The pictures and fonts
// come first, since style sheets name them.
var built = mustBuild(files)

type table struct{ byName, byAddress map[string]*File }

func mustBuild(source fs.FS) table {
	t, err := build(source)
	if err != nil {
		panic(err) // the embedded files are part of the program
	}
	return t
}

func build(source fs.FS) (table, error) {
	t := table{map[string]*File{}, map[string]*File{}}
	var sheets []string
	err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case path.Ext(name) == ".css":
			sheets = append(sheets, name)
			return nil
		}
		return t.add(source, name)
	})
	for _, name := range sheets {
		if err == nil {
			err = t.add(source, name)
		}
	}
	return t, err
}

func (t table) add(source fs.FS, name string) error {
	body, err := fs.ReadFile(source, name)
	if err != nil {
		return fmt.Errorf("read static file: %w", err)
	}
	ext := path.Ext(name)
	if ext == ".css" {
		if body, err = t.resolve(name, body); err != nil {
			return err
		}
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:8])
	f := &File{
		Body: body, Gzip: pack(body), Type: mediaTypes[ext], ETag: `"` + hash + `"`,
		Address: Prefix + strings.TrimSuffix(name, ext) + "." + hash + ext,
	}
	if f.Type == "" {
		return fmt.Errorf("static file %s: no media type for %q", name, ext)
	}
	t.byName[name], t.byAddress[f.Address] = f, f
	return nil
}

var mediaTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
	"":       "text/plain; charset=utf-8", // licences
}

var cssURL = regexp.MustCompile(`url\(["']?([^"')]+)["']?\)`)

// resolve turns the relative addresses in a style sheet into hashed ones.
func (t table) resolve(sheet string, body []byte) ([]byte, error) {
	var missing error
	out := cssURL.ReplaceAllFunc(body, func(match []byte) []byte {
		target := string(cssURL.FindSubmatch(match)[1])
		if strings.HasPrefix(target, "/") || strings.HasPrefix(target, "#") || strings.Contains(target, ":") {
			return match
		}
		f, ok := t.byName[path.Join(path.Dir(sheet), target)]
		if !ok {
			missing = fmt.Errorf("style sheet %s names %s, which is not there", sheet, target)
			return match
		}
		return []byte("url(" + f.Address + ")")
	})
	return out, missing
}

func pack(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(body); err != nil || w.Close() != nil || b.Len() >= len(body)*9/10 {
		return nil
	}
	return b.Bytes()
}

// URL is the address of a file, such as "app.css" or "fonts/atkinson.woff2".
// It panics for a name that is not there: names are constants in views.
func URL(name string) string {
	f, ok := built.byName[name]
	if !ok {
		panic("static: no file " + name)
	}
	return f.Address
}

// Get finds a file by name.
func Get(name string) (*File, bool) {
	f, ok := built.byName[name]
	return f, ok
}

// Handler serves the files below Prefix to GET and HEAD requests. An address
// without the present hash is not found: what names it is an old page, and an
// old page must not mix with new files.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	f, ok := built.byAddress[r.URL.Path]
	if !ok {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.Send(w, r)
}

// Send writes the file, or that the browser's copy is still good. The caller
// sets Cache-Control.
func (f *File) Send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.Type)
	body, tag := f.Body, f.ETag
	if f.Gzip != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body, tag = f.Gzip, strings.TrimSuffix(f.ETag, `"`)+`-gzip"`
		}
	}
	h.Set("ETag", tag)
	if match := r.Header.Get("If-None-Match"); match != "" && strings.Contains(match, tag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		// The only failure is a connection that is gone; nobody is left to tell.
		_, _ = w.Write(body)
	}
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		coding = strings.TrimSpace(coding)
		if coding == "gzip" || coding == "*" {
			weight = strings.ReplaceAll(weight, " ", "")
			return weight != "q=0" && !strings.HasPrefix(weight, "q=0.0")
		}
	}
	return false
}
