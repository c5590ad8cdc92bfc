package accounts

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/ratelimit"
	"homeplace/core/sessions"
	"homeplace/core/settings"
)

// postbox takes mails in instead of sending them.
type postbox struct {
	configured bool
	broken     bool

	mu    sync.Mutex
	mails []posted
}

type posted struct{ to, subject, text string }

func (p *postbox) Configured() bool { return p.configured }

func (p *postbox) Send(_ context.Context, to, subject, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		return errors.New("the mail server is away")
	}
	p.mails = append(p.mails, posted{to, subject, text})
	return nil
}

// house is one instance of Access with its surroundings.
type house struct {
	world
	*Access
	post     *postbox
	sessions *sessions.Service
	settings *settings.Service
}

const somewhere = "192.0.2.1"

// open makes an instance over a new database, with a mail server.
func open(t *testing.T) house {
	t.Helper()
	w := setup(t)
	return w.open(t, w.db.DB, &postbox{configured: true})
}

func (w world) open(t *testing.T, db *pg.DB, post *postbox) house {
	t.Helper()
	h := house{world: w, post: post, sessions: sessions.New(db, w.clock.read), settings: settings.New(db)}
	h.Service = New(db, w.clock.read)
	h.Access = NewAccess(db, w.clock.read, Needs{Mail: post, Limits: ratelimit.New(db), Sessions: h.sessions, Settings: h.settings,
		Page: func(segments ...string) string { return "https://homeplace.test/" + strings.Join(segments, "/") },
		Log:  slog.New(slog.DiscardHandler)})
	return h
}

// second is another instance over the same database, with the same postbox.
func (h house) second(t *testing.T) house {
	t.Helper()
	return h.world.open(t, h.world.db.Instance(t), h.post)
}

// collect waits for the mails on their way and takes them out.
func (h house) collect(t *testing.T) []posted {
	t.Helper()
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.post.mu.Lock()
	defer h.post.mu.Unlock()
	mails := h.post.mails
	h.post.mails = nil
	return mails
}

var linkForm = regexp.MustCompile(`https://homeplace\.test/([\w-]+)\?token=(\S+)`)

// token takes the only mail out and the link to page out of it.
func (h house) mailed(t *testing.T, to, page string) (token string) {
	t.Helper()
	mails := h.collect(t)
	if len(mails) != 1 || mails[0].to != to {
		t.Fatalf("mails %+v, want one to %s", mails, to)
	}
	m := linkForm.FindStringSubmatch(mails[0].text)
	if m == nil || m[1] != page {
		t.Fatalf("the mail has no link to %s: %s", page, mails[0].text)
	}
	token, err := url.QueryUnescape(m[2])
	if err != nil {
		t.Fatal(err)
	}
	return token
}

const password = "a long enough secret"

func input(name string) SignUpInput {
	return SignUpInput{Email: name + "@example.org", Username: name, Password: password, AddressKey: somewhere}
}

// signUp makes a verified account over the mail.
func (h house) signUp(t *testing.T, name string) Account {
	t.Helper()
	if _, err := h.SignUp(t.Context(), input(name)); err != nil {
		t.Fatalf("sign up %s: %v", name, err)
	}
	a, err := h.Verify(t.Context(), h.mailed(t, name+"@example.org", VerifyPage))
	if err != nil {
		t.Fatalf("verify %s: %v", name, err)
	}
	return a
}

func (h house) signIn(t *testing.T, name, password string) error {
	t.Helper()
	_, err := h.SignIn(t.Context(), SignInInput{Name: name, Password: password, AddressKey: somewhere})
	return err
}

// browser opens a session of the account.
func (h house) browser(t *testing.T, a Account, token string) (id string) {
	t.Helper()
	id, err := h.sessions.Open(t.Context(), sessions.Opening{TokenHash: token + strings.Repeat("-", 43-len(token)),
		AccountID: a.ID, Data: []byte{}, ExpiresAt: h.clock.read().AddDate(0, 1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// browsers are the ids of the account's live sessions, sorted.
func (h house) browsers(t *testing.T, a Account) (ids []string) {
	t.Helper()
	list, err := h.sessions.List(t.Context(), a.Viewer())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}

// manyTries lifts the limits, for tests of something else.
func (h house) manyTries(t *testing.T) {
	t.Helper()
	for _, key := range []string{"sign_in_attempts", "sign_ups_per_hour", "account_mails_per_hour"} {
		if err := h.settings.Set(t.Context(), core.TheSystem(), key, "1000"); err != nil {
			t.Fatal(err)
		}
	}
}

// aboutEqual compares the median time of what is asked about known and unknown
// names, in turns, so that other tests beside slow both down alike.
func aboutEqual(t *testing.T, turns int, ask func(known bool)) {
	t.Helper()
	took := map[bool][]time.Duration{}
	for range turns {
		for _, known := range []bool{true, false} {
			start := time.Now()
			ask(known)
			took[known] = append(took[known], time.Since(start))
		}
	}
	median := func(d []time.Duration) time.Duration {
		slices.Sort(d)
		return d[len(d)/2]
	}
	known, unknown := median(took[true]), median(took[false])
	t.Logf("known %v, unknown %v", known, unknown)
	if ratio := float64(known) / float64(unknown); ratio > 3 || ratio < 1./3 {
		t.Errorf("a known name takes %v, an unknown one %v", known, unknown)
	}
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if err == nil || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want the code %s", what, err, code)
	}
}
