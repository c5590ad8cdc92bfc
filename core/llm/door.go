package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"time"
)

// answerSize is how many bytes of an answer are read, after decompression.
const answerSize = 2 << 20

// failure is why there is no answer. It is made of our words alone and of what
// the network says about itself.
type failure struct {
	what    string
	fault   bool          // the server's, not that of one question: the breaker counts it
	again   bool          // a second try may help
	request bool          // the server does not take the request as it is
	after   time.Duration // what the server asks us to wait; 0 where it says nothing
	err     error
}

// Error says what happened.
func (f *failure) Error() string {
	if f.err != nil {
		return fmt.Sprintf("ask the language model: %s: %v", f.what, f.err)
	}
	return "ask the language model: " + f.what
}

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.err }

func ended() *failure {
	return &failure{what: "the connection ended before the answer did", fault: true, again: true}
}

// newHTTPClient follows no redirect: what people wrote goes to the address that
// the operator named and to no other.
func newHTTPClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// door is the way out: the HTTP client that the library is given. Only what
// may be an answer comes in through it.
type door struct{ client *http.Client }

// Do sends a request. Errors are failures.
func (d door) Do(r *http.Request) (*http.Response, error) {
	answer, err := d.client.Do(r)
	if err != nil {
		return nil, broken(err)
	}
	wanted := r.Header.Get("Accept")
	if f := refusal(answer, wanted); f != nil {
		answer.Body.Close()
		return nil, f
	}
	answer.Body = body{http.MaxBytesReader(nil, answer.Body, answerSize)}
	if wanted == eventStream {
		answer.Body = newEvents(answer.Body)
	}
	return answer, nil
}

// body turns the errors of reading into failures.
type body struct{ io.ReadCloser }

// Read reads.
func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, broken(err)
	}
	return n, err
}

// broken says why nothing, or nothing more, came. Errors that may quote the
// other side are left out.
func broken(err error) *failure {
	var (
		size    *http.MaxBytesError
		network *net.OpError
		trust   *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &size):
		return &failure{what: fmt.Sprintf("its answer is larger than %d MiB", size.Limit>>20)}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &failure{what: "its answer was not there in time", fault: true}
	case errors.As(err, &trust):
		return &failure{what: "its certificate is not trusted", fault: true, err: trust}
	case errors.As(err, &network):
		return &failure{what: "the connection failed", fault: true, again: true, err: network}
	}
	return ended()
}

// refusal is nil for what may be an answer of the wanted type.
func refusal(answer *http.Response, wanted string) *failure {
	status := answer.StatusCode
	f := &failure{what: fmt.Sprintf("it answers %d %s", status, http.StatusText(status)), fault: true}
	switch {
	case status == http.StatusOK:
		found, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
		if found == wanted {
			return nil
		}
		f.what = "its answer is not of the type " + wanted
	case status >= 300 && status < 400:
		f.what += ": redirects are not followed; set llm_base_url to where it leads"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.what += "; check llm_api_key"
	case status == http.StatusNotFound:
		f.what += "; check llm_base_url and llm_model"
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		f.fault, f.request = false, true
	case status == http.StatusRequestEntityTooLarge:
		f.fault = false
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500:
		f.after = retryAfter(answer.Header.Get("Retry-After"))
		f.again = f.after <= patience
	}
	return f
}

// retryAfter reads seconds or a date (RFC 9110 §10.2.3); 0 where it is neither.
func retryAfter(s string) time.Duration {
	if seconds, err := strconv.Atoi(s); err == nil {
		return time.Duration(min(max(seconds, 0), 24*60*60)) * time.Second
	}
	if date, err := http.ParseTime(s); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}
