package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core/pgtest"
)

// voices is two instances over one database, behind a proxy that both trust, so
// that the tests choose where a request comes from.
type voices struct {
	both  [2]*process
	db    string
	token string // of the member ada
}

func twoVoices(t *testing.T) voices {
	t.Helper()
	v := voices{db: "--database-url=" + pgtest.New(t).URL}
	for i := range v.both {
		v.both[i] = serveAs(t, "http://homeplace.test", strings.Repeat("0123456789abcdef", 4), v.db, "--data-dir", dataDir(t), "--trusted-proxies", "127.0.0.1")
	}
	homeplace(t, "user", "create", v.db, "--email", "ada@example.org", "--username", "ada", "--password", "battery staple").want(t, 0)
	v.token = strings.TrimSpace(homeplace(t, "token", "create", "--username", "ada", "--label", "porch", v.db).out)
	return v
}

// told is an answer to something that was sent.
type told struct {
	status int
	header http.Header
	body   map[string]any
}

func (a told) code() any { return a.body["code"] }

// send posts to one of the two, from an address; "" of token is nobody.
func (v voices) send(t *testing.T, i int, path, body, from, token string) told {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.both[i%2].url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return told{}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	a := told{status: answer.StatusCode, header: answer.Header}
	if err := json.Unmarshal(text, &a.body); err != nil {
		t.Errorf("%s answers %d with %q: %v", path, a.status, text, err)
	}
	return a
}

// crowd sends n at once and counts the answers by status.
func crowd(n int, send func(i int) told) map[int]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	counts := map[int]int{}
	for i := range n {
		wg.Go(func() {
			a := send(i)
			mu.Lock()
			defer mu.Unlock()
			counts[a.status]++
		})
	}
	wg.Wait()
	return counts
}

