package main

import (
	"strconv"
	"time"

	"homeplace/core/directory"
	"homeplace/core/shoutouts"
)

// The rods write JSON by hand: a name with its colon, then the value.

func appendItem(b []byte, e *directory.Summary) []byte {
	segment := e.Kind.Segment()
	b = appendText(append(b, `{"id":`...), e.ID)
	b = appendText(append(b, `,"slug":`...), e.Slug)
	b = appendText(append(b, `,"name":`...), e.Name)
	b = appendText(append(b, `,"kind":`...), string(e.Kind))
	b = appendText(append(b, `,"kind_slug":`...), segment)
	b = appendText(append(b, `,"summary":`...), e.Summary)
	b = appendTextOrNull(append(b, `,"category":`...), e.Category)
	b = appendTextOrNull(append(b, `,"category_label":`...), e.CategoryLabel)
	b = appendTextOrNull(append(b, `,"address":`...), e.Address)
	b = appendTextOrNull(append(b, `,"city":`...), e.City)
	b = appendTextOrNull(append(b, `,"region":`...), e.Region)
	b = appendTextOrNull(append(b, `,"country":`...), e.Country)
	b = appendTextOrNull(append(b, `,"zip":`...), e.Zip)
	b = appendNumber(append(b, `,"lat":`...), e.Lat)
	b = appendNumber(append(b, `,"lng":`...), e.Lng)
	b = appendTextOrNull(append(b, `,"website":`...), e.Website)
	b = appendTextOrNull(append(b, `,"phone":`...), e.Phone)
	b = appendTextOrNull(append(b, `,"image_url":`...), e.ImageURL)
	b = strconv.AppendBool(append(b, `,"verified":`...), e.Verified)
	b = appendTimeOrNull(append(b, `,"starts_at":`...), e.StartsAt)
	b = appendTimeOrNull(append(b, `,"ends_at":`...), e.EndsAt)
	b = appendWhole(append(b, `,"year_start":`...), e.YearStart)
	b = appendWhole(append(b, `,"year_end":`...), e.YearEnd)
	b = appendTime(append(b, `,"updated_at":`...), e.UpdatedAt)
	b = append(append(append(b, `,"url":"`+baseURL+`/api/directory/`...), segment...), '/')
	b = append(append(append(b, e.Slug...), `","page_url":"`+baseURL+`/directory/`...), segment...)
	return append(append(append(b, '/'), e.Slug...), `"}`...)
}

func appendDetail(b []byte, e *directory.Entry, praise shoutouts.Summary) []byte {
	b = appendItem(b, &e.Summary)
	b = appendText(append(b[:len(b)-1], `,"description":`...), e.Description)
	b = appendText(append(b, `,"description_html":`...), e.DescriptionHTML)
	b = appendTextOrNull(append(b, `,"email":`...), e.Email)
	b = append(b, `,"links":[`...)
	for i, l := range e.Links {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"label":`...), l.Label)
		b = append(appendText(append(b, `,"url":`...), l.URL), '}')
	}
	b = append(b, `],"tags":[`...)
	for i, tag := range e.Tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, tag)
	}
	b = appendHours(append(b, `],"hours":`...), e.Hours)
	b = appendTime(append(b, `,"created_at":`...), e.CreatedAt)
	b = strconv.AppendInt(append(b, `,"on_stage":false,"shoutouts":{"count":`...), int64(praise.Count), 10)
	if praise.Count == 0 {
		return append(b, `,"average":null}}`...)
	}
	b = strconv.AppendFloat(append(b, `,"average":`...), praise.Average, 'f', -1, 64)
	return append(b, `}}`...)
}

// sortedDays are the weekdays in the order of the alphabet.
var sortedDays = [...]string{"fri", "mon", "sat", "sun", "thu", "tue", "wed"}

// appendHours writes what generated hours hold: days and timezone, sorted.
func appendHours(b []byte, h *directory.Hours) []byte {
	if h == nil {
		return append(b, "null"...)
	}
	start := len(b)
	for _, day := range sortedDays {
		if day == "tue" && h.Timezone != "" {
			b = appendText(append(b, `,"timezone":`...), h.Timezone)
		}
		spans, ok := h.Days[day]
		if !ok {
			continue
		}
		b = append(append(append(b, `,"`...), day...), `":[`...)
		for i, s := range spans {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(append(b, '['), s[0])
			b = append(appendText(append(b, ','), s[1]), ']')
		}
		b = append(b, ']')
	}
	b = append(b, '}')
	b[start] = '{'
	return b
}

// appendText escapes what generated text can hold, as encoding/json does.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(append(b, s[from:i]...), '\\')
		from = i + 1
		if s[i] == '\n' {
			b = append(b, 'n')
		} else {
			b = append(b, s[i])
		}
	}
	return append(append(b, s[from:]...), '"')
}

func appendTextOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendText(b, *s)
}

func appendNumber(b []byte, f *float64) []byte {
	if f == nil {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, *f, 'f', -1, 64)
}

func appendWhole(b []byte, n *int) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(*n), 10)
}

func appendTime(b []byte, t time.Time) []byte {
	return append(t.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}

func appendTimeOrNull(b []byte, t *time.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return appendTime(b, *t)
}
