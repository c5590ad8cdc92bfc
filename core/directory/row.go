package directory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/rowfile"
)

// headerNames are further names under which columns of a CSV are understood.
var headerNames = map[string]string{"event_start": "starts_at", "event_end": "ends_at", "state": "region", "latitude": "lat", "longitude": "lng", "title": "name"}

// inputOf reads a row of an import into an Input. owner is the username that
// the row names, if any; left says which addresses were wrong and left out: a
// listing is worth more than its website. Errors: Invalid, naming every field.
func inputOf(row rowfile.Row) (in Input, owner string, left, err error) {
	for from, to := range headerNames {
		if value, ok := row.Fields[from]; ok {
			if _, taken := row.Fields[to]; !taken {
				row.Fields[to] = value
			}
		}
	}
	var p core.Problems
	kind, status := "", ""
	var lat, lng rowfile.Number
	var yearStart, yearEnd rowfile.Whole
	var startsAt, endsAt rowfile.Moment
	var verified, hidden rowfile.Flag
	var tags rowfile.Words
	var hours, links rowfile.Object
	targets := map[string]any{
		"id": (*line)(&in.ID), "slug": (*line)(&in.Slug), "kind": (*line)(&kind), "name": (*line)(&in.Name),
		"category": (*line)(&in.Category), "summary": &in.Summary, "description": &in.Description,
		"address": (*line)(&in.Address), "city": (*line)(&in.City), "region": (*line)(&in.Region),
		"country": (*line)(&in.Country), "zip": (*line)(&in.Zip), "phone": (*line)(&in.Phone),
		"email": (*line)(&in.Email), "website": (*line)(&in.Website), "image_url": (*line)(&in.ImageURL),
		"status": (*line)(&status), "owner": (*line)(&owner),
		"lat": &lat, "lng": &lng, "year_start": &yearStart, "year_end": &yearEnd,
		"starts_at": &startsAt, "ends_at": &endsAt, "verified": &verified, "hidden": &hidden, "tags": &tags, "hours": &hours, "links": &links,
	}
	for _, name := range slices.Sorted(maps.Keys(row.Fields)) {
		target, ok := targets[name]
		if !ok || string(row.Fields[name]) == "null" {
			continue
		}
		if err := json.Unmarshal(row.Fields[name], target); err != nil {
			p.Add(name, "%s", reason(err))
		}
	}
	in.Kind, in.Status = Kind(kind), Status(status)
	in.Lat, in.Lng, in.YearStart, in.YearEnd = lat.Value, lng.Value, yearStart.Value, yearEnd.Value
	in.StartsAt, in.EndsAt, in.Verified, in.Tags = startsAt.Value, endsAt.Value, verified.Value, tags
	in.Hidden = hidden.Value != nil && *hidden.Value
	if !core.ValidID(in.ID) {
		in.ID = "" // another system's number; ours is made
	}
	if hours != nil {
		if err := json.Unmarshal(hours, &in.Hours); err != nil {
			p.Add("hours", "%s", reason(err))
		}
	}
	if links != nil {
		if err := json.Unmarshal(links, &in.Links); err != nil {
			p.Add("links", "must be a list of objects with label and url")
		}
	}
	if err := p.Err(); err != nil {
		return Input{}, "", nil, err
	}
	in.Normalize()
	left = in.dropWrongAddresses()
	return in, owner, left, in.Validate()
}

// dropWrongAddresses takes out a website, picture or e-mail address that is
// none. What turns out to be an e-mail address in the place of a website moves
// to where it belongs.
func (in *Input) dropWrongAddresses() error {
	var p core.Problems
	in.Website = strings.ReplaceAll(strings.ReplaceAll(in.Website, ":// ", "://"), "://www. ", "://www.")
	for field, address := range map[string]*string{"website": &in.Website, "image_url": &in.ImageURL} {
		var wrong core.Problems
		checkURL(&wrong, field, *address)
		if wrong.Err() == nil {
			continue
		}
		bare := strings.TrimPrefix(strings.TrimPrefix(*address, "http://"), "https://")
		if in.Email == "" && looksLikeEmail(bare) {
			in.Email = bare
		} else {
			p.Add(field, "%q is not a web address; it was left out", *address)
		}
		*address = ""
	}
	if in.Email != "" && !looksLikeEmail(in.Email) {
		p.Add("email", "%q is not an e-mail address; it was left out", in.Email)
		in.Email = ""
	}
	return p.Err()
}

// line is text without line breaks at its ends; a number is taken as its text,
// as spreadsheets write ZIPs and phones.
type line string

func (l *line) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '"' && data[0] != '{' && data[0] != '[' {
		*l = line(data)
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New("must be text")
	}
	*l = line(strings.TrimSpace(s))
	return nil
}

// reason says what is wrong with a field without naming Go types.
func reason(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("must not be a JSON %s", wrong.Value)
	}
	return err.Error()
}

// knownColumns tells which of a header's names an import understands.
func knownColumns(header []string) (unknown []string) {
	known := []string{"id", "slug", "kind", "name", "category", "summary", "description", "address", "city", "region", "country",
		"zip", "phone", "email", "website", "image_url", "status", "owner", "lat", "lng", "year_start", "year_end",
		"starts_at", "ends_at", "verified", "hidden", "tags", "hours", "links"}
	for _, name := range header {
		if _, alias := headerNames[name]; !alias && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
