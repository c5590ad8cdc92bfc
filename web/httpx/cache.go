package httpx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"homeplace/core"
)

const (
	// fillTimeout ends the making of an answer that others wait for.
	fillTimeout = 10 * time.Second
	// cacheShare is the part of the whole cache that one answer may take.
	cacheShare = 16
	// entryOverhead in bytes: headers and what the cache itself needs.
	entryOverhead = 1 << 10
)

// Cache keeps finished answers to anonymous reads, bounded by bytes. Its
// methods are safe for concurrent use.
type Cache struct {
	entries  *otter.Cache[string, *Answer]
	fills    singleflight.Group
	maxBytes int64
	ttl      time.Duration

	all          *atomic.Uint64 // generation of everything
	mu           sync.Mutex
	areas        map[string]*atomic.Uint64 // generation by area
	hits, misses atomic.Uint64
}

// CacheStats are counted since the start; Bytes and Entries are of now.
type CacheStats struct {
	Hits, Misses uint64
	Bytes        uint64
	Entries      int
}

// NewCache makes a cache of at most maxBytes (up to 64 GiB) that keeps answers
// for ttl at most. It must be closed.
func NewCache(maxBytes int64, ttl time.Duration) (*Cache, error) {
	if maxBytes < cacheShare || maxBytes/cacheShare > math.MaxUint32 {
		return nil, fmt.Errorf("cache size %d bytes: must be from %d to %d", maxBytes, cacheShare, int64(math.MaxUint32)*cacheShare)
	}
	c := &Cache{maxBytes: maxBytes, ttl: ttl, all: new(atomic.Uint64), areas: map[string]*atomic.Uint64{}}
	entries, err := otter.New(&otter.Options[string, *Answer]{
		MaximumWeight: uint64(maxBytes),
		Weigher:       func(key string, a *Answer) uint32 { return uint32(weight(key, a)) },
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, *Answer]) time.Duration {
			return c.lifetime(e.Value)
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("make cache: %w", err)
	}
	c.entries = entries
	return c, nil
}

// Close drops everything and ends the cache's own goroutines.
func (c *Cache) Close() {
	c.entries.InvalidateAll()
	c.entries.StopAllGoroutines()
}

// weight counts the gzip body, which may not be made yet, as half of the plain
// one: JSON and HTML take less.
func weight(key string, a *Answer) int64 {
	bytes := len(key) + len(a.Body) + entryOverhead
	if a.ready.compressible {
		bytes += len(a.Body) / 2
	}
	return int64(bytes)
}

// lifetime never exceeds what the answer itself promises.
func (c *Cache) lifetime(a *Answer) time.Duration { return min(c.ttl, a.Cache.maxAge) }

// Handler answers from the cache, or asks h once however many wait. The
// answer must depend on nothing but the path and the named parameters: h sees
// no others, no credentials and no cookies. It is dropped as soon as one of
// the areas is invalidated. Only a public 200 or 301 is kept.
func (c *Cache) Handler(areas, params []string, h Handler) Handler {
	generations := []*atomic.Uint64{c.all}
	for _, area := range areas {
		generations = append(generations, c.generation(area))
	}
	params = slices.Clone(params)
	return func(r *http.Request) (*Answer, error) {
		key, known, ok := cacheKey(r, params, generations)
		if !ok {
			return h(r)
		}
		if a, ok := c.get(key); ok {
			c.hits.Add(1)
			return a, nil
		}
		c.misses.Add(1)
		return c.wait(r, key, canonicalQuery(known), h)
	}
}

func (c *Cache) get(key string) (*Answer, bool) {
	a, ok := c.entries.GetIfPresent(key)
	if !ok || time.Since(a.ready.since) >= c.lifetime(a) {
		return nil, false
	}
	return a, true
}

// wait joins or starts the fill of a key. The fill outlives a caller who
// leaves, since others may wait for it.
func (c *Cache) wait(r *http.Request, key, query string, h Handler) (*Answer, error) {
	inner := fillRequest(r, query)
	result := c.fills.DoChan(key, func() (any, error) {
		growStack(0)
		if a, ok := c.get(key); ok {
			return a, nil // filled between the look and the turn
		}
		return c.fill(inner, key, h)
	})
	select {
	case done := <-result:
		if done.Err != nil {
			return nil, done.Err
		}
		return done.Val.(*Answer), nil
	case <-r.Context().Done():
		return nil, waitError(r.Context())
	}
}

// growStack gives a new goroutine at once the stack that making an answer
// takes. Growing by itself, in steps and with more to copy at each, took a
// tenth of the time of an uncached entry.
//
//go:noinline
func growStack(i int) byte {
	var room [9 << 10]byte // more than half of 16 KiB, the largest stack that the runtime keeps ready
	return room[i]
}

func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: 2 * time.Second,
			Msg: "This took too long. Please try again in a moment."}).Wrap(ctx.Err())
	}
	return ctx.Err()
}

func (c *Cache) fill(r *http.Request, key string, h Handler) (a *Answer, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), fillTimeout)
	defer cancel()
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			a, err = nil, errors.New("a cached answer cannot abort its connection")
		default:
			a, err = nil, panicError(r, v)
		}
	}()
	a, err = h(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, errNoAnswer
	}
	if a.Stream != nil {
		return nil, errors.New("a stream cannot be cached")
	}
	return c.keep(key, a), nil
}

// keep stores the answer where it may be, and returns what is sent.
func (c *Cache) keep(key string, a *Answer) *Answer {
	shared := *a
	shared.ready = newRendition(a)
	lasting := a.Status == http.StatusOK || a.Status == http.StatusMovedPermanently
	if lasting && a.Cache.public && c.lifetime(a) > 0 && a.Header["Set-Cookie"] == nil &&
		weight(key, &shared) <= c.maxBytes/cacheShare {
		shared.ready.since = time.Now()
		c.entries.Set(key, &shared)
	}
	return &shared
}

// fillRequest is what the handler of a cached route sees: a plain GET by
// nobody, with the known parameters only, that lives on when r ends.
func fillRequest(r *http.Request, query string) *http.Request {
	ctx := context.WithoutCancel(r.Context())
	if rc := chi.RouteContext(ctx); rc != nil {
		// chi reuses its routing context once the first caller is gone.
		ctx = context.WithValue(ctx, chi.RouteCtxKey, rc.Clone())
	}
	if x := exchangeOf(r); x != nil {
		ctx = context.WithValue(ctx, exchangeKey{}, &exchange{log: x.log, id: x.id})
	}
	inner := r.Clone(ctx)
	inner.Method = http.MethodGet
	inner.Body, inner.ContentLength = http.NoBody, 0
	inner.URL.RawQuery = query
	inner.RequestURI = inner.URL.RequestURI()
	inner.Header.Del("Authorization")
	inner.Header.Del("Cookie")
	return inner
}

// Invalidate drops every answer that shows something of the area. A fill that
// began before is not served to requests that come after.
func (c *Cache) Invalidate(area string) { c.generation(area).Add(1) }

// InvalidateAll drops everything, as after a lost connection to the database.
func (c *Cache) InvalidateAll() {
	c.all.Add(1)
	c.entries.InvalidateAll()
}

func (c *Cache) generation(area string) *atomic.Uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, ok := c.areas[area]
	if !ok {
		g = new(atomic.Uint64)
		c.areas[area] = g
	}
	return g
}

// Stats tells how the cache does.
func (c *Cache) Stats() CacheStats {
	return CacheStats{Hits: c.hits.Load(), Misses: c.misses.Load(),
		Bytes: c.entries.WeightedSize(), Entries: c.entries.EstimatedSize()}
}
