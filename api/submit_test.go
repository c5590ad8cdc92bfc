package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/pgtest"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// submit proposes a file with a token, or without one.
func (in instance) submit(t testing.TB, target, token, body string, headers ...http.Header) answer {
	t.Helper()
	about := []http.Header{{"Content-Type": {"application/json"}}}
	if token != "" {
		about = append(about, bearer(token))
	}
	return in.send(t, http.MethodPost, target, strings.NewReader(body), append(about, headers...)...)
}

const toStops = "/api/apps/stops/submit"

type submitted struct {
	OK           bool
	SubmissionID string `json:"submission_id"`
	Message      string
}

// body writes a submission around content that is JSON already.
func body(filename, content string) string {
	return fmt.Sprintf(`{"filename": %q, "message": "A word.", "content": %s}`, filename, content)
}

func quoted(t testing.TB, content string) string {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// notOK checks the status, code and field of a refusal, and that it says so.
func notOK(t testing.TB, what string, a answer, status int, code, field string) failure {
	t.Helper()
	var f failure
	err := json.Unmarshal(a.body, &f)
	if err != nil || a.status != status || f.OK == nil || *f.OK || f.Error == "" || f.Code != code || field != "" && f.Fields[field] == "" {
		t.Errorf("%s: %d %.300s, want %d %s %s and not ok", what, a.status, a.body, status, code, field)
	}
	return f
}

// A member proposes a file with a token, the owner approves it, and everybody
// reads the very bytes, on both instances.
func TestSubmissionBecomesTheFile(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	listen(t, w.database.DB)
	there := newInstance(t, w.database.Instance(t))
	w.app(t, p, "stops", "Bus Stops")
	forms := map[string]string{}
	for name, content := range stored {
		forms["text "+name] = content
		if name != "deep" { // the body around an object is a level of its own
			forms["value "+name] = strings.TrimSpace(content)
		}
	}
	for name, content := range forms {
		filename := strings.ReplaceAll(name, " ", "-") + ".json"
		target, sent := "/api/apps/stops/data/"+filename, content
		if strings.HasPrefix(name, "text ") {
			sent = quoted(t, content)
		}
		refused(t, w.get(t, target), http.StatusNotFound, "not_found", "")
		a := there.submit(t, toStops, p.otherToken, body(filename, sent))
		got := read[submitted](t, a, http.StatusCreated)
		if !got.OK || !strings.Contains(got.Message, filename) || !strings.Contains(got.Message, "Bus Stops") || a.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s is answered with %+v, %v", name, got, a.header)
		}
		refused(t, there.get(t, target), http.StatusNotFound, "not_found", "")
		if _, err := w.apps.Approve(t.Context(), p.other, got.SubmissionID, apps.ApproveInput{}); core.KindOf(err) != core.Forbidden && core.KindOf(err) != core.NotFound {
			t.Errorf("its sender approves it: %v", err)
		}
		if _, err := w.apps.Approve(t.Context(), p.owner, got.SubmissionID, apps.ApproveInput{}); err != nil {
			t.Fatalf("approve %s: %v", name, err)
		}
		served := w.get(t, target)
		if served.status != http.StatusOK || string(served.body) != content {
			t.Errorf("%s is served with %d as %.200q, want %.200q", name, served.status, served.body, content)
		}
		eventually(t, name+" on the other instance", func() bool {
			a := there.get(t, target)
			return a.status == http.StatusOK && string(a.body) == content && a.header.Get("ETag") == `"`+hexSHA256(content)+`"`
		})
	}
}

