package llm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"homeplace/core/llm"
	"homeplace/core/llm/llmtest"
)

const eventStream = "text/event-stream; charset=utf-8"

// hear asks for a stream and returns its pieces.
func (w *world) hear(ctx context.Context) (pieces []string, text string, err error) {
	text, err = w.Stream(ctx, question, func(piece string) error {
		pieces = append(pieces, piece)
		return nil
	})
	return pieces, text, err
}

func TestStream(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Answer(llmtest.Say("Two bakeries: “Rosa’s” and 🥧."))
	pieces, text, err := w.hear(t.Context())
	if err != nil || text != "Two bakeries: “Rosa’s” and 🥧." || strings.Join(pieces, "|") != "Two |bakeries: |“Rosa’s” |and |🥧." {
		t.Errorf("Stream = %q in %q, %v", text, pieces, err)
	}
	if !w.model.Questions()[0].Stream {
		t.Error("no stream was asked for")
	}
}

// noisy is one answer with everything that a stream may hold.
const noisy = ": a comment\r\n\r\nid: 1\nevent: message\nretry: 10\n" +
	"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n" +
	"data:{\"choices\":[{\"delta\":\r\ndata: {\"content\":\"Two \"}\r\ndata:}]}\r\n\r\n" +
	"data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n: ping\n\n" +
	"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n" +
	"data: {\"choices\":[]}\n\ndata\n\nnonsense\n\n" +
	"data: {\"choices\":[{\"delta\":{\"content\":\"pies 🥧\"},\"finish_reason\":null}]}\n\n" +
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
	"data: {\"choices\":[],\"usage\":{\"total_tokens\":7}}\n\ndata: [DONE]"

func TestStream_splitAnywhere(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for at := range len(noisy) + 1 {
		w.model.Down(inParts(noisy[:at], noisy[at:]))
		if pieces, text, err := w.hear(t.Context()); err != nil || text != "Two pies 🥧" || len(pieces) != 2 {
			t.Fatalf("split at %d: %q in %q, %v", at, text, pieces, err)
		}
	}
	w.model.Down(inParts(strings.Split(noisy, "")...))
	if _, text, err := w.hear(t.Context()); err != nil || text != "Two pies 🥧" {
		t.Errorf("byte by byte: %q, %v", text, err)
	}
}

func inParts(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", eventStream)
		for _, p := range parts {
			w.Write([]byte(p))
			http.NewResponseController(w).Flush()
		}
	}
}

func TestStream_faults(t *testing.T) {
	t.Parallel()
	some := "data: {\"choices\":[{\"delta\":{\"content\":\"Two \"}}]}\n\n"
	for name, c := range map[string]struct {
		fault       http.HandlerFunc
		cause, text string
		tries       int
	}{
		"500":                  {llmtest.Status(500), "500", "", 2},
		"401":                  {llmtest.Status(401), "llm_api_key", "", 1},
		"not a stream":         {llmtest.Whole("Two"), "not of the type", "", 1},
		"a web page":           {llmtest.Raw("text/html", secretText), "not of the type", "", 1},
		"dropped before text":  {llmtest.Drop(eventStream, ": hello\n\n"), "the connection ended", "", 2},
		"dropped after text":   {llmtest.Drop(eventStream, some+"data: {\"cho"), "the connection ended", "Two ", 1},
		"ends before text":     {llmtest.Raw(eventStream, ""), "the connection ended", "", 2},
		"ends after text":      {llmtest.Raw(eventStream, some), "the connection ended", "Two ", 1},
		"ends without finish":  {llmtest.Raw(eventStream, some+"data: [DONE]\n\n"), "the connection ended", "Two ", 1},
		"bad JSON":             {llmtest.Raw(eventStream, some+"data: "+secretText+"\n\n"), "not the JSON", "Two ", 1},
		"wrong types":          {llmtest.Raw(eventStream, some+"data: {\"choices\":7}\n\n"), "not the JSON", "Two ", 1},
		"an error amid it":     {llmtest.Raw(eventStream, some+"data: {\"error\":{\"message\":\""+secretText+"\"}}\n\ndata: [DONE]\n\n"), "reports an error", "Two ", 1},
		"an error at first":    {llmtest.Raw(eventStream, "data: {\"error\":{\"message\":\""+secretText+"\"}}\n\ndata: [DONE]\n\n"), "reports an error", "", 2},
		"only tools":           {llmtest.Raw(eventStream, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"), "no text", "", 1},
		"cut off":              {llmtest.Raw(eventStream, some+"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"), "cut off", "Two ", 1},
		"a line without end":   {llmtest.Raw(eventStream, "data: "+strings.Repeat("x", 3<<20)), "larger than 2 MiB", "", 1},
		"comments without end": {llmtest.Raw(eventStream, strings.Repeat(": ping\n", 1<<20)), "larger than 2 MiB", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.model.Down(c.fault)
			pieces, text, err := w.hear(t.Context())
			wantUnavailable(t, err, c.cause)
			w.asked(t, c.tries)
			if text != c.text || strings.Join(pieces, "") != c.text {
				t.Errorf("Stream = %q in %q, want %q", text, pieces, c.text)
			}
		})
	}
}

func TestStream_secondTryBeforeText(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Answer(llmtest.Say("Fine now."))
	w.model.Fail(llmtest.Drop(eventStream, ": hello\n\n"))
	if pieces, text, err := w.hear(t.Context()); err != nil || text != "Fine now." || len(pieces) != 2 {
		t.Errorf("Stream = %q in %q, %v", text, pieces, err)
	}
}

func TestStream_callerStops(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.model.Answer(llmtest.Say("One two three."))
	enough := errors.New("enough")
	text, err := w.Stream(t.Context(), question, func(string) error { return enough })
	if !errors.Is(err, enough) || text != "One " {
		t.Errorf("Stream = %q, %v", text, err)
	}
	w.asked(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	text, err = w.Stream(ctx, question, func(string) error { cancel(); return ctx.Err() })
	if !errors.Is(err, context.Canceled) || text != "One " {
		t.Errorf("Stream = %q, %v", text, err)
	}
	if s := w.Stats(); s.Failures != 0 || s.Calls != 2 || s.State != llm.Closed {
		t.Errorf("callers who stop count against the server: %+v", s)
	}
}
