package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/llm"
	"homeplace/core/llm/llmtest"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Answer(llmtest.Say("Hello there, neighbour."))
	text, err := w.Complete(t.Context(), question)
	if err != nil || text != "Hello there, neighbour." {
		t.Fatalf("Complete = %q, %v", text, err)
	}
	var sent map[string]any
	if err := json.Unmarshal(w.model.Questions()[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent["max_tokens"] != 50.0 || sent["stream"] != false || sent["response_format"] != nil || sent["user"] != nil {
		t.Errorf("the request is %v", sent)
	}
	if temperature, ok := sent["temperature"].(float64); !ok || temperature <= 0 || temperature > 0.001 {
		t.Errorf("the temperature is %v, want next to nothing", sent["temperature"])
	}
}

// Models that think refuse a temperature and count tokens by another name.
func TestComplete_modelThatThinks(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		llmtest.Whole("Yes.")(w, r)
	}))
	t.Cleanup(server.Close)
	c := llm.New(func() llm.Options {
		return llm.Options{BaseURL: server.URL + "/v1/", Model: "gpt-5-mini", Timeout: time.Minute}
	}, core.Now)
	if text, err := c.Complete(t.Context(), question); err != nil || text != "Yes." {
		t.Fatalf("Complete = %q, %v", text, err)
	}
	if sent["max_tokens"] != nil || sent["temperature"] != nil || sent["max_completion_tokens"] != 2050.0 {
		t.Errorf("the request is %v", sent)
	}
}

func TestComplete_faults(t *testing.T) {
	t.Parallel()
	const jsonType = "application/json"
	half := `{"choices":[{"message":{"content":"` + secretText
	for name, c := range map[string]struct {
		fault http.HandlerFunc
		cause string
		tries int
	}{
		"500 twice":           {llmtest.Status(500), "500 Internal Server Error", 2},
		"503":                 {llmtest.Status(503), "503", 2},
		"408":                 {llmtest.Status(408), "408", 2},
		"429":                 {llmtest.Status(429), "429 Too Many Requests", 2},
		"429 for long":        {llmtest.Status(429, "Retry-After", "3"), "429", 1},
		"429 until a day":     {llmtest.Status(429, "Retry-After", "Fri, 31 Dec 2999 23:59:59 GMT"), "429", 1},
		"503 for long":        {llmtest.Status(503, "Retry-After", "120"), "503", 1},
		"400":                 {llmtest.Status(400), "400", 1},
		"401":                 {llmtest.Status(401), "check llm_api_key", 1},
		"404":                 {llmtest.Status(404), "check llm_base_url and llm_model", 1},
		"413":                 {llmtest.Status(413), "413", 1},
		"418":                 {llmtest.Status(418), "418", 1},
		"204":                 {llmtest.Status(204), "204", 1},
		"drops at once":       {llmtest.Drop(jsonType, ""), "the connection ended", 2},
		"drops midway":        {llmtest.Drop(jsonType, half), "the connection ended", 2},
		"half JSON":           {llmtest.Raw(jsonType, half), "not the JSON", 1},
		"no JSON":             {llmtest.Raw(jsonType, secretText), "not the JSON", 1},
		"nothing":             {llmtest.Raw(jsonType, ""), "the connection ended", 2},
		"other JSON":          {llmtest.Raw(jsonType, `{"message":"`+secretText+`"}`), "no message", 1},
		"an array":            {llmtest.Raw(jsonType, `["`+secretText+`"]`), "not the JSON", 1},
		"wrong types":         {llmtest.Raw(jsonType, `{"choices":[{"message":{"content":12345}}]}`), "not the JSON", 1},
		"error as an answer":  {llmtest.Raw(jsonType, `{"error":{"message":"`+secretText+`"}}`), "no message", 1},
		"empty text":          {llmtest.Whole(" \n"), "no text", 1},
		"a web page":          {llmtest.Raw("text/html", "<h1>"+secretText+"</h1>"), "not of the type", 1},
		"a stream":            {llmtest.Pieces("a", "b"), "not of the type", 1},
		"no type":             {llmtest.Raw("", `{}`), "not of the type", 1},
		"tools only":          {llmtest.Raw(jsonType, `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`), "no text", 1},
		"cut off":             {llmtest.Raw(jsonType, `{"choices":[{"message":{"content":"Hal"},"finish_reason":"length"}]}`), "cut off", 1},
		"withheld":            {llmtest.Raw(jsonType, `{"choices":[{"message":{"content":"Hal"},"finish_reason":"content_filter"}]}`), "withheld", 1},
		"huge":                {llmtest.Whole(strings.Repeat("long ", 1<<20)), "larger than 2 MiB", 1},
		"odd bytes":           {hijack("HTTP/1.1 " + secretText + "\r\n\r\n"), "the connection ended", 2},
		"an odd header":       {hijack("HTTP/1.1 200 OK\r\n" + secretText + "\r\n\r\n"), "the connection ended", 2},
		"a lie on the length": {hijack("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n" + half), "the connection ended", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.model.Down(c.fault)
			text, err := w.Complete(t.Context(), question)
			wantUnavailable(t, err, c.cause)
			w.asked(t, c.tries)
			if err == nil {
				t.Errorf("it answers %q", text)
			}
		})
	}
}