func TestSubmissionShowsTheLimit(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	a := w.submit(t, toStops, p.otherToken, body("a.json", "{}"))
	read[submitted](t, a, http.StatusCreated)
	if a.header.Get("RateLimit-Limit") != "30" || a.header.Get("RateLimit-Remaining") != "29" || a.header.Get("RateLimit-Reset") == "" {
		t.Errorf("the limit is shown as %v", a.header)
	}
	if err := w.settings.Set(t.Context(), core.TheSystem(), "writes_per_hour", "2"); err != nil {
		t.Fatal(err)
	}
	read[submitted](t, w.submit(t, toStops, p.otherToken, body("a.json", "{}")), http.StatusCreated)
	full := w.submit(t, toStops, p.otherToken, body("a.json", "{}"))
	if f := notOK(t, "one too many", full, http.StatusTooManyRequests, "rate_limited", ""); f.RetryAfter < 1 || full.header.Get("Retry-After") == "" {
		t.Errorf("retry_after is %d, Retry-After %q", f.RetryAfter, full.header.Get("Retry-After"))
	}
	there := newInstance(t, w.database.Instance(t))
	if err := there.settings.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	notOK(t, "on another instance", there.submit(t, toStops, p.otherToken, body("a.json", "{}")), http.StatusTooManyRequests, "rate_limited", "")
	read[submitted](t, w.submit(t, toStops, p.ownerToken, body("a.json", "{}")), http.StatusCreated)
}

func TestRefusedBodies(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	if err := w.settings.Set(t.Context(), core.TheSystem(), "writes_per_hour", "1000"); err != nil {
		t.Fatal(err)
	}
	for what, sent := range map[string]string{
		"nothing": "", "half": `{"filename":"a.json"`, "a list": `[{"filename":"a.json","content":{}}]`, "null": "null", "two": body("a.json", "{}") + "{}",
		"a comma": `{"filename":"a.json","content":{"a":1,}}`, "not UTF-8": "{\"filename\":\"\xff.json\",\"content\":{}}",
		"too deep": body("a.json", strings.Repeat("[", 66)+strings.Repeat("]", 66)),
	} {
		notOK(t, what, w.submit(t, toStops, p.otherToken, sent), http.StatusBadRequest, "malformed_json", "")
	}
	for what, c := range map[string]struct{ body, field, says string }{
		"no filename":              {`{"content":{}}`, "filename", "required"},
		"an empty filename":        {body(" ", `{}`), "filename", "required"},
		"a filename that is not":   {`{"filename":7,"content":{}}`, "filename", "text"},
		"another ending":           {body("a.txt", `{}`), "filename", ".json"},
		"no name":                  {body(".json", `{}`), "filename", "letter"},
		"a path":                   {body("../a.json", `{}`), "filename", "letter"},
		"a backslash":              {body(`a\\b.json`, `{}`), "filename", "letters"},
		"a long filename":          {body(strings.Repeat("a", 116)+".json", `{}`), "filename", "120"},
		"a NUL":                    {`{"filename":"a\u0000.json","content":{}}`, "filename", "control"},
		"no content":               {`{"filename":"a.json"}`, "content", "required"},
		"null":                     {body("a.json", `null`), "content", "required"},
		"a number":                 {body("a.json", `7`), "content", "object or array"},
		"true":                     {body("a.json", `true`), "content", "object or array"},
		"an empty text":            {body("a.json", `""`), "content", "object or array"},
		"a text of no JSON":        {body("a.json", `"porch"`), "content", "object or array"},
		"a text of a number":       {body("a.json", `"7"`), "content", "object or array"},
		"a text of a text":         {body("a.json", `"\"{}\""`), "content", "object or array"},
		"a text of broken JSON":    {body("a.json", `"{\"a\":1,}"`), "content", "line 1"},
		"a text of two":            {body("a.json", `"{} {}"`), "content", "line 1"},
		"a text that is deep":      {body("a.json", quoted(t, strings.Repeat("[", 65)+strings.Repeat("]", 65))), "content", "64"},
		"half a surrogate pair":    {body("a.json", `"[\"\ud83d\"]"`), "content", "pair"},
		"a byte order mark":        {body("a.json", `"\ufeff{}"`), "content", "byte order mark"},
		"a long message":           {`{"filename":"a.json","content":{},"message":"` + strings.Repeat("é", 501) + `"}`, "message", "500"},
		"a message of another":     {`{"filename":"a.json","content":{},"message":["a"]}`, "message", "text"},
		"a control character":      {`{"filename":"a.json","content":{},"message":"a\u0007b"}`, "message", "control"},
		"the content as two names": {`{"filename":"a.json","content":{},"content":7}`, "content", "object or array"},
	} {
		if f := notOK(t, what, w.submit(t, toStops, p.otherToken, c.body), http.StatusBadRequest, "validation_failed", c.field); !strings.Contains(f.Fields[c.field], c.says) {
			t.Errorf("%s: %s says %q, want %q in it", what, c.field, f.Fields[c.field], c.says)
		}
	}
	if f := notOK(t, "two at once", w.submit(t, toStops, p.otherToken, `{"filename":"a.txt","content":7}`), http.StatusBadRequest, "validation_failed", "filename"); f.Fields["content"] == "" {
		t.Errorf("only %v is named", f.Fields)
	}
	if n := w.waiting(t); n != 0 {
		t.Errorf("%d submissions are stored", n)
	}
	for what, sent := range map[string]string{
		"an unknown field": `{"filename":"a.json","content":{},"surprise":[1]}`, "null for the message": `{"filename":"a.json","content":{},"message":null}`,
		"500 characters": `{"filename":"a.json","content":[],"message":"` + strings.Repeat("é", 500) + `"}`,
		"lines":          `{"filename":"a.json","content":[],"message":"One.\r\nTwo."}`,
		"120 characters": body(strings.Repeat("a", 115)+".json", `{}`), "64 levels of text": body("a.json", quoted(t, stored["deep"])),
	} {
		if a := w.submit(t, toStops, p.otherToken, sent); a.status != http.StatusCreated {
			t.Errorf("%s gives %d %s", what, a.status, a.body)
		}
	}
}

