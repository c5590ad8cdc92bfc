package httpx

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"homeplace/core"
)

// Proxies knows which peers may say on whose behalf they call. The zero value
// trusts nobody. Its methods are safe for concurrent use.
type Proxies struct {
	trusted []netip.Prefix

	mu   sync.Mutex
	seen map[netip.Addr]UnconfiguredProxy // by peer, IPv6 cut to its /64
}

// UnconfiguredProxy is a peer that forwards for others without being trusted.
type UnconfiguredProxy struct {
	Addr        netip.Addr
	First, Last time.Time
	Requests    int
}

// maxUnconfigured bounds the memory for peers that nobody configured; the ones
// silent for longest go first.
const maxUnconfigured = 64

// Client is where a request came from.
type Client struct {
	Addr        netip.Addr // not valid where the peer has no IP address
	TrustedPeer bool       // the connection comes from a configured proxy
	// Shared says that many people may stand behind Addr, so that it must not
	// be blocked: a proxy that nobody configured, or a configured one whose
	// forwarding header names nobody.
	Shared bool
}

// OriginOf is where a request came from, as areas note it.
func OriginOf(r *http.Request) core.Origin {
	c := ClientOf(r)
	return core.Origin{AddressKey: AddrKey(c.Addr), Shared: c.Shared}
}

// NewProxies reads networks in CIDR form or single addresses.
func NewProxies(cidrs []string) (*Proxies, error) {
	p := &Proxies{}
	for _, s := range cidrs {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			addr, addrErr := netip.ParseAddr(s)
			if addrErr != nil {
				return nil, fmt.Errorf("trusted proxy %q is neither a network such as 10.0.0.0/8 nor an address", s)
			}
			prefix = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		}
		p.trusted = append(p.trusted, prefix.Masked())
	}
	return p, nil
}

// Client finds the caller's address: that of the connection or, behind
// trusted proxies, the last address in X-Forwarded-For that is not one of
// them. Forwarded counts only without X-Forwarded-For, since proxies that set
// the older header pass the newer one on unchecked.
func (p *Proxies) Client(r *http.Request) Client {
	peer := peerAddr(r.RemoteAddr)
	xff, forwarded := r.Header["X-Forwarded-For"], r.Header["Forwarded"]
	if len(p.trusted) == 0 && xff == nil && forwarded == nil {
		return Client{Addr: peer}
	}
	if !p.trusts(peer) {
		if xff == nil && forwarded == nil {
			return Client{Addr: peer, Shared: p.known(peer)}
		}
		p.remember(peer)
		return Client{Addr: peer, Shared: true}
	}
	c := Client{Addr: peer, TrustedPeer: true}
	if xff != nil {
		c.Addr = p.walk(peer, strings.Split(strings.Join(xff, ","), ","))
	} else if forwarded != nil {
		c.Addr = p.walk(peer, forwardedFor(strings.Join(forwarded, ",")))
	}
	c.Shared = p.trusts(c.Addr)
	return c
}

// walk goes from the peer outwards as long as trusted proxies vouch. A node
// that is no address ends the walk at the last good one.
func (p *Proxies) walk(addr netip.Addr, nodes []string) netip.Addr {
	for _, node := range slices.Backward(nodes) {
		if !p.trusts(addr) {
			break
		}
		next, ok := nodeAddr(node)
		if !ok {
			break
		}
		addr = next
	}
	return addr
}

func (p *Proxies) trusts(addr netip.Addr) bool {
	for _, prefix := range p.trusted {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

func (p *Proxies) remember(peer netip.Addr) {
	if !peer.IsValid() {
		return
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	key := network(peer)
	u, ok := p.seen[key]
	if !ok {
		u = UnconfiguredProxy{Addr: peer, First: now}
		if p.seen == nil {
			p.seen = map[netip.Addr]UnconfiguredProxy{}
		}
		if len(p.seen) >= maxUnconfigured {
			p.forgetOldest()
		}
	}
	u.Last = now
	u.Requests++
	p.seen[key] = u
}

func (p *Proxies) forgetOldest() {
	var oldest netip.Addr
	for key, u := range p.seen {
		if !oldest.IsValid() || u.Last.Before(p.seen[oldest].Last) {
			oldest = key
		}
	}
	delete(p.seen, oldest)
}

func (p *Proxies) known(peer netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) == 0 {
		return false
	}
	_, ok := p.seen[network(peer)]
	return ok
}

// Unconfigured lists the proxies that nobody configured since the start, the
// busiest first.
func (p *Proxies) Unconfigured() []UnconfiguredProxy {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]UnconfiguredProxy, 0, len(p.seen))
	for _, u := range p.seen {
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b UnconfiguredProxy) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Addr.Compare(b.Addr))
	})
	return list
}

// AddrKey is the text under which an address is counted and blocked: IPv4 as
// it is, IPv6 by its /64, since one household holds at least that much.
func AddrKey(addr netip.Addr) string {
	addr = addr.Unmap()
	switch {
	case !addr.IsValid():
		return "unknown"
	case addr.Is4():
		return addr.String()
	default:
		return netip.PrefixFrom(network(addr), 64).String()
	}
}

func network(addr netip.Addr) netip.Addr {
	if addr.Is6() {
		if prefix, err := addr.WithZone("").Prefix(64); err == nil {
			return prefix.Addr()
		}
	}
	return addr
}

func peerAddr(remote string) netip.Addr {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}
