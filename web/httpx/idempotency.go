package httpx

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"homeplace/core"
)

const (
	maxIdempotencyKey = 255
	// patience is how long a repetition waits for the first request to end.
	patience    = 5 * time.Second
	pollKeys    = 50 * time.Millisecond
	finishLimit = 5 * time.Second
)

// Claim is an Idempotency-Key with what it stands for.
type Claim struct {
	Caller string // account id, or the address key of an anonymous caller
	Key    string
	Hash   []byte // SHA-256 over method, path and body
}

// StoredAnswer is what a repetition gets again.
type StoredAnswer struct {
	Status      int
	ContentType string
	Header      http.Header
	Body        []byte
}

// KeyRecord is a key that was used in the last 24 hours. Answer is nil while
// the first request is at work, or when it died before it could answer.
type KeyRecord struct {
	Hash   []byte
	Answer *StoredAnswer
}

// KeyStore keeps keys and answers. The claim itself is stored in the
// transaction of the effect, which the store's Finish completes.
type KeyStore interface {
	// Find gives nil and no error for a key that is not known.
	Find(ctx context.Context, caller, key string) (*KeyRecord, error)
	// Finish stores the answer of a claim, and the claim where no transaction
	// has done so. An answer that is stored already stays.
	Finish(ctx context.Context, c Claim, a StoredAnswer) error
}

// Idempotency lets a client repeat a write without doing it twice. All fields
// are needed.
type Idempotency struct {
	Keys      KeyStore
	Caller    func(*http.Request) string                         // who repeats; runs after authentication
	WithClaim func(ctx context.Context, c Claim) context.Context // hands the claim to the transaction
	Taken     error                                              // what the transaction fails with when the key is there
	Render    Render                                             // of the surface, for errors worth repeating
}

// Handler guards a write. A request without an Idempotency-Key passes through.
// The body is read whole, up to maxBytes, before h runs.
func (i *Idempotency) Handler(maxBytes int64, h Handler) Handler {
	return func(r *http.Request) (*Answer, error) {
		keys := r.Header["Idempotency-Key"]
		if len(keys) == 0 {
			return h(r)
		}
		if len(keys) > 1 || !validKey(keys[0]) {
			return nil, core.InvalidField("Idempotency-Key", "must be 1 to %d visible ASCII characters, sent once", maxIdempotencyKey)
		}
		body, err := readBody(r, maxBytes)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		claim := Claim{Caller: i.Caller(r), Key: keys[0], Hash: requestHash(r, body)}
		first, err := i.Keys.Find(r.Context(), claim.Caller, claim.Key)
		if err != nil {
			return nil, err
		}
		if first != nil {
			return i.replay(r.Context(), claim, first)
		}
		return i.perform(r, claim, h)
	}
}

// perform runs the first request of a key, or loses the race for it.
func (i *Idempotency) perform(r *http.Request, claim Claim, h Handler) (*Answer, error) {
	inner := r.WithContext(i.WithClaim(r.Context(), claim))
	a, err := h(inner)
	switch {
	case err != nil && errors.Is(err, i.Taken):
		return i.replay(r.Context(), claim, nil)
	case err != nil && !repeatable(Status(core.KindOf(err))):
		return nil, err
	case err != nil:
		a = i.Render(r, err)
	case a == nil || a.Stream != nil:
		return a, nil
	}
	if repeatable(a.Status) && !a.Plain { // a secret is shown once and stored nowhere
		i.finish(r, claim, a)
	}
	return a, nil
}

// repeatable tells whether an answer is the outcome of a try. What was refused
// before anything was tried, or failed on our side, may be sent again under
// the same key.
func repeatable(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusTooManyRequests, StatusClientGone:
		return false
	}
	return status < 500
}

// finish stores the answer even when the client has left: the next try of the
// same client shall get it. A failure leaves the key without an answer, which
// later tries see as a request in progress; the effect is not done twice.
func (i *Idempotency) finish(r *http.Request, claim Claim, a *Answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), finishLimit)
	defer cancel()
	stored := StoredAnswer{Status: a.Status, ContentType: a.ContentType, Header: a.Header, Body: a.Body}
	if err := i.Keys.Finish(ctx, claim, stored); err != nil {
		logRequest(r, slog.LevelWarn, "answer could not be stored under its Idempotency-Key", slog.Any("error", err))
	}
}

// replay answers what the first request got, and waits for it if need be.
func (i *Idempotency) replay(ctx context.Context, claim Claim, first *KeyRecord) (*Answer, error) {
	give := time.Now().Add(patience)
	for {
		if first != nil && !bytes.Equal(first.Hash, claim.Hash) {
			return nil, &core.Error{Kind: core.Unprocessable, Code: "idempotency_key_reused",
				Msg: "This Idempotency-Key was used for another request. Use a new key for a new request."}
		}
		if first != nil && first.Answer != nil {
			return replayed(first.Answer), nil
		}
		if time.Now().After(give) {
			return nil, core.Conflictf("request_in_progress",
				"The first request with this Idempotency-Key is still at work. Please try again in a moment.")
		}
		if err := pause(ctx, pollKeys); err != nil {
			return nil, err
		}
		var err error
		if first, err = i.Keys.Find(ctx, claim.Caller, claim.Key); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return waitError(ctx)
	}
}

func replayed(s *StoredAnswer) *Answer {
	a := &Answer{Status: s.Status, ContentType: s.ContentType, Header: s.Header.Clone(), Body: s.Body, Cache: Private()}
	a.SetHeader("Idempotent-Replayed", "true")
	return a
}

func validKey(key string) bool {
	for n := range len(key) {
		if key[n] <= ' ' || key[n] > '~' {
			return false
		}
	}
	return len(key) >= 1 && len(key) <= maxIdempotencyKey
}

// requestHash sets each part apart by its length, so that no two requests
// share a hash by running into each other.
func requestHash(r *http.Request, body []byte) []byte {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(r.Method), []byte(r.URL.EscapedPath()), body} {
		sum.Write(binary.AppendUvarint(nil, uint64(len(part))))
		sum.Write(part)
	}
	return sum.Sum(nil)
}
