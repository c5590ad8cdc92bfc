package httpx

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/chi/v5"
)

// Access is one answered request, as the log and the metrics see it.
type Access struct {
	Method   string
	Route    string // the pattern, such as /api/apps/{slug}; empty where no route matched
	Path     string // without the query
	Status   int
	Bytes    int64 // of the body as sent
	Duration time.Duration
	Client   string // AddrKey of the caller's address
}

// Observation is what Observe needs. Every field may be left zero.
type Observation struct {
	Log     *slog.Logger // nil = slog.Default()
	Proxies *Proxies     // nil = nobody is trusted to forward
	Record  func(Access) // called once a request, for metrics
}

// Observe is the outermost middleware: it gives the request its id, finds the
// caller's address and writes one log line. Mounted with chi's Use it knows
// the route pattern.
func Observe(o Observation) func(http.Handler) http.Handler {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Proxies == nil {
		o.Proxies = &Proxies{}
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := &exchange{ResponseWriter: w, log: o.Log, start: time.Now()}
			x.client = o.Proxies.Client(r)
			x.id[0] = requestID(r, x.client.TrustedPeer)
			w.Header()["X-Request-Id"] = x.id[:]
			r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
			defer x.finish(r, o.Record)
			next.ServeHTTP(x, r)
		})
	}
}

// exchange is one request and its answer. It stands in for the
// http.ResponseWriter, to know what was answered.
type exchange struct {
	http.ResponseWriter // nil for the fill of a Cache
	log                 *slog.Logger
	start               time.Time
	client              Client
	id                  [1]string // an array, so that the header can share it
	status              int
	bytes               int64
}

type exchangeKey struct{}

func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// WriteHeader notes the status. Informational ones are not the answer.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write counts what was sent.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *exchange) finish(r *http.Request, record func(Access)) {
	now := time.Now()
	a := Access{
		Method: r.Method, Route: routePattern(r), Path: r.URL.Path,
		Status: x.status, Bytes: x.bytes, Duration: now.Sub(x.start), Client: AddrKey(x.client.Addr),
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if record != nil {
		record(a)
	}
	// Logger.LogAttrs would also walk the stack for the source of the line.
	log := x.log.Handler()
	if !log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("method", a.Method), slog.String("route", a.Route), slog.String("path", a.Path),
		slog.Int("status", a.Status), slog.Int64("bytes", a.Bytes),
		slog.Int64("duration_us", a.Duration.Microseconds()),
		slog.String("request_id", x.id[0]), slog.String("client", a.Client))
	// A handler that cannot write has nobody to tell, as in Logger itself.
	_ = log.Handle(r.Context(), line)
}

func routePattern(r *http.Request) string {
	// Middleware further in may have copied the request, so that r.Pattern here
	// names only the mount; chi's context is shared.
	if rc := chi.RouteContext(r.Context()); rc != nil {
		return rc.RoutePattern()
	}
	return r.Pattern
}

// logRequest writes a line that can be joined to the access log by request id.
func logRequest(r *http.Request, level slog.Level, msg string, attrs ...slog.Attr) {
	log := slog.Default()
	if x := exchangeOf(r); x != nil {
		log = x.log
	}
	attrs = append(attrs, slog.String("request_id", RequestID(r)),
		slog.String("method", r.Method), slog.String("route", routePattern(r)))
	log.LogAttrs(r.Context(), level, msg, attrs...)
}

// RequestID is the id under which the request stands in the log; empty where
// Observe is not mounted.
func RequestID(r *http.Request) string {
	if x := exchangeOf(r); x != nil {
		return x.id[0]
	}
	return ""
}

// ClientAddr is the caller's address as Observe found it. It is not valid
// where Observe is not mounted or the peer has no IP address.
func ClientAddr(r *http.Request) netip.Addr { return ClientOf(r).Addr }

// ClientOf is what is known of where the request came from.
func ClientOf(r *http.Request) Client {
	if x := exchangeOf(r); x != nil {
		return x.client
	}
	return Client{}
}

// requestID takes over the id that a trusted proxy gave, so that both logs can
// be joined, or makes one of 100 random bits. Ids are no secrets.
func requestID(r *http.Request, trusted bool) string {
	if trusted {
		if given := r.Header.Get("X-Request-Id"); validRequestID(given) {
			return given
		}
	}
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	var id [20]byte
	high, low := rand.Uint64(), rand.Uint64()
	for i := range 10 {
		id[i], id[10+i] = letters[high&31], letters[low&31]
		high, low = high>>5, low>>5
	}
	return string(id[:])
}

func validRequestID(s string) bool {
	if len(s) < 1 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
