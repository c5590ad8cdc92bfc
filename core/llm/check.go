package llm

import (
	"context"
	"errors"
)

// greeting is a text that no sound model objects to.
const greeting = "Good morning, neighbours. The bakery on Cass Avenue has sweet potato pie today."

// Check asks the model, for an operator, what it thinks of a friendly greeting
// and says what is wrong: with the options, on the way, or with the verdict. It
// asks whatever the breaker has seen, and tells it nothing.
func (c *Client) Check(ctx context.Context) error {
	e, err := c.endpoint()
	if err != nil {
		return err
	}
	v, err := moderate(ctx, greeting, func(ctx context.Context, r Request) (string, error) { return e.ask(ctx, r, complete) })
	if err != nil {
		return err
	}
	if v.Decision == Reject {
		return errors.New("it rejects a friendly greeting: choose a more capable model")
	}
	return nil
}
