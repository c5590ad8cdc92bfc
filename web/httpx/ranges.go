package httpx

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"homeplace/core"
)

var byteRanges = []string{"bytes"}

// sendPart answers a request for a part of the plain body (RFC 9110 §14), with
// the conditions that it names. Parts are never compressed: they are counted
// in bytes of the file.
func (p *rendition) sendPart(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Etag"], h["Content-Type"] = p.identity.etag, p.contentType
	part := &partWriter{ResponseWriter: w}
	http.ServeContent(part, r, "", time.Time{}, bytes.NewReader(p.identity.body))
	if part.outside {
		a := ErrorAnswer(r, &core.Error{Kind: core.Unsatisfiable, Code: "range_not_satisfiable",
			Msg: "The file has " + strconv.Itoa(len(p.identity.body)) + " bytes; the range that you asked for is not among them."})
		Send(w, r, a)
	}
}

// partWriter holds back the plain text that the standard library answers with
// where no part of the range is there. Content-Range, with the file's length,
// stays.
type partWriter struct {
	http.ResponseWriter
	outside bool
}

func (w *partWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.outside = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *partWriter) Write(b []byte) (int, error) {
	if w.outside {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}
