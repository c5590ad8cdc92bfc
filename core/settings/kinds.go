package settings

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeplace/core"
)

// definition is what is known of a setting without the database.
type definition struct {
	key, preset, meaning string
	kind                 Kind
	takes                string // what a value looks like, in words; may be empty
	// parse turns the written form into the typed value and into the one way
	// of writing it that is stored.
	parse func(written string) (value any, canonical string, err error)
}

// Kind is what a setting holds.
type Kind string

// The kinds of setting.
const (
	KindText   Kind = "text"
	KindNumber Kind = "number"
	KindSwitch Kind = "switch"
	KindSpan   Kind = "span"
	KindSecret Kind = "secret" // never shown
)

// Text, Number, Switch, Span and Secret are keys of settings, each of the type
// that the Service's method of the same name returns.
type (
	Text   struct{ *definition }
	Number struct{ *definition }
	Switch struct{ *definition }
	Span   struct{ *definition }
	Secret struct{ *definition }
)

// table holds every setting, filled by the constructors below in the order of
// table.go.
var table []*definition

func add(d *definition) *definition {
	_, canonical, err := d.parse(d.preset)
	if err != nil {
		panic(fmt.Sprintf("setting %s: its default %q: %v", d.key, d.preset, err))
	}
	d.preset = canonical
	table = append(table, d)
	return d
}

// form is a further rule on a text; it says what is wrong, or nothing.
type form func(s string) string

// text is one line of least to most characters.
func text(key, preset string, least, most int, meaning string, forms ...form) Text {
	return Text{add(&definition{key: key, preset: preset, meaning: meaning, kind: KindText, parse: lineParser(least, most, forms)})}
}

// secret is a text that is never listed. Its default is empty.
func secret(key string, most int, meaning string) Secret {
	return Secret{add(&definition{key: key, meaning: meaning, kind: KindSecret, parse: lineParser(0, most, nil)})}
}

func lineParser(least, most int, forms []form) func(string) (any, string, error) {
	return func(s string) (any, string, error) {
		var p core.Problems
		p.Line("value", &s, least, most)
		for _, wrong := range forms {
			if msg := wrong(s); s != "" && msg != "" {
				p.Add("value", "%s", msg)
			}
		}
		return s, s, p.Err()
	}
}

// number is a whole number from least to most.
func number(key string, preset, least, most int, meaning string) Number {
	return Number{add(&definition{key: key, preset: strconv.Itoa(preset), meaning: meaning, kind: KindNumber,
		takes: fmt.Sprintf("a whole number from %d to %d", least, most),
		parse: func(s string) (any, string, error) {
			n, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil || n < least || n > most {
				return nil, "", core.InvalidField("value", "must be a whole number from %d to %d, not %q", least, most, s)
			}
			return n, strconv.Itoa(n), nil
		}})}
}

// boolean is on or off.
func boolean(key string, preset bool, meaning string) Switch {
	return Switch{add(&definition{key: key, preset: strconv.FormatBool(preset), meaning: meaning, kind: KindSwitch,
		parse: func(s string) (any, string, error) {
			switch strings.ToLower(strings.TrimSpace(s)) {
			case "true", "on", "yes", "1":
				return true, "true", nil
			case "false", "off", "no", "0":
				return false, "false", nil
			}
			return nil, "", core.InvalidField("value", "must be true or false, not %q", s)
		}})}
}

// duration is a time from least to most, written like 90s, 15m or 1h30m.
func duration(key string, preset, least, most time.Duration, meaning string) Span {
	return Span{add(&definition{key: key, preset: preset.String(), meaning: meaning, kind: KindSpan,
		takes: fmt.Sprintf("a time from %s to %s, such as 90s, 15m or 1h30m", writeSpan(least), writeSpan(most)),
		parse: func(s string) (any, string, error) {
			d, err := time.ParseDuration(strings.TrimSpace(s))
			if err != nil || d < least || d > most {
				return nil, "", core.InvalidField("value", "must be a time from %s to %s, such as 90s, 15m or 1h30m, not %q",
					writeSpan(least), writeSpan(most), s)
			}
			return d, writeSpan(d), nil
		}})}
}

// writeSpan is the duration without units that are zero: 15m, not 15m0s.
func writeSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func emailForm(s string) string {
	name, domain, _ := strings.Cut(s, "@")
	if name == "" || domain == "" || strings.ContainsAny(s, " <>,;") || strings.Contains(domain, "@") {
		return "must be an address such as name@example.org"
	}
	return ""
}

func tilesForm(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return "must be an address that begins with https://"
	}
	for _, part := range []string{"{z}", "{x}", "{y}"} {
		if !strings.Contains(s, part) {
			return "must contain {z}, {x} and {y}"
		}
	}
	return ""
}

func serverForm(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "must be an address such as http://localhost:11434/v1, without a password or a question mark in it"
	}
	return ""
}
