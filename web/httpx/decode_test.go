package httpx

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeplace/core"
)

type inner struct {
	Label string `json:"label"`
	Order *int   `json:"order"`
}

type base struct {
	Note string `json:"note"`
}

type input struct {
	base
	Title   string           `json:"title"`
	Count   int              `json:"count"`
	Small   int8             `json:"small"`
	Rating  float64          `json:"rating"`
	Open    bool             `json:"open"`
	Options []string         `json:"options"`
	Inner   []inner          `json:"inner"`
	Tags    map[string]inner `json:"tags"`
	At      time.Time        `json:"at"`
	Data    json.RawMessage  `json:"data"`
	File    Verbatim         `json:"file"`
	Any     any              `json:"any"`
	Hidden  string           `json:"-"`
}

func post(body, contentType string) *http.Request {
	r := httptest.NewRequest("POST", "/x", strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

func TestDecodeFillsTheStruct(t *testing.T) {
	t.Parallel()
	var in input
	body := ` {"title":"a\r\nb\tc","count":-3,"rating":4.5,"open":true,"options":["x"],"inner":[{"label":"l","order":2}],
		"tags":{"k":{"label":"m"}},"at":"2026-05-01T12:00:00Z","data":{"raw":"\u0000"},"file":"\u0000","any":[1],
		"note":"n","unknown":{"deep":[true]},"Hidden":"h","count":7,"small":null} `
	if err := DecodeJSON(post(body, "application/json; charset=UTF-8"), &in, DefaultBody); err != nil {
		t.Fatal(err)
	}
	if in.Title != "a\r\nb\tc" || in.Count != 7 || in.Rating != 4.5 || !in.Open || in.Options[0] != "x" ||
		in.Inner[0].Label != "l" || *in.Inner[0].Order != 2 || in.Tags["k"].Label != "m" || in.At.Year() != 2026 ||
		string(in.Data) != `{"raw":"\u0000"}` || in.File != "\x00" || in.Note != "n" || in.Hidden != "" {
		t.Errorf("decoded %+v", in)
	}
}

func TestDecodeNamesEveryFieldOfAWrongType(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]map[string]string{
		`{"title":5,"count":"5","rating":"x","open":1,"options":"a","inner":{},"tags":[],"at":3}`: {
			"title": "must be text", "count": "must be a whole number", "rating": "must be a number", "open": "must be true or false",
			"options": "must be a list", "inner": "must be a list", "tags": "must be an object",
			"at": "must be a time such as 2026-05-01T12:00:00Z"},
		`{"options":["a","b",3]}`: {"options[2]": "must be text"},
		`{"inner":[{"label":"x"},{"label":false,"order":1.5}]}`: {
			"inner[1].label": "must be text", "inner[1].order": "must be a whole number"},
		`{"tags":{"k":{"label":[]}}}`:        {"tags.k.label": "must be text"},
		`{"small":300}`:                      {"small": "must be a whole number"},
		`{"count":1e2}`:                      {"count": "must be a whole number"},
		`{"at":"yesterday"}`:                 {"at": "must be a time such as 2026-05-01T12:00:00Z"},
		`{"TITLE":5}`:                        {"TITLE": "must be text"},
		`{"note":5}`:                         {"note": "must be text"},
		`{"title":{"a":"\u0001"}}`:           {"title": "must be text", "title.a": "contains the control character U+0001; remove it"},
		`{"title":"\ud83d alone"}`:           {"title": `contains half of a character, an escape such as \ud83d without its other half; send the whole character`},
		`{"title":"a\u0000b"}`:               {"title": "contains the control character U+0000; remove it"},
		`{"title":"a\rb"}`:                   {"title": "contains the control character U+000D; remove it"},
		`{"options":["ok","\u0085"]}`:        {"options[1]": "contains the control character U+0085; remove it"},
		`{"any":{"deep":["\u007f"]}}`:        {"any.deep[0]": "contains the control character U+007F; remove it"},
		`{"unknown":"\u001b"}`:               {"unknown": "contains the control character U+001B; remove it"},
		`{"tags":{"\u0002":{}}}`:             {"tags.\x02": "contains the control character U+0002; remove it"},
		`{"data":"\u0000","title":"\u0000"}`: {"title": "contains the control character U+0000; remove it"},
	} {
		err := DecodeJSON(post(body, "application/json"), new(input), DefaultBody)
		e := core.AsError(err)
		if err == nil || e.Kind != core.Invalid || e.Code != "validation_failed" || len(e.Fields) != len(want) {
			t.Errorf("%s: %+v, want %v", body, e, want)
			continue
		}
		for field, message := range want {
			if e.Fields[field] != message {
				t.Errorf("%s: %s %q, want %q", body, field, e.Fields[field], message)
			}
		}
	}
}

func TestDecodeRefusesWhatIsNotOneObject(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		return `{"any":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	for body, want := range map[string]string{
		"":                            "empty",
		" \n ":                        "empty",
		"[1]":                         "not a list",
		`"x"`:                         "not a text",
		"null":                        "not null",
		"12":                          "not a number",
		"true":                        "not true or false",
		"{} {}":                       "byte 4, line 1",
		"{\n\"title\": }":             "byte 12, line 2",
		`{"title":"a`:                 "unexpected end",
		"{\"title\":\"\xff\"}":        "byte 11, line 1",
		"{\"title\":\"a\nb\"}":        "not valid JSON",
		nested(65):                    "more than 64 levels",
		`{"data":` + nested(65) + `}`: "more than 64 levels",
	} {
		e := core.AsError(DecodeJSON(post(body, "application/json"), new(input), DefaultBody))
		if e == nil || e.Kind != core.Invalid || e.Code != "malformed_json" || !strings.Contains(e.Msg, want) {
			t.Errorf("%q: %v, want %q", body, e, want)
		}
	}
	if err := DecodeJSON(post(nested(64), "application/json"), new(input), DefaultBody); err != nil {
		t.Errorf("64 levels: %v", err)
	}
	if err := DecodeJSON(post(`{"data":`+nested(64)+`}`, "application/json"), new(input), DefaultBody); err != nil {
		t.Errorf("a document of 64 levels within the body: %v", err)
	}
	flat := `{"data":[` + strings.Repeat(`{"[[{\\":"\"[["},`, 100) + `1],"title":"after"}`
	var in input
	if err := DecodeJSON(post(flat, "application/json"), &in, DefaultBody); err != nil || in.Title != "after" {
		t.Errorf("brackets inside of texts: %v", err)
	}
}

func TestDecodeContentType(t *testing.T) {
	t.Parallel()
	for contentType, ok := range map[string]bool{
		"application/json": true, "Application/JSON": true, `application/json;charset="utf-8"`: true, "application/json; v=2": true,
		"": false, "text/plain": false, "application/json; charset=latin1": false, "application/jsonx": false,
		"application/x-www-form-urlencoded": false, "application/json; charset": false,
	} {
		err := DecodeJSON(post("{}", contentType), new(input), DefaultBody)
		if (err == nil) != ok || (!ok && core.KindOf(err) != core.UnsupportedMedia) {
			t.Errorf("%q: %v", contentType, err)
		}
	}
	r := post("{}", "application/json")
	r.Header.Set("Content-Encoding", "gzip")
	if err := DecodeJSON(r, new(input), DefaultBody); core.KindOf(err) != core.UnsupportedMedia {
		t.Errorf("compressed body: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestDecodeBodyLimits(t *testing.T) {
	t.Parallel()
	exact := `{"title":"` + strings.Repeat("a", 88) + `"}` // 100 bytes
	if err := DecodeJSON(post(exact, "application/json"), new(input), 100); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	for _, length := range []int64{101, -1} {
		r := post(exact+" ", "application/json")
		r.ContentLength = length
		e := core.AsError(DecodeJSON(r, new(input), 100))
		if e == nil || e.Kind != core.TooLarge || e.Code != "too_large" || !strings.Contains(e.Msg, "100 bytes") {
			t.Errorf("one byte over, length %d: %v", length, e)
		}
	}
	for size, words := range map[int64]string{DefaultBody: "64 KiB", MaxFileBody: "1 MB"} {
		if !strings.Contains(tooLarge(size).Error(), words) {
			t.Errorf("%d: %v", size, tooLarge(size))
		}
	}
	r := httptest.NewRequest("POST", "/x", broken{})
	r.Header.Set("Content-Type", "application/json")
	if e := core.AsError(DecodeJSON(r, new(input), 100)); e.Kind != core.Invalid || e.Code != "incomplete_body" {
		t.Errorf("broken connection: %v", e)
	}
}

func TestLimitBodyGuardsEveryHandler(t *testing.T) {
	t.Parallel()
	read := API(func(r *http.Request) (*Answer, error) {
		if _, err := readBody(r, 1000); err != nil {
			return nil, err
		}
		return NoContent(), nil
	})
	server := httptest.NewServer(Observe(Observation{})(LimitBody(10, ErrorAnswer)(read)))
	defer server.Close()
	for body, want := range map[string]int{"0123456789": 204, "0123456789a": 413} {
		for _, reader := range []io.Reader{strings.NewReader(body), io.MultiReader(strings.NewReader(body))} {
			res, err := http.Post(server.URL, "application/json", reader)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("%d bytes: %d, want %d", len(body), res.StatusCode, want)
			}
		}
	}
}

func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{`{"title":"x","inner":[{"label":1}]}`, `{"data":{"a":[1,2,{"b":null}]}}`, "{\"a\":\"\\ud800\"}",
		`{"at":"2026-05-01T12:00:00Z","tags":{"a":{}}}`, `{"title":"a","title":2}`, "[", `{"":{"":""}}`, `{"NOTE":1e999,"Base":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var in, plain input
		err := decode(body, &in)
		reference := json.Unmarshal(body, &plain)
		if err == nil && reference != nil {
			t.Fatalf("%q: taken, but encoding/json says %v", body, reference)
		}
		if err == nil {
			if strings.ContainsAny(in.Title+in.Note, "\x00\x01\x1b\x7f") {
				t.Fatalf("%q: a control character came through in %+v", body, in)
			}
			return
		}
		e := core.AsError(err)
		if e.Kind != core.Invalid || e.Msg == "" {
			t.Fatalf("%q: %+v", body, e)
		}
	})
}
