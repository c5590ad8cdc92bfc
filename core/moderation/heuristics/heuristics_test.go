package heuristics

import (
	"slices"
	"strings"
	"testing"

	"homeplace/core/moderation/text"
)

func codes(s string) []string {
	t := text.Normalize(s)
	var list []string
	for _, signal := range Find(t, t.Tokens()) {
		list = append(list, signal.Code)
	}
	slices.Sort(list)
	return list
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Dinner at five, bring the peas.", ""},
		{"Doors open at 6, tickets are $10.", ""},
		{"Call the office at 555-0134.", ""},
		{"We read 8 pages in 3 parts.", ""},
		{"Call 09061234567 now", "premium_number"},
		{"txt WIN to 80123", "premium_number"},
		{"only 150p/msg", "rate"},
		{"claim $5000 today", "money"},
		{"Reply STOP to end", "terms"},
		{"message me on WhatsApp +15550100200", "handle"},
		{"pay to 0x52908400098527886E0F7030069857D2E4169EE7", "wallet"},
		{"our pages are at www.example.org, come and see", "link"},
		{"you should read what is at bit.ly/abc", "link shortener"},
		{"you can buy it cheaply at offers.example.xyz", "link link_ending"},
		{"a.example.com b.example.com c.example.com are what we have for you", "link links"},
		{"https://example.org/page", "link only_link"},
		{"@friend https://example.org/page", "link"},
		{"buy buy buy buy buy buy now", "repetition"},
		{"THIS IS ALL WRITTEN IN CAPITAL LETTERS", "capitals"},
		{"NASA and the FBI", ""},
	} {
		if got := strings.Join(codes(tt.text), " "); got != tt.want {
			t.Errorf("%q has %q, want %q", tt.text, got, tt.want)
		}
	}
}

func fingerprint(s string) Fingerprint { return FingerprintOf(text.Normalize(s).Tokens()) }

func TestFingerprint(t *testing.T) {
	t.Parallel()
	const original = "Come to the spring market on Saturday: there are peaches from the valley, honey from the hives on the roof of the school, " +
		"smoked fish, quilts, and the plants that the garden club has raised since January. The choir of the church sings at ten and at noon, " +
		"the children paint eggs at the long table beside the fountain, and parking is free behind the old library in the centre of the town."
	for s, want := range map[string]bool{
		original:                  true,
		strings.ToUpper(original): true,
		strings.Replace(original, "library", "mill", 1):                          true,
		strings.Replace(original, "parking is free", "there is free parking", 1): true,
		strings.NewReplacer("market", "race", "peaches", "runners", "honey", "teams", "quilts", "shirts", "eggs", "flags", "fountain", "finish").Replace(original): false,
		"The council meets on Monday about the new bus line to the airport, and everybody who lives along the road may speak for three minutes, as always.":        false,
		"": false,
	} {
		if got := fingerprint(original).Near(fingerprint(s)); got != want {
			t.Errorf("near to %q: %v, want %v", s, got, want)
		}
	}
	if fingerprint("?!") != 0 {
		t.Error("a text without words has a fingerprint")
	}
}
