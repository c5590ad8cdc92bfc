package geo

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// tableReader consumes buf; after the first fault broken stays set and every
// further read yields zero.
type tableReader struct {
	buf    []byte
	broken bool
}

func (r *tableReader) fail() uint64 {
	r.broken, r.buf = true, nil
	return 0
}

// number reads a value below limit.
func (r *tableReader) number(limit uint64) uint64 {
	n, size := binary.Uvarint(r.buf)
	if size <= 0 || n >= limit {
		return r.fail()
	}
	r.buf = r.buf[size:]
	return n
}

// shifted reads a difference to from whose sum is within -limit and limit.
func (r *tableReader) shifted(from, limit int64) int64 {
	n, size := binary.Varint(r.buf)
	if size <= 0 || n < -2*limit || n > 2*limit || from+n < -limit || from+n > limit {
		return int64(r.fail())
	}
	r.buf = r.buf[size:]
	return from + n
}

func (r *tableReader) indexFrom(last uint32, length int) uint32 {
	n := r.shifted(int64(last), maxRows)
	if n < 0 || n >= int64(length) {
		return uint32(r.fail())
	}
	return uint32(n)
}

// count reads the length of a table whose rows take at least rowBytes each, so
// that no claim makes the reader allocate more than the input could fill.
func (r *tableReader) count(rowBytes int) int {
	n := int(r.number(maxRows + 1))
	if n > len(r.buf)/rowBytes {
		return int(r.fail())
	}
	return n
}

func (r *tableReader) bytes(n int) []byte {
	if n > len(r.buf) {
		r.fail()
		return nil
	}
	b := r.buf[:n]
	r.buf = r.buf[n:]
	return b
}

func (r *tableReader) readNames() []string {
	count := r.count(2)
	shared, lengths := make([]uint8, count), make([]uint8, count)
	total := 0
	for i := range shared {
		shared[i] = uint8(r.number(maxNameBytes + 1))
	}
	for i := range lengths {
		lengths[i] = uint8(r.number(maxNameBytes + 1))
		total += int(shared[i]) + int(lengths[i])
	}
	if r.broken || total > maxTableBytes {
		r.fail()
		return nil
	}
	// One allocation holds all names; it never grows, so they may point into it.
	all := make([]byte, 0, total)
	ends := make([]int, count)
	last := 0
	for i := range count {
		if int(shared[i]) > len(all)-last || int(shared[i])+int(lengths[i]) > maxNameBytes {
			r.fail()
			return nil
		}
		start := len(all)
		all = append(all, all[last:last+int(shared[i])]...)
		all = append(all, r.bytes(int(lengths[i]))...)
		if r.broken || len(all) == start {
			r.fail()
			return nil
		}
		last, ends[i] = start, len(all)
	}
	return sliceNames(string(all), ends, r)
}

func sliceNames(all string, ends []int, r *tableReader) []string {
	names := make([]string, len(ends))
	start := 0
	for i, end := range ends {
		names[i] = all[start:end]
		start = end
		if !utf8.ValidString(names[i]) || i > 0 && names[i] <= names[i-1] {
			r.fail()
			return nil
		}
	}
	return names
}

func (r *tableReader) readAreas() []area {
	areas := make([]area, r.count(3))
	for i := range areas {
		country := r.bytes(2)
		region := r.bytes(int(r.number(maxNameBytes + 1)))
		if r.broken || !isCountry(string(country)) || !utf8.Valid(region) {
			r.fail()
			return nil
		}
		areas[i] = area{country: string(country), region: string(region)}
	}
	return areas
}

func isCountry(code string) bool {
	return len(code) == 2 && code[0] >= 'A' && code[0] <= 'Z' && code[1] >= 'A' && code[1] <= 'Z'
}

func (r *tableReader) readZIPs(names, areas int) []zipRow {
	rows := make([]zipRow, r.count(5))
	code := uint32(0)
	for i := range rows {
		step := uint32(r.number(100_000))
		if code += step; code >= 100_000 || i > 0 && step == 0 {
			r.fail()
			return nil
		}
		rows[i].code = code
	}
	var last zipRow
	for i := range rows {
		rows[i].name = r.indexFrom(last.name, names)
		last = rows[i]
	}
	last = zipRow{}
	for i := range rows {
		rows[i].area = r.indexFrom(last.area, areas)
		last = rows[i]
	}
	last = zipRow{}
	for i := range rows {
		rows[i].lat = int32(r.shifted(int64(last.lat), 90*degree))
		rows[i].lng = int32(r.shifted(int64(last.lng), 180*degree))
		last = rows[i]
	}
	return rows
}

func (r *tableReader) readCities(names, areas int) []cityRow {
	rows := make([]cityRow, r.count(5))
	for i := range rows {
		rows[i].name = uint32(r.number(uint64(names)))
	}
	var last cityRow
	for i := range rows {
		rows[i].area = last.area + uint32(r.number(uint64(areas)))
		if int(rows[i].area) >= areas {
			r.fail()
			return nil
		}
		last = rows[i]
	}
	for i := range rows {
		rows[i].people = uint32(r.number(math.MaxUint32))
	}
	last = cityRow{}
	for i := range rows {
		rows[i].lat = int32(r.shifted(int64(last.lat), 90*degree))
		last = rows[i]
	}
	last = cityRow{}
	for i := range rows {
		rows[i].lng = int32(r.shifted(int64(last.lng), 180*degree))
		last = rows[i]
	}
	return rows
}