// waiting counts what is stored.
func (w world) waiting(t testing.TB) int {
	t.Helper()
	return pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from app_submissions`)
}

func TestSizeOfASubmission(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	const most = 1 << 20
	exactly := body("a.json", `{"text":"`+strings.Repeat("a", most-len(body("a.json", `{"text":""}`)))+`"}`)
	if len(exactly) != most {
		t.Fatalf("the body has %d bytes", len(exactly))
	}
	chunked := func(body string) io.Reader { return struct{ io.Reader }{strings.NewReader(body)} } // of unknown length
	kinds := http.Header{"Content-Type": {"application/json"}}
	for what, send := range map[string]func(string) answer{
		"with a length": func(body string) answer { return w.submit(t, toStops, p.otherToken, body) },
		"without a length": func(body string) answer {
			return w.send(t, "POST", toStops, chunked(body), kinds, bearer(p.otherToken))
		},
		"with a key": func(body string) answer {
			return w.submit(t, toStops, p.otherToken, body, http.Header{"Idempotency-Key": {fmt.Sprintf("of-%d", len(body))}})
		},
	} {
		read[submitted](t, send(exactly), http.StatusCreated)
		notOK(t, what, send(exactly+" "), http.StatusRequestEntityTooLarge, "too_large", "")
		notOK(t, what, send(strings.Repeat("x", 3*most)), http.StatusRequestEntityTooLarge, "too_large", "")
	}
	notOK(t, "of nobody", w.submit(t, toStops, "", exactly+" "), http.StatusRequestEntityTooLarge, "too_large", "")
}

func TestMediaOfASubmission(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	for _, h := range []http.Header{
		{"Content-Type": nil}, {"Content-Type": {"text/plain"}}, {"Content-Type": {"application/x-www-form-urlencoded"}}, {"Content-Type": {"multipart/form-data; boundary=x"}},
		{"Content-Type": {"application/json; charset=latin1"}}, {"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}},
	} {
		notOK(t, fmt.Sprint(h), w.submit(t, toStops, p.otherToken, body("a.json", `{}`), h), http.StatusUnsupportedMediaType, "unsupported_media_type", "")
	}
	for _, media := range []string{"application/json; charset=utf-8", "Application/JSON"} {
		read[submitted](t, w.submit(t, toStops, p.otherToken, body("a.json", `{}`), http.Header{"Content-Type": {media}}), http.StatusCreated)
	}
}

func TestWhoSubmits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	if _, err := w.apps.Create(t.Context(), p.owner, apps.Input{Slug: "waiting", Name: "Waiting"}); err != nil {
		t.Fatal(err)
	}
	gone, revoked, id := w.account(t, "gone", accounts.RoleMember, nil)
	if err := w.accounts.RevokeToken(t.Context(), gone, id); err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{"nobody": "", "a revoked token": revoked, "no token": "tok_nonsense", "another scheme": "a b"} {
		a := w.submit(t, toStops, token, body("a.json", `{}`))
		notOK(t, what, a, http.StatusUnauthorized, "unauthenticated", "")
		if challenge := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, "Bearer ") {
			t.Errorf("%s: the challenge is %q", what, challenge)
		}
	}
	notOK(t, "nobody, and nonsense", w.submit(t, toStops, "", "nonsense"), http.StatusUnauthorized, "unauthenticated", "")
	for what, c := range map[string]struct {
		token, slug string
		status      int
	}{
		"another member": {p.otherToken, "stops", 201}, "a moderator": {p.staffToken, "stops", 201}, "the owner": {p.ownerToken, "stops", 201},
		"the owner, to a pending app": {p.ownerToken, "waiting", 201}, "another member, to a pending app": {p.otherToken, "waiting", 404}, "to no app": {p.otherToken, "nothing", 404},
		"a moderator, to a pending app": {p.staffToken, "waiting", 404},
	} {
		a := w.submit(t, "/api/apps/"+c.slug+"/submit", c.token, body("a.json", `{}`))
		if c.status == http.StatusNotFound {
			notOK(t, what, a, c.status, "not_found", "")
		} else if a.status != c.status {
			t.Errorf("%s gets %d %s", what, a.status, a.body)
		}
	}
	refused(t, w.get(t, toStops, bearer(p.ownerToken)), http.StatusMethodNotAllowed, "method_not_allowed", "")
}

// The site's own pages send the cookie instead of a token; other sites cannot.
func TestSubmissionWithTheSessionCookie(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	cookie := w.signIn(t, "eve")
	for site, status := range map[string]int{"same-origin": 201, "same-site": 401, "cross-site": 401} {
		a := w.submit(t, toStops, "", body("a.json", `{}`), http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {site}})
		if status == http.StatusUnauthorized {
			notOK(t, site, a, status, "unauthenticated", "")
		} else if a.status != status {
			t.Errorf("%s gets %d %s", site, a.status, a.body)
		}
	}
	if n := w.waiting(t); n != 1 {
		t.Errorf("%d submissions are stored, want 1", n)
	}
}

// signIn is the session cookie of a new browser.
func (in instance) signIn(t testing.TB, username string) string {
	t.Helper()
	account, err := in.accounts.ByUsername(t.Context(), core.TheSystem(), username)
	if err != nil {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	in.cookies.Load(httpx.ErrorAnswer)(httpx.API(func(r *http.Request) (*httpx.Answer, error) {
		return httpx.NoContent(), session.SignIn(r, account)
	})).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in", nil))
	for _, c := range recorder.Result().Cookies() {
		return c.Name + "=" + c.Value
	}
	t.Fatalf("no cookie: %d %s", recorder.Code, recorder.Body)
	return ""
}

func TestRepeatedSubmissionIsStoredOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	there := newInstance(t, w.database.Instance(t))
	w.app(t, p, "stops", "Stops")
	key := http.Header{"Idempotency-Key": {"k-1"}}
	var group sync.WaitGroup
	answers := make([]answer, 16)
	for i := range answers {
		in := []instance{w.instance, there}[i%2]
		group.Go(func() { answers[i] = in.submit(t, toStops, p.otherToken, body("a.json", `{"a":1}`), key) })
	}
	group.Wait()
	firsts := 0
	for _, a := range answers {
		if read[submitted](t, a, http.StatusCreated).SubmissionID != read[submitted](t, answers[0], http.StatusCreated).SubmissionID {
			t.Errorf("another submission: %s", a.body)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			firsts++
		}
	}
	if n := w.waiting(t); n != 1 || firsts != 1 {
		t.Errorf("%d submissions are stored by %d firsts, want one", n, firsts)
	}
	notOK(t, "another body", there.submit(t, toStops, p.otherToken, body("a.json", `{"a":2}`), key), http.StatusUnprocessableEntity, "idempotency_key_reused", "")
	for _, bad := range [][]string{{""}, {"a b"}, {"a", "b"}, {strings.Repeat("k", 256)}} {
		notOK(t, "a bad key", w.submit(t, toStops, p.otherToken, body("a.json", `{}`), http.Header{"Idempotency-Key": bad}), http.StatusBadRequest, "validation_failed", "Idempotency-Key")
	}
	read[submitted](t, w.submit(t, toStops, p.staffToken, body("a.json", `{"a":2}`), key), http.StatusCreated) // keys are each caller's own
	for range 2 {                                                                                              // a refusal is an outcome, too
		notOK(t, "repeated", w.submit(t, "/api/apps/nothing/submit", p.otherToken, body("a.json", `{}`), http.Header{"Idempotency-Key": {"k-2"}}), http.StatusNotFound, "not_found", "")
	}
	if n := w.waiting(t); n != 2 {
		t.Errorf("%d submissions are stored, want 2", n)
	}
}

func TestQueueOfAMemberIsFull(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	for n := range apps.MaxPendingOfMember {
		read[submitted](t, w.submit(t, toStops, p.otherToken, body(fmt.Sprintf("%d.json", n), `{}`)), http.StatusCreated)
	}
	notOK(t, "one more", w.submit(t, toStops, p.otherToken, body("more.json", `{}`)), http.StatusConflict, "too_many_pending", "")
	read[submitted](t, w.submit(t, toStops, p.staffToken, body("more.json", `{}`)), http.StatusCreated)
}

func TestSubmissionThatFailsOnOurSide(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	if _, err := w.database.Owner(t).Exec(t.Context(), `alter table app_submissions rename column message to broken`); err != nil {
		t.Fatal(err)
	}
	notOK(t, "a broken table", w.submit(t, toStops, p.otherToken, body("a.json", `{}`)), http.StatusInternalServerError, "internal", "")
}

func TestFileMustFitTheSchemaOfItsName(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	const schema = `{"type":"object","required":["stops"],"properties":{"stops":{"type":"array","items":{"type":"object","required":["id"]}}}}`
	if err := w.apps.SetSchema(t.Context(), p.owner, "stops", "stops.json", []byte(schema)); err != nil {
		t.Fatal(err)
	}
	notOK(t, "a stop without an id", w.submit(t, toStops, p.otherToken, body("stops.json", `{"stops":[{"name":"Auburn"}]}`)), http.StatusBadRequest, "validation_failed", "")
	read[submitted](t, w.submit(t, toStops, p.otherToken, body("stops.json", `{"stops":[{"id":12}]}`)), http.StatusCreated)
	read[submitted](t, w.submit(t, toStops, p.otherToken, body("other.json", `{}`)), http.StatusCreated)
}

// Whatever text is sent as a file is stored as those very bytes, in either
// form, or refused at its field.
func FuzzSubmittedContent(f *testing.F) {
	for _, content := range stored {
		f.Add(content)
	}
	for _, content := range []string{"", "null", "7", `"{}"`, "{", "[1,]", "{} {}", "\ufeff{}", "[\"\\ud800\"]", "[\"\u007f\"]", "[\"\x01\"]", "\xff", "[\"\xff\"]", "[1e999,-0.0]"} {
		f.Add(content)
	}
	w := setup(f)
	p := w.people(f)
	w.app(f, p, "stops", "Stops")
	if err := w.settings.Set(f.Context(), core.TheSystem(), "writes_per_hour", "100000"); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if len(content) > 300_000 {
			t.Skip()
		}
		bare := strings.Trim(content, " \t\r\n")
		document := json.Valid([]byte(content)) && utf8.ValidString(content) && (bare[0] == '{' || bare[0] == '[')
		for _, c := range []struct{ sent, want string }{{content, bare}, {quoted(t, content), content}} {
			a := w.submit(t, toStops, p.otherToken, body("a.json", c.sent))
			if a.status == http.StatusBadRequest && (!document || strings.Count(content, "[")+strings.Count(content, "{") >= apps.MaxNesting) {
				continue
			}
			id := read[submitted](t, a, http.StatusCreated).SubmissionID
			s, err := w.apps.Submission(t.Context(), p.other, id)
			if err != nil || document && string(s.Content) != c.want {
				t.Errorf("%q is stored as %q (%v), want %q", c.sent, s.Content, err, c.want)
			}
			if err := w.apps.Withdraw(t.Context(), p.other, id); err != nil {
				t.Fatal(err)
			}
		}
	})
}
