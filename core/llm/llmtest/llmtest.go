// Package llmtest is a language model for tests: a server that speaks the chat
// protocol, answers what the test says, and fails on demand.
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core/llm"
)

// The one key that the server takes, and its one model.
const (
	Key   = "sk-the-key-of-the-model"
	Model = "model-of-the-test"
)

// Message is one of a question.
type Message struct{ Role, Content string }

// Question is what the server was asked.
type Question struct {
	Model    string
	Messages []Message
	Stream   bool
	Format   string // type of the response format; empty without one
	Body     []byte // the request as it came
}

// System returns the first message.
func (q Question) System() string { return q.Messages[0].Content }

// User returns the last message.
func (q Question) User() string { return q.Messages[len(q.Messages)-1].Content }

// Mark returns what an honest verdict on the question carries.
func (q Question) Mark() string {
	_, after, _ := strings.Cut(q.System(), `"BEGIN `)
	mark, _, _ := strings.Cut(after, `"`)
	return mark
}

// Reply is what a model says.
type Reply func(q Question) string

// Say replies with one text to everything.
func Say(text string) Reply { return func(Question) string { return text } }

// Verdict replies with a verdict.
func Verdict(decision llm.Decision, score float64, reason string) Reply {
	return func(q Question) string {
		text, err := json.Marshal(map[string]any{"mark": q.Mark(), "decision": decision, "score": score, "reason": reason})
		if err != nil {
			panic(err)
		}
		return string(text)
	}
}

// Server is one that runs.
type Server struct {
	URL string

	mu        sync.Mutex
	reply     Reply
	faults    []http.HandlerFunc
	down      http.HandlerFunc
	questions []Question
}

// New starts a server that approves of every text; t stops it.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{reply: Verdict(llm.Approve, 0.1, "It is friendly.")}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Options lead to the server.
func (s *Server) Options() llm.Options {
	return llm.Options{BaseURL: s.URL + "/v1", Key: Key, Model: Model, Timeout: 8 * time.Second}
}

// Answer sets what the model says from now on.
func (s *Server) Answer(r Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = r
}

// Fail answers the next requests with the faults, one each.
func (s *Server) Fail(faults ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Down answers every request with the fault; nil ends that.
func (s *Server) Down(fault http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = fault
}

// Questions returns what was asked so far, what met a fault included.
func (s *Server) Questions() []Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.questions)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	q, status := read(r)
	if status != http.StatusOK {
		Status(status)(w, r)
		return
	}
	reply, fault := s.take(q)
	switch {
	case fault != nil:
		fault(w, r)
	case q.Stream:
		Pieces(strings.SplitAfter(reply(q), " ")...)(w, r)
	default:
		Whole(reply(q))(w, r)
	}
}

// take notes a question and finds what it meets.
func (s *Server) take(q Question) (Reply, http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions = append(s.questions, q)
	if s.down != nil {
		return nil, s.down
	}
	if len(s.faults) > 0 {
		fault := s.faults[0]
		s.faults = s.faults[1:]
		return nil, fault
	}
	return s.reply, nil
}

func read(r *http.Request) (Question, int) {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body)) // for faults that quote it
	var asked struct {
		Question
		Format struct{ Type string } `json:"response_format"`
	}
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions":
		return Question{}, http.StatusNotFound
	case r.Header.Get("Authorization") != "Bearer "+Key:
		return Question{}, http.StatusUnauthorized
	case err != nil || json.Unmarshal(body, &asked) != nil || len(asked.Messages) == 0:
		return Question{}, http.StatusBadRequest
	case asked.Model != Model:
		return Question{}, http.StatusNotFound
	}
	q := asked.Question
	q.Format, q.Body = asked.Format.Type, body
	return q, http.StatusOK
}

// Whole answers with a text at once.
func Whole(text string) http.HandlerFunc {
	return Raw("application/json; charset=utf-8", fmt.Sprintf(
		`{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, quote(text)))
}

// Pieces answers with a text piece by piece.
func Pieces(pieces ...string) http.HandlerFunc { return Raw("text/event-stream", Events(pieces...)) }

// Events are the body of Pieces.
func Events(pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n", quote(p))
	}
	b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	return b.String()
}

// Raw answers 200 with a body.
func Raw(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body) // whoever asked may have gone
	}
}

// Status answers with an error that quotes the key and the whole request, as
// careless servers do. headers are names and values in turn.
func Status(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		for pair := range slices.Chunk(headers, 2) {
			w.Header().Set(pair[0], pair[1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"error","code":%d}}`, quote(r.Header.Get("Authorization")+string(body)), status)
	}
}

// Hang answers nothing until the client goes away.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Drop sends the beginning of a body and hangs up.
func Drop(contentType, beginning string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, beginning) // the end of the connection is the point
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func quote(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}
