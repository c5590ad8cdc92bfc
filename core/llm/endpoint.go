package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"
)

const (
	// pauseBetween is the least time before the second try.
	pauseBetween = 200 * time.Millisecond
	// patience is the longest time that a server may ask us to wait for the
	// second try; where it asks for more there is none.
	patience = 2 * time.Second
	// coldest stands for a temperature of 0: the library leaves a real one out
	// of the request, and servers take that for 1.
	coldest = 1e-4
	// thinkingTokens are allowed to models that think before they answer, which
	// count it among the tokens of the answer.
	thinkingTokens = 2_000
)

// endpoint is one server with one model, and what was learnt about it.
type endpoint struct {
	options Options
	server  *openai.Client
	breaker *breaker
	format  atomic.Int32 // the strictest format that it has not refused
}

// format is how an answer in JSON is asked for, the strictest way first. Some
// servers know only the later ones.
type format int32

const (
	inSchema format = iota
	inObject
	inWords // nothing but what the system message says
)

// attempt asks once.
type attempt func(ctx context.Context, server *openai.Client, q openai.ChatCompletionRequest) (string, error)

// ask asks within the time limit, in the strictest format that the server
// takes.
func (e *endpoint) ask(ctx context.Context, r Request, once attempt) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()
	if len(r.Schema) == 0 {
		return e.askTwice(ctx, e.question(r, inWords), once)
	}
	for f := format(e.format.Load()); ; f++ {
		text, err := e.askTwice(ctx, e.question(r, f), once)
		if err == nil {
			e.format.Store(int32(f))
		}
		if refused := new(failure); !errors.As(err, &refused) || !refused.request || f == inWords {
			return text, err
		}
	}
}

// askTwice tries again where that may help, while the server is not known to
// be down. The first failure counts at once, so that of many callers few try
// again.
func (e *endpoint) askTwice(ctx context.Context, q openai.ChatCompletionRequest, once attempt) (string, error) {
	text, err := once(ctx, e.server, q)
	var f *failure
	if !errors.As(err, &f) || !f.again {
		return text, err
	}
	wait := max(f.after, pauseBetween)
	if end, _ := ctx.Deadline(); time.Until(end) <= wait || !e.breaker.bears() {
		return text, err
	}
	select {
	case <-time.After(wait):
		return once(ctx, e.server, q)
	case <-ctx.Done():
		return text, err
	}
}

func (e *endpoint) question(r Request, f format) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{
		Model:       e.options.Model,
		Temperature: coldest,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: r.System},
			{Role: openai.ChatMessageRoleUser, Content: r.User},
		},
	}
	switch f {
	case inSchema:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: r.Schema, Strict: true}}
	case inObject:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	if openai.NewReasoningValidator().Validate(q) == nil {
		//lint:ignore SA1019 deprecated at OpenAI, but the one name that Ollama and other servers know
		q.MaxTokens = r.MaxTokens
		return q
	}
	q.Temperature, q.ReasoningEffort = 0, openai.ReasoningEffortLow // the model thinks, and refuses the former
	if r.MaxTokens > 0 {
		q.MaxCompletionTokens = r.MaxTokens + thinkingTokens
	}
	return q
}

func complete(ctx context.Context, server *openai.Client, q openai.ChatCompletionRequest) (string, error) {
	answer, err := server.CreateChatCompletion(ctx, q)
	if err != nil {
		return "", explain(err)
	}
	if len(answer.Choices) == 0 {
		return "", &failure{what: "its answer holds no message", fault: true}
	}
	choice := answer.Choices[0]
	return whole(choice.Message.Content, choice.FinishReason)
}

// streamer makes an attempt that hands on the pieces of the answer. Once there
// was one, a second try would repeat it, so there is none.
func streamer(piece func(string) error) attempt {
	return func(ctx context.Context, server *openai.Client, q openai.ChatCompletionRequest) (string, error) {
		stream, err := server.CreateChatCompletionStream(ctx, q)
		if err != nil {
			return "", explain(err)
		}
		defer stream.Close()
		var text strings.Builder
		var end openai.FinishReason
		for {
			chunk, err := stream.Recv()
			if err != nil && end != "" {
				return whole(text.String(), end)
			}
			if err != nil {
				return text.String(), begun(explain(err), text.Len() > 0)
			}
			if len(chunk.Choices) == 0 {
				continue
			}
			if end = chunk.Choices[0].FinishReason; chunk.Choices[0].Delta.Content == "" {
				continue
			}
			text.WriteString(chunk.Choices[0].Delta.Content)
			if err := piece(chunk.Choices[0].Delta.Content); err != nil {
				return text.String(), err
			}
		}
	}
}

// begun takes the second try away from a failure amid a stream.
func begun(err error, some bool) error {
	var f *failure
	if some && errors.As(err, &f) {
		f.again = false
	}
	return err
}

// whole refuses answers that ended before their end, and empty ones.
func whole(text string, end openai.FinishReason) (string, error) {
	switch {
	case end == openai.FinishReasonLength:
		return text, &failure{what: "its answer was cut off at the greatest length"}
	case end == openai.FinishReasonContentFilter:
		return text, &failure{what: "its answer was withheld by a filter of the server"}
	case strings.TrimSpace(text) == "":
		return text, &failure{what: "its answer holds no text"}
	}
	return text, nil
}

// explain says in our words what the library met: its own would quote the
// server, and the server may quote what was sent.
func explain(err error) error {
	var (
		known    *failure
		reported *openai.APIError
		syntax   *json.SyntaxError
		form     *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &reported):
		return &failure{what: "it reports an error amid its answer", fault: true, again: true}
	case errors.Is(err, io.EOF):
		return ended()
	case errors.As(err, &syntax), errors.As(err, &form), errors.Is(err, io.ErrUnexpectedEOF):
		return &failure{what: "its answer is not the JSON that the protocol asks for", fault: true}
	}
	return &failure{what: "this model cannot be asked in this way; choose one for chats as llm_model", fault: true}
}
