package httpx

import (
	"net/netip"
	"strings"
)

// nodeAddr reads one hop of a forwarding header: an address, with or without
// brackets, with or without a port.
func nodeAddr(node string) (netip.Addr, bool) {
	node = strings.TrimSpace(node)
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(node, "["), "]"))
	if err != nil {
		ap, portErr := netip.ParseAddrPort(node)
		if portErr != nil {
			return netip.Addr{}, false
		}
		addr = ap.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

// forwardedFor lists the "for" nodes of a Forwarded header (RFC 7239) from the
// outermost to the nearest. An element without one, or one that breaks the
// grammar, gives an empty node, which ends a walk.
func forwardedFor(header string) []string {
	var nodes []string
	for header != "" {
		var node string
		node, header = forwardedElement(header)
		nodes = append(nodes, node)
	}
	return nodes
}

// forwardedElement reads "name=value" pairs up to the next comma that stands
// outside of quotes.
func forwardedElement(s string) (node, rest string) {
	broken, found := false, false
	for {
		s = strings.TrimLeft(s, " \t")
		end := strings.IndexAny(s, "=,;")
		if end < 0 {
			end = len(s)
		}
		name := strings.TrimSpace(s[:end])
		s = s[end:]
		if strings.HasPrefix(s, "=") {
			var value string
			var ok bool
			value, s, ok = forwardedValue(s[1:])
			if strings.EqualFold(name, "for") {
				broken = broken || found
				node, found = value, true
			}
			broken = broken || !ok
		} else if name != "" {
			broken = true
		}
		if s == "" || s[0] == ',' {
			break
		}
		s = s[1:]
	}
	if broken {
		node = ""
	}
	return node, strings.TrimPrefix(s, ",")
}

// forwardedValue reads a token or a quoted string and leaves s at the
// separator behind it.
func forwardedValue(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ",;")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimSpace(s[:end]), s[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '"':
			rest = strings.TrimLeft(s[i+1:], " \t")
			if rest == "" || rest[0] == ',' || rest[0] == ';' {
				return b.String(), rest, true
			}
			// Something sticks to the closing quote: skip to the separator.
			end := strings.IndexAny(rest, ",;")
			if end < 0 {
				end = len(rest)
			}
			return "", rest[end:], false
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}
