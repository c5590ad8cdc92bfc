package httpx

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"homeplace/core"
)

// Limit allows Max requests in every span Per.
type Limit struct {
	Name string // of the class, such as "votes"
	Max  int
	Per  time.Duration
}

// MemberLimit is how much a member sends in an hour at one endpoint, counted by
// MemberKey; max is a setting.
func MemberLimit(max int) Limit { return Limit{Name: "write", Max: max, Per: time.Hour} }

// MemberKey counts a member at an endpoint of the API, such as "POST
// /api/report"; a form that does the same counts with it.
func MemberKey(v core.Viewer, endpoint string) string { return v.ID + " " + endpoint }

// AnonymousLimit is how much is sent in an hour from one address without signing
// in, all of it together, counted by AddrKey; max is a setting.
func AnonymousLimit(max int) Limit { return Limit{Name: "anonymous", Max: max, Per: time.Hour} }

// Decision is what a Limiter says about one request.
type Decision struct {
	Allowed   bool
	Limit     int
	Remaining int
	Reset     time.Duration // until a request is allowed again, or until all are
}

// Limiter counts requests by key over all instances of the service.
type Limiter interface {
	Take(ctx context.Context, key string, l Limit) (Decision, error)
}

// TakeLimit counts the request against a limit and shows the state in the
// RateLimit headers of the answer; of several limits the tightest shows. The
// error is RateLimited, or Unavailable where nobody can count: then nothing is
// let through. Headers are lost where Observe is not mounted.
func TakeLimit(r *http.Request, limiter Limiter, limit Limit, key string) error {
	d, err := limiter.Take(r.Context(), limit.Name+":"+key, limit)
	if err != nil {
		if clientGone(r, err) || core.KindOf(err) == core.Unavailable {
			return err
		}
		return (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: 2 * time.Second,
			Msg: "This cannot be done right now. Please try again in a moment."}).Wrap(err)
	}
	if x := exchangeOf(r); x != nil && x.ResponseWriter != nil {
		showLimit(x.Header(), d)
	}
	if d.Allowed {
		return nil
	}
	return &core.Error{Kind: core.RateLimited, Code: "rate_limited", RetryAfter: d.Reset,
		Msg: "That was a lot in a short time. Please try again in " + waitInWords(d.Reset) + "."}
}

// Limited puts a limit before a handler. The limit is asked for each time,
// since it is a setting; key says who is counted.
func Limited(limiter Limiter, limit func() Limit, key func(*http.Request) string, h Handler) Handler {
	return func(r *http.Request) (*Answer, error) {
		if err := TakeLimit(r, limiter, limit(), key(r)); err != nil {
			return nil, err
		}
		return h(r)
	}
}

func showLimit(h http.Header, d Decision) {
	if shown, err := strconv.Atoi(h.Get("RateLimit-Remaining")); err == nil && shown < d.Remaining && d.Allowed {
		return
	}
	h.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(max(0, d.Remaining)))
	h.Set("RateLimit-Reset", strconv.Itoa(int((max(0, d.Reset)+time.Second-1)/time.Second)))
}

func waitInWords(d time.Duration) string {
	count, unit := int((d+time.Second-1)/time.Second), "second"
	if d > 2*time.Minute {
		count, unit = int((d+time.Minute-1)/time.Minute), "minute"
	}
	if count <= 1 {
		return "a " + unit
	}
	return strconv.Itoa(count) + " " + unit + "s"
}
