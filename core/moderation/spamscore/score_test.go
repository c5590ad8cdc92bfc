package spamscore

import (
	"bytes"
	"strings"
	"testing"

	"homeplace/core/moderation/text"
)

func score(m *Model, s string) float64 {
	t := text.Normalize(s)
	return m.Score(t, t.Tokens())
}

func TestDefault_tellsApartWhatItHasNotRead(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"You have won a brand new car! Call 09099999999 to claim, 150p/msg",
		"Hello friends please check out my rap channel and subscribe, I will subscribe back",
		"Your account is locked, verify your details at http://bank.example.top immediately",
	} {
		if got := score(Default(), s); got < 0.9 {
			t.Errorf("%q has %.2f", s, got)
		}
	}
	for _, s := range []string{
		"", "Thank you for the lovely evening, the gumbo was perfect",
		"Is the library open on Sunday? My sister wants to return her books",
		"Founded in 1902, the church was the first in the county to open a school",
	} {
		if got := score(Default(), s); got > 0.5 {
			t.Errorf("%q has %.2f", s, got)
		}
	}
}

func TestTrain_learnsOtherTexts(t *testing.T) {
	t.Parallel()
	m := Train([]Labelled{{"buy purple socks", true}, {"purple socks cheap", true}, {"nice weather today", false}, {"weather is nice", false}})
	if spam, ham := score(m, "purple socks"), score(m, "nice weather"); spam < 0.6 || ham > 0.4 {
		t.Errorf("socks %.2f, weather %.2f", spam, ham)
	}
}

func TestTrain_isTheSameEveryTime(t *testing.T) {
	t.Parallel()
	texts := Sample()[:200]
	if *Train(texts) != *Train(texts) {
		t.Error("two trainings on the same texts differ")
	}
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	m := Train(Sample()[:200])
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if *again != *m {
		t.Error("the model has changed on its way through a file")
	}
	for in, want := range map[string]string{
		"": "read the weights", `{"format":"other"}`: "train it anew",
		`{"format":"homeplace spam weights 1","buckets":32768,"weights":{"40000":1}}`: "out of range",
	} {
		if _, err := Read(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", in, err, want)
		}
	}
}

func TestSample_fillsEverySlot(t *testing.T) {
	t.Parallel()
	for _, l := range Sample() {
		if strings.ContainsAny(l.Text, "{}") {
			t.Fatalf("a slot is left in %q", l.Text)
		}
	}
	for _, template := range append(spamTemplates, hamTemplates...) {
		for _, part := range strings.Split(template, "{")[1:] {
			if slot, _, _ := strings.Cut(part, "}"); slots[slot] == nil {
				t.Errorf("%q asks for %q, which there is not", template, slot)
			}
		}
	}
}
