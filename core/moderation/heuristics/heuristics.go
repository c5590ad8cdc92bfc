// Package heuristics finds the shapes of unwanted texts that need no word list:
// links, numbers to call, prices, shouting, repetition. Each is a weight between
// 0 and 1, the share of texts of that shape that we take for unwanted; they are
// estimates of ours, set so that two or three together hold a text and one
// alone does not, but for the strongest.
package heuristics

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeplace/core/moderation/text"
)

// Signal is one shape that was found.
type Signal struct {
	Code   string
	Detail string // for moderators
	Span   text.Span
	Weight float64
}

// Find lists the signals of a text.
func Find(t text.Text, tokens []text.Token) []Signal {
	found := links(tokens)
	found = append(found, shapes(t)...)
	found = append(found, repetition(tokens)...)
	return append(found, capitals(t.Original)...)
}

var pattern = regexp.MustCompile

// numbers are the shapes of offers by phone and of money. The same code counts
// once.
var numbers = []struct {
	code, detail string
	weight       float64
	shape        *regexp.Regexp
}{
	{"premium_number", "a number that costs extra, or a short code to text", 0.45,
		pattern(`\b0(?:9\d|8[47])\d{6,9}\b|\b0800[ -]?\d{3}[ -]?\d{3,4}\b|\bfreephone\b|\b(?:text|txt|send|reply|sms)\b.{0,30}\bto\s?\d{4,6}\b|\bcall\s+(?:\w+\s+){0,4}0\d{9,10}\b`)},
	{"rate", "a price per minute, message or week", 0.5,
		pattern(`\d\s?(?:p|pence|gbp|usd|cents?)\s?(?:/|per\b|a\s(?:min|msg|text|call|w(?:ee)?k|day))|\d\s?ppm\b|\bppm\b|\b\d{2,3}\s?p\b|[£$€]\d+(?:\.\d+)?\s?(?:/|per )(?:w(?:ee)?k|min|msg|day|sub)`)},
	{"money", "a sum of money as bait", 0.3,
		pattern(`[£$€]\s?\d{3,}|[£$€]\s?\d{1,3},\d{3}|\b\d{3,}\s?(?:pounds|dollars|euros|usd|cash)\b|\b(?:earn|make|win|get|claim)\s.{0,15}[£$€]\s?\d`)},
	{"terms", "terms and conditions, or how to opt out", 0.5,
		pattern(`\bt(?:s)?\s?(?:&|and)\s?c'?s?\b|\btext stop\b|\b(?:reply|send|txt|text) .{0,12}\bstop\b|\bstop to (?:end|cancel|opt)|\bopt[ -]?out\b|\bto unsubscribe\b|\bpo ?box\b|\b1[68]\s?(?:\+|yrs?\b|or over\b|only\b)`)},
	{"handle", "an address to be reached at elsewhere", 0.35,
		pattern(`\b(?:whatsapp|telegram|kik|wechat|snapchat|skype|viber)\b.{0,25}(?:\+?\d{7,}|@\w+|\bme\b)|\bt\.me/|\bwa\.me/`)},
	{"wallet", "a wallet of a currency", 0.6, pattern(`\b(?:bc1[a-z0-9]{20,}|0x[0-9a-f]{40})\b`)},
}

func shapes(t text.Text) []Signal {
	var found []Signal
	for _, n := range numbers {
		if at := n.shape.FindStringIndex(t.Plain); at != nil {
			found = append(found, Signal{n.code, n.detail, t.Span(at[0], at[1]), n.weight})
		}
	}
	return found
}

// Repetition counts from so many words, and from this share of them.
const (
	manyRepeats   = 6
	shareRepeated = 0.4
)

func repetition(tokens []text.Token) []Signal {
	counts := make(map[string]int)
	most := text.Token{}
	for _, token := range tokens {
		if token.Word == "" {
			continue
		}
		counts[token.Word]++
		if counts[token.Word] > counts[most.Word] {
			most = token
		}
	}
	n := counts[most.Word]
	if n < manyRepeats || float64(n) < shareRepeated*float64(len(tokens)) {
		return nil
	}
	return []Signal{{"repetition", fmt.Sprintf("%q comes %d times", most.Word, n), most.Span, 0.35}}
}

// Capitals count from so many letters, and from this share of them.
const (
	manyCapitals  = 24
	shareCapitals = 0.7
)

func capitals(s string) []Signal {
	letters, upper := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	if upper < manyCapitals || float64(upper) < shareCapitals*float64(letters) {
		return nil
	}
	return []Signal{{"capitals", "mostly capital letters", text.Span{Start: 0, End: len(s)}, 0.15}}
}

// Few words beside a link make it the point of the text.
const fewWords = 4

func links(tokens []text.Token) []Signal {
	var found []Signal
	var all []text.Token
	words := 0
	for _, token := range tokens {
		switch {
		case token.Kind == text.Link:
			all = append(all, token)
		case token.Kind == text.Mention:
			words += fewWords // said to somebody
		case utf8.RuneCountInString(token.Word) > 1:
			words++
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, link := range all {
		host := hostOf(link.Word)
		if shorteners[host] {
			found = append(found, Signal{"shortener", host + " hides where it leads", link.Span, 0.35})
		}
		if at := strings.LastIndexByte(host, '.'); cheapEndings[host[at+1:]] {
			found = append(found, Signal{"link_ending", "addresses under ." + host[at+1:] + " are mostly unwanted", link.Span, 0.4})
		}
		if len(found) > 4 {
			break
		}
	}
	if len(all) >= 3 {
		found = append(found, Signal{"links", fmt.Sprintf("%d links", len(all)), all[2].Span, 0.45})
	}
	if words < fewWords {
		found = append(found, Signal{"only_link", "hardly more than a link", all[0].Span, 0.4})
	}
	return append(found, Signal{"link", "has a link", all[0].Span, 0.15})
}

// hostOf is the host of a link, without "www.".
func hostOf(link string) string {
	if _, rest, ok := strings.Cut(link, "//"); ok {
		link = rest
	}
	if end := strings.IndexAny(link, "/:?#"); end >= 0 {
		link = link[:end]
	}
	return strings.TrimPrefix(link, "www.")
}

// shorteners are the hosts of well-known services that hide an address behind
// a short one. The one that X puts on every link is not among them.
var shorteners = set("bit.ly tinyurl.com goo.gl ow.ly is.gd buff.ly adf.ly cutt.ly rb.gy shorturl.at rebrand.ly tiny.cc bc.vc lnkd.in s.id v.gd")

// cheapEndings are endings that cost nothing or next to it for years, which is
// why block lists are full of them.
var cheapEndings = set("xyz top club online site shop win vip loan click link bid icu gq tk ml cf ga")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
