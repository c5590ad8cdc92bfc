// Package llm asks a language model behind any endpoint that speaks the chat
// protocol of OpenAI: a service, or Ollama, vLLM or llama.cpp on a machine of
// one's own. What is asked has one limit in time, answers have one in size, a
// model that fails is left alone for a while, and no error holds the key, what
// was sent, or what came back.
//
// github.com/sashabaranov/go-openai writes the requests and reads the answers:
// two packages, about a second of a first build, 0.2 MB of the program. Three
// things it leaves to its HTTP client, and so to this package: limits, events
// whose data stands on several lines, and errors that do not quote the server.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"

	"homeplace/core"
)

// Options name the model and where it is. They are compared with ==: whatever
// changes in them begins anew, with no failure held against the new server.
type Options struct {
	BaseURL string // below which chat/completions lies, such as http://localhost:11434/v1
	Key     Key    // empty where the server wants none
	Model   string
	Timeout time.Duration // for one call in all, second tries and reading included
}

// Key is a server's password. It prints as nothing but dots.
type Key string

const masked = "••••••••"

// Format writes dots, whatever the verb.
func (Key) Format(f fmt.State, _ rune) { fmt.Fprint(f, masked) }

// MarshalText writes dots, for logs and JSON.
func (Key) MarshalText() ([]byte, error) { return []byte(masked), nil }

func (o Options) configured() bool { return o.BaseURL != "" && o.Model != "" }

func (o Options) validate() error {
	if !o.configured() {
		return ErrNotConfigured
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("the address of the language model must begin with http:// or https:// and hold no password or question mark")
	}
	return nil
}

// Request is one question.
type Request struct {
	System string // what the model is to do
	User   string // what it is to do it with
	// Schema is the JSON Schema of the answer; empty asks for plain text. Not
	// every server keeps to it, so the caller checks the answer all the same.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 leaves that to the server. Models that think
	// before they answer have thinkingTokens more.
	MaxTokens int
}

// ErrNotConfigured says that no address or no model is set.
var ErrNotConfigured = errors.New("no language model is set up")

// Client asks. It is safe for concurrent use, and callers share what it has
// learnt about the server.
type Client struct {
	options func() Options
	now     core.Clock
	http    *http.Client

	mu      sync.Mutex
	current *endpoint // nil until it is first needed

	calls, failures, refused atomic.Int64
}

// New makes a client. options is asked at each call, so that a change counts
// at once.
func New(options func() Options, now core.Clock) *Client {
	return &Client{options: options, now: now, http: newHTTPClient()}
}

// Configured tells whether an address and a model are set.
func (c *Client) Configured() bool { return c.options().configured() }

// Complete returns the whole answer, never an empty one. Every error but the
// caller's own cancellation is core.Unavailable: ErrNotConfigured, ErrPaused,
// or what went wrong, fit for the log.
func (c *Client) Complete(ctx context.Context, r Request) (string, error) {
	return c.call(ctx, r, complete)
}

// Stream hands on each piece of the answer as it comes and returns the pieces
// joined, also beside an error: then it is what came before. An error of piece
// ends the call and is returned as it is. Otherwise errors are Complete's.
func (c *Client) Stream(ctx context.Context, r Request, piece func(text string) error) (string, error) {
	return c.call(ctx, r, streamer(piece))
}

// call lets the breaker decide, asks, and tells it how that went.
func (c *Client) call(ctx context.Context, r Request, once attempt) (string, error) {
	e, err := c.endpoint()
	if err != nil {
		return "", unavailable(err, 0)
	}
	leave, wait := e.breaker.enter()
	if leave == nil {
		c.refused.Add(1)
		return "", unavailable(ErrPaused, wait)
	}
	result := undecided // should once panic
	defer func() { leave(result) }()
	c.calls.Add(1)
	text, err := e.ask(ctx, r, once)
	result = judge(ctx, err)
	if result == failed {
		c.failures.Add(1)
	}
	return text, outward(ctx, err)
}

// judge tells what an error says about the server.
func judge(ctx context.Context, err error) result {
	var f *failure
	switch {
	case err == nil:
		return succeeded
	case ctx.Err() != nil:
		return undecided
	case errors.As(err, &f) && f.fault:
		return failed
	}
	return succeeded // it answered; what it could not do was this one thing
}

// outward is an error as callers see it.
func outward(ctx context.Context, err error) error {
	var f *failure
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("ask the language model: %w", ctx.Err())
	case errors.As(err, &f):
		return unavailable(f, f.after)
	}
	return err
}

func unavailable(err error, after time.Duration) error {
	return (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: after,
		Msg: "The language model cannot be asked right now. Please try again in a moment."}).Wrap(err)
}

// endpoint returns the server of the options as they are now.
func (c *Client) endpoint() (*endpoint, error) {
	o := c.options()
	if err := o.validate(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil || c.current.options != o {
		c.current = newEndpoint(o, c.http, c.now)
	}
	return c.current, nil
}

// Stats are counted since the start.
type Stats struct {
	State    State
	Calls    int64 // that went to the server
	Failures int64 // of these, for which it is to blame
	Refused  int64 // that the breaker kept from it
}

// Stats tells how the client and its server fare.
func (c *Client) Stats() Stats {
	s := Stats{Calls: c.calls.Load(), Failures: c.failures.Load(), Refused: c.refused.Load()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		s.State = c.current.breaker.state()
	}
	return s
}

func newEndpoint(o Options, client *http.Client, now core.Clock) *endpoint {
	config := openai.DefaultConfig(string(o.Key))
	config.BaseURL, config.HTTPClient = o.BaseURL, door{client}
	return &endpoint{options: o, server: openai.NewClientWithConfig(config), breaker: &breaker{now: now}}
}
