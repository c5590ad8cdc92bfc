package httpx

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func proxies(t testing.TB, cidrs ...string) *Proxies {
	t.Helper()
	p, err := NewProxies(cidrs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func from(peer string, headers ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = peer
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	p := proxies(t, "10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.1", " ")
	const xff, fwd = "X-Forwarded-For", "Forwarded"
	for name, tc := range map[string]struct {
		r    *http.Request
		want string
	}{
		"direct":                {from("203.0.113.5:1"), "203.0.113.5"},
		"mapped":                {from("[::ffff:203.0.113.5]:1"), "203.0.113.5"},
		"zone":                  {from("[fe80::1%eth0]:1"), "fe80::1"},
		"one proxy":             {from("10.0.0.1:1", xff, "203.0.113.5"), "203.0.113.5"},
		"mapped proxy":          {from("[::ffff:10.0.0.1]:1", xff, "203.0.113.5"), "203.0.113.5"},
		"single address":        {from("192.0.2.1:1", xff, "203.0.113.5"), "203.0.113.5"},
		"chain":                 {from("10.0.0.1:1", xff, "198.51.100.9, 203.0.113.5, 10.2.3.4"), "203.0.113.5"},
		"several lines":         {from("10.0.0.1:1", xff, "198.51.100.9", xff, "203.0.113.5,10.2.3.4"), "203.0.113.5"},
		"spoofed left":          {from("10.0.0.1:1", xff, "1.1.1.1, 203.0.113.5"), "203.0.113.5"},
		"all trusted":           {from("10.0.0.1:1", xff, "10.0.0.3, 10.0.0.2"), "10.0.0.3"},
		"malformed":             {from("10.0.0.1:1", xff, "203.0.113.5, nonsense"), "10.0.0.1"},
		"malformed behind":      {from("10.0.0.1:1", xff, "nonsense, 10.0.0.2"), "10.0.0.2"},
		"empty":                 {from("10.0.0.1:1", xff, ""), "10.0.0.1"},
		"port":                  {from("10.0.0.1:1", xff, "203.0.113.5:4711"), "203.0.113.5"},
		"v6":                    {from("[2001:db8:ffff::1]:1", xff, "2001:db8::5"), "2001:db8::5"},
		"v6 brackets":           {from("10.0.0.1:1", xff, "[2001:db8::5]"), "2001:db8::5"},
		"v6 port":               {from("10.0.0.1:1", xff, "[2001:db8::5]:80"), "2001:db8::5"},
		"untrusted header":      {from("203.0.113.77:1", xff, "1.1.1.1"), "203.0.113.77"},
		"forwarded":             {from("10.0.0.1:1", fwd, `for=203.0.113.5;proto=https, For="10.2.3.4:80"`), "203.0.113.5"},
		"forwarded v6":          {from("10.0.0.1:1", fwd, `by=10.0.0.1;for="[2001:db8:cafe::17]:4711"`), "2001:db8:cafe::17"},
		"forwarded quoted mark": {from("10.0.0.1:1", fwd, `for=1.1.1.1;host="a,b;c\"d", for=203.0.113.5`), "203.0.113.5"},
		"forwarded hidden":      {from("10.0.0.1:1", fwd, `for=203.0.113.5, for=_hidden`), "10.0.0.1"},
		"forwarded unknown":     {from("10.0.0.1:1", fwd, `for=unknown`), "10.0.0.1"},
		"forwarded without for": {from("10.0.0.1:1", fwd, `for=203.0.113.5, proto=http`), "10.0.0.1"},
		"forwarded twice":       {from("10.0.0.1:1", fwd, `for=203.0.113.5;for=1.1.1.1`), "10.0.0.1"},
		"forwarded open quote":  {from("10.0.0.1:1", fwd, `for=1.1.1.1, for="203.0.113.5`), "10.0.0.1"},
		"both headers":          {from("10.0.0.1:1", fwd, "for=1.1.1.1", xff, "203.0.113.5"), "203.0.113.5"},
		"socket":                {from("@"), "invalid IP"},
	} {
		if got := p.Client(tc.r).Addr.String(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	if c := p.Client(from("10.0.0.1:1", fwd, `for=203.0.113.5;host="`)); !c.Shared {
		t.Error("a caller can have the proxy blocked")
	}
	if c := p.Client(from("10.0.0.1:1", xff, "203.0.113.5")); c.Shared || !c.TrustedPeer {
		t.Errorf("a caller behind a proxy: %+v", c)
	}
	for _, bad := range []string{"10.0.0.0/33", "proxy.example.org", "10.0.0"} {
		if _, err := NewProxies([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestUnconfiguredProxyIsRemembered(t *testing.T) {
	t.Parallel()
	p := proxies(t)
	if c := p.Client(from("203.0.113.5:1")); c.Shared || len(p.Unconfigured()) != 0 {
		t.Error("a plain caller was taken for a proxy")
	}
	if c := p.Client(from("203.0.113.5:1", "X-Forwarded-For", "1.1.1.1")); !c.Shared || c.TrustedPeer {
		t.Errorf("a forwarding peer: %+v", c)
	}
	p.Client(from("203.0.113.5:2", "Forwarded", "for=1.1.1.1"))
	p.Client(from("[2001:db8::1]:2", "Forwarded", "for=1.1.1.1"))
	if list := p.Unconfigured(); len(list) != 2 || list[0].Addr.String() != "203.0.113.5" || list[0].Requests != 2 {
		t.Errorf("remembered %+v", list)
	}
	configured := proxies(t, "10.0.0.0/8")
	configured.Client(from("[2001:db8::1]:2", "Forwarded", "for=1.1.1.1"))
	if c := configured.Client(from("[2001:db8::2]:2")); !c.Shared {
		t.Error("the next request through the same /64 may be blocked")
	}
	for n := range 3 * maxUnconfigured {
		configured.Client(from(fmt.Sprintf("203.0.%d.%d:1", n/250, n%250), "X-Forwarded-For", "1.1.1.1"))
	}
	if n := len(configured.Unconfigured()); n != maxUnconfigured {
		t.Errorf("%d peers remembered, want %d", n, maxUnconfigured)
	}
}

func TestAddrKey(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"203.0.113.5": "203.0.113.5", "::ffff:203.0.113.5": "203.0.113.5",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::1": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got := AddrKey(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
	if got := AddrKey(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: %s", got)
	}
}

func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{`for=1.2.3.4`, `for="[::1]:80";by=x, for=_a`, `for="\"`, `,,;;==`, `for=1.1.1.1;host="a,b"`, `"`, `for="a"b`} {
		f.Add(seed)
	}
	p := proxies(f, "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, header string) {
		if nodes := forwardedFor(header); len(nodes) > len(header) {
			t.Fatalf("%q: %d nodes", header, len(nodes))
		}
		// What a client writes on the left cannot change what the proxy
		// appends, unless it leaves a quote open, which ends the walk early.
		r := from("10.0.0.1:1", "Forwarded", header, "Forwarded", "for=203.0.113.5")
		got := p.Client(r).Addr.String()
		if got != "203.0.113.5" && !strings.Contains(header, `"`) {
			t.Fatalf("%q: %s", header, got)
		}
		r = from("10.0.0.1:1", "X-Forwarded-For", header, "X-Forwarded-For", "203.0.113.5")
		if got := p.Client(r).Addr.String(); got != "203.0.113.5" {
			t.Fatalf("X-Forwarded-For %q: %s", header, got)
		}
	})
}