// hijack answers with bytes that are no HTTP.
func hijack(bytes string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		out.WriteString(bytes)
		out.Flush()
	}
}

func TestComplete_secondTry(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]http.HandlerFunc{
		"500":                 llmtest.Status(500),
		"429":                 llmtest.Status(429),
		"429, at once":        llmtest.Status(429, "Retry-After", "0"),
		"429, yesterday":      llmtest.Status(429, "Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT"),
		"connection dropped":  llmtest.Drop("application/json", `{"choi`),
		"connection hijacked": hijack("\x00\x01\x02"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.model.Answer(llmtest.Say("Fine now."))
			w.model.Fail(fault)
			if text, err := w.Complete(t.Context(), question); err != nil || text != "Fine now." {
				t.Errorf("Complete = %q, %v", text, err)
			}
			w.asked(t, 2)
		})
	}
}

func TestComplete_waitsAsAsked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Answer(llmtest.Say("Fine now."))
	w.model.Fail(llmtest.Status(429, "Retry-After", "1"))
	begun := time.Now()
	if _, err := w.Complete(t.Context(), question); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < time.Second {
		t.Errorf("the second try came after %v, want a second at least", took)
	}
	w.model.Down(llmtest.Status(429, "Retry-After", "40"))
	if _, err := w.Complete(t.Context(), question); core.AsError(err).RetryAfter != 40*time.Second {
		t.Errorf("the error says to come again after %v, want 40s", core.AsError(err).RetryAfter)
	}
}

func TestComplete_timeLimitInAll(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]http.HandlerFunc{
		"hangs": llmtest.Hang,
		"drips": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.options.Timeout = 600 * time.Millisecond
			w.model.Fail(llmtest.Status(500))
			w.model.Fail(fault)
			begun := time.Now()
			_, err := w.Complete(t.Context(), question)
			wantUnavailable(t, err, "not there in time")
			if took := time.Since(begun); took < 500*time.Millisecond || took > 5*time.Second {
				t.Errorf("it took %v, want 600 ms", took)
			}
			w.asked(t, 2)
		})
	}
}

func TestComplete_callerGivesUp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Down(llmtest.Hang)
	for range 6 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := w.Complete(ctx, question)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v, want the caller's own", err)
		}
	}
	if s := w.Stats(); s.State != llm.Closed || s.Failures != 0 {
		t.Errorf("callers who give up count against the server: %+v", s)
	}
}

func TestComplete_nobodyThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	w := setup(t)
	w.options.BaseURL = server.URL
	_, err := w.Complete(t.Context(), question)
	wantUnavailable(t, err, "connection refused")
}

func TestComplete_certificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	w := setup(t)
	w.options.BaseURL = server.URL
	_, err := w.Complete(t.Context(), question)
	wantUnavailable(t, err, "certificate is not trusted")
}

func TestComplete_followsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := llmtest.New(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		w := setup(t)
		w.model.Down(llmtest.Status(status, "Location", elsewhere.URL+"/v1/chat/completions"))
		_, err := w.Complete(t.Context(), question)
		wantUnavailable(t, err, "redirects are not followed")
	}
	if n := len(elsewhere.Questions()); n != 0 {
		t.Errorf("%d questions went elsewhere", n)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, o := range []llm.Options{{}, {BaseURL: w.model.URL}, {Model: llmtest.Model}} {
		w.options = o
		if w.Configured() {
			t.Errorf("%+v counts as configured", o)
		}
		if _, err := w.Complete(t.Context(), question); !errors.Is(err, llm.ErrNotConfigured) {
			t.Errorf("%+v: %v, want ErrNotConfigured", o, err)
		}
	}
	for _, address := range []string{"file:///etc/passwd", "ftp://model.test", "//model.test", "model.test:80", "http://", "unix:/run/model",
		"http://ada:hunter2@model.test", "http://model.test?key=hunter2", "http://model.test/#v1", "http://[::1", "javascript:alert(1)"} {
		w.options = llm.Options{BaseURL: address, Model: llmtest.Model, Timeout: time.Second}
		_, err := w.Complete(t.Context(), question)
		wantUnavailable(t, err, "must begin with http:// or https://")
		if strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
	w.asked(t, 0)
}

func TestKeyPrintsAsDots(t *testing.T) {
	t.Parallel()
	o := setup(t).options
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("options", "o", o, "key", o.Key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("options", "o", o, "key", o.Key)
	asJSON, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s %q %x %d", o, o, o, o, o, o.Key, o.Key) + log.String() + string(asJSON)
	if strings.Contains(all, "the-key") || strings.Contains(all, fmt.Sprintf("%x", llmtest.Key)) || !strings.Contains(all, "••••••••") {
		t.Errorf("the key shows: %s", all)
	}
}
