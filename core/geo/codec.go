package geo

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The stored form is one gzip stream. Inside, after the magic, every table is a
// count and then its columns one after another, all numbers unsigned varints;
// sorted columns are differences, signed ones zigzag. Names are sorted and share
// prefixes with the one before.
const (
	magic         = "homeplace geo 1\n"
	maxRows       = 1 << 20
	maxNameBytes  = 255
	maxTableBytes = 64 << 20
)

// errFormat is wrapped by every error of [Decode] about the content.
var errFormat = errors.New("not a gazetteer of this version")

// Encode returns the tables in the form that [Decode] reads. The same tables give
// the same bytes.
func (g *Gazetteer) Encode() []byte {
	w := tableWriter{buf: []byte(magic)}
	w.writeNames(g.names)
	w.writeAreas(g.areas)
	w.writeZIPs(g.zips)
	w.writeCities(g.cities)
	var out bytes.Buffer
	// A known level and writes to memory cannot fail.
	zw, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = zw.Write(w.buf)
	_ = zw.Close()
	return out.Bytes()
}

// Decode reads what [Gazetteer.Encode] wrote. Any other input is an error.
func Decode(data []byte) (*Gazetteer, error) {
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("open geographic tables: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(zr, maxTableBytes+1))
	if err != nil {
		return nil, fmt.Errorf("unpack geographic tables: %w", err)
	}
	if len(raw) > maxTableBytes || !bytes.HasPrefix(raw, []byte(magic)) {
		return nil, fmt.Errorf("read geographic tables: %w", errFormat)
	}
	r := tableReader{buf: raw[len(magic):]}
	g := &Gazetteer{}
	g.names = r.readNames()
	g.areas = r.readAreas()
	g.zips = r.readZIPs(len(g.names), len(g.areas))
	g.cities = r.readCities(len(g.names), len(g.areas))
	if r.broken || len(r.buf) != 0 {
		return nil, fmt.Errorf("read geographic tables: %w", errFormat)
	}
	g.buildTrees()
	return g, nil
}

type tableWriter struct{ buf []byte }

func (w *tableWriter) number(n int)            { w.buf = binary.AppendUvarint(w.buf, uint64(n)) }
func (w *tableWriter) signed(n int32)          { w.buf = binary.AppendVarint(w.buf, int64(n)) }
func (w *tableWriter) difference(to, from int) { w.buf = binary.AppendVarint(w.buf, int64(to-from)) }

func (w *tableWriter) writeNames(names []string) {
	w.number(len(names))
	shared := make([]int, len(names))
	for i, name := range names {
		if i > 0 {
			shared[i] = sharedPrefix(names[i-1], name)
		}
		w.number(shared[i])
	}
	for i, name := range names {
		w.number(len(name) - shared[i])
	}
	for i, name := range names {
		w.buf = append(w.buf, name[shared[i]:]...)
	}
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (w *tableWriter) writeAreas(areas []area) {
	w.number(len(areas))
	for _, a := range areas {
		w.buf = append(w.buf, a.country...)
		w.number(len(a.region))
		w.buf = append(w.buf, a.region...)
	}
}

func (w *tableWriter) writeZIPs(rows []zipRow) {
	w.number(len(rows))
	var last zipRow
	for _, row := range rows {
		w.number(int(row.code - last.code))
		last = row
	}
	last = zipRow{}
	for _, row := range rows {
		w.difference(int(row.name), int(last.name))
		last = row
	}
	last = zipRow{}
	for _, row := range rows {
		w.difference(int(row.area), int(last.area))
		last = row
	}
	last = zipRow{}
	for _, row := range rows {
		w.signed(row.lat - last.lat)
		w.signed(row.lng - last.lng)
		last = row
	}
}

func (w *tableWriter) writeCities(rows []cityRow) {
	w.number(len(rows))
	var last cityRow
	for _, row := range rows {
		w.number(int(row.name))
	}
	for _, row := range rows {
		w.number(int(row.area - last.area))
		last = row
	}
	for _, row := range rows {
		w.number(int(row.people))
	}
	last = cityRow{}
	for _, row := range rows {
		w.signed(row.lat - last.lat)
		last = row
	}
	last = cityRow{}
	for _, row := range rows {
		w.signed(row.lng - last.lng)
		last = row
	}
}