// today reads the poll of the day, and one of its answers.
func (v voices) today(t *testing.T) (path, option string, votes float64) {
	t.Helper()
	path = "/api/polls/daily-" + time.Now().UTC().Format(time.DateOnly)
	status, _, body := v.both[0].get(t, path)
	var p struct {
		Options    []struct{ ID string }
		TotalVotes float64 `json:"total_votes"`
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil || status != http.StatusOK || len(p.Options) == 0 {
		t.Fatalf("today's poll: %d %s, %v", status, body, err)
	}
	return path, p.Options[0].ID, p.TotalVotes
}

func TestAHundredVotesOfOneBrowserCountOnce(t *testing.T) {
	t.Parallel()
	v := twoVoices(t)
	path, option, _ := v.today(t)
	vote := func(i int) told {
		return v.send(t, i, path+"/vote", `{"option_id":"`+option+`"}`, "198.51.100.7", "")
	}
	counts := crowd(100, vote)
	if counts[http.StatusOK] != 60 || counts[http.StatusTooManyRequests] != 40 {
		t.Errorf("answers %v, want 60 that are taken and 40 beyond the limit of an hour", counts)
	}
	eventually(t, "the one vote", func() bool { _, _, votes := v.today(t); return votes == 1 })
	other := v.send(t, 1, path+"/vote", `{"option_id":"`+option+`"}`, "198.51.100.8", "")
	if other.status != http.StatusOK || other.body["duplicate"] != false {
		t.Errorf("another address: %d %v", other.status, other.body)
	}
	eventually(t, "the second vote", func() bool { _, _, votes := v.today(t); return votes == 2 })
}

func TestAbuseBlocksItsAddressOnEveryInstance(t *testing.T) {
	t.Parallel()
	v := twoVoices(t)
	const saying, fine = "/api/sayings/submit", `{"text":"Every shut eye is not asleep."}`
	for from, neighbours := range map[string][2]string{ // of the same block, and of another one
		"198.51.100.7":       {"198.51.100.7", "198.51.100.8"},
		"2001:db8:1:2:3::47": {"2001:db8:1:2:ffff::1", "2001:db8:1:3::47"},
	} {
		sent := v.send(t, 0, saying, `{"text":"Kill yourself"}`, from, v.token)
		if sent.status != http.StatusCreated || sent.body["status"] != "spam" {
			t.Fatalf("abuse from %s gives %d %v", from, sent.status, sent.body)
		}
		for i := range v.both {
			for _, write := range []string{saying, "/api/polls", "/api/report"} {
				if a := v.send(t, i, write, fine, neighbours[0], v.token); a.status != http.StatusForbidden || a.code() != "address_blocked" ||
					!strings.Contains(a.body["error"].(string), "If this is a mistake") {
					t.Errorf("%s at %d from %s gives %d %v", write, i, neighbours[0], a.status, a.body)
				}
			}
		}
		if a := v.send(t, 1, "/api/polls", `{"question":"From `+neighbours[1]+`?","options":["Yes","No"]}`, neighbours[1], v.token); a.status != http.StatusCreated {
			t.Errorf("%s is kept out: %d %v", neighbours[1], a.status, a.body)
		}
	}
	if status, _, _ := v.both[1].get(t, "/api/sayings"); status != http.StatusOK {
		t.Errorf("reading gives %d", status)
	}
}

func TestOddEncodings(t *testing.T) {
	t.Parallel()
	v := twoVoices(t)
	const path = "/api/sayings/submit"
	for what, body := range map[string]string{
		"bytes that are no UTF-8": "{\"text\":\"caf\xe9 for all\"}",
		"half a surrogate pair":   `{"text":"\ud83d alone"}`,
		"NUL":                     `{"text":"a\u0000b"}`,
		"an escape character":     `{"text":"a\u001bb"}`,
		"UTF-16":                  "\xff\xfe{\x00\"\x00t\x00\"\x00}\x00",
		"two objects":             `{"text":"one"}{"text":"two"}`,
		"nothing but spaces":      `{"text":" \u00a0\u2003 "}`,
		"no letter":               `{"text":"\u200b\u200d"}`,
	} {
		if a := v.send(t, 0, path, body, "198.51.100.9", v.token); a.status != http.StatusBadRequest || a.body["error"] == "" {
			t.Errorf("%s: %d %v", what, a.status, a.body)
		}
	}
	for what, text := range map[string]string{
		"Arabic":                       "الصبر مفتاح الفرج",
		"Amharic":                      "ድር ቢያብር አንበሳ ያስር",
		"Yoruba":                       "Ìwà l’ẹwà",
		"a question mark in a diamond": "What \ufffd hid",
		"an emoji":                     "Keep on 👩🏾‍🌾 sowing",
		"decomposed":                   "Cafe\u0301 is a house",
		"HTML":                         `A <b>bold</b> & quiet "word"`,
		"two columns":                  "One\tand\nanother line",
	} {
		body, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		if a := v.send(t, 1, path, string(body), "198.51.100.9", v.token); a.status != http.StatusCreated || a.body["status"] != "pending" {
			t.Errorf("%s: %d %v", what, a.status, a.body)
		}
	}
}

func TestAFloodFromOneAddressEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	v := twoVoices(t)
	paths := []string{"/api/report-fake", "/api/business-shoutouts"} // counted together
	bodies := []string{`{"category":"scam","description":"A page that sells tickets for nothing, number %d."}`, `{"business_name":"Corner store %d","rating":4.5}`}
	flood := func(from string) map[int]int {
		return crowd(40, func(i int) told {
			return v.send(t, i/2, paths[i%2], strings.Replace(bodies[i%2], "%d", strconv.Itoa(i), 1), from, "")
		})
	}
	for _, from := range []string{"198.51.100.7", "2001:db8:1:2::47"} {
		if counts := flood(from); counts[http.StatusCreated] != 10 || counts[http.StatusTooManyRequests] != 30 {
			t.Errorf("from %s: %v, want 10 that are taken and 30 that are too many", from, counts)
		}
	}
	if a := v.send(t, 1, paths[0], strings.Replace(bodies[0], "%d", "99", 1), "2001:db8:1:2:ffff::1", ""); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("a neighbour in the same /64 gets %d", a.status)
	}
	if a := v.send(t, 1, paths[0], strings.Replace(bodies[0], "%d", "99", 1), "2001:db8:1:3::1", ""); a.status != http.StatusCreated {
		t.Errorf("another network gets %d %v", a.status, a.body)
	}
}
