package main

import (
	"strings"
	"testing"
)

func TestModerationCheck(t *testing.T) {
	t.Parallel()
	o := homeplaceWith(t, `{"id":1,"text":"The cobbler is lovely"}
not json
{"id":"b","text":"I hate Muslims"}
{"id":"c"}
{"id":"d","text":"kill yourself <now>"}
`, "moderation", "check", "-")
	o.want(t, 0, `{"id":1,"verdict":"approve","score":0,"reasons":[]}`, `{"id":"b","verdict":"review","score":0.85,"reasons":[{"code":"hate"`,
		`{"id":"d","verdict":"reject"`, "line 2: is not a JSON object", `line 4: needs a "text"`, "2 lines could not be read")
	if strings.Contains(o.messages, "target") || strings.Count(o.out, "\n") != 3 {
		t.Errorf("without labels there is a table, or not a line for each text:\n%s%s", o.out, o.messages)
	}

	labelled := file(t, "texts.csv", "id,text,label,subtype,hard,source,orig_label\n1,\"Hello, you\",ok,slur_reclaimed_nh,,,\n2,Subscribe to my channel,spam,,,,\n")
	homeplace(t, "moderation", "check", labelled).want(t, 0, `"id":"2"`, "reclaimed words", "spam caught, at least 70 %", "holds")
	homeplace(t, "moderation", "check", "/no/such/file").want(t, 1, "/no/such/file")
}

func TestModerationTrain(t *testing.T) {
	t.Parallel()
	texts := file(t, "texts.jsonl", strings.Repeat(`{"text":"purple socks cheap","label":"spam"}
{"text":"nice weather in town","label":"ok"}
`, 20))
	weights := t.TempDir() + "/weights.json"
	homeplace(t, "moderation", "train", texts, "--output", weights).want(t, 0, "40 texts, 20 of them spam", weights)
	o := homeplaceWith(t, `{"id":1,"text":"cheap purple socks"}`, "moderation", "check", "-", "--weights", weights)
	o.want(t, 0, "spam_score")
	homeplace(t, "moderation", "check", texts, "--weights", texts).want(t, 1, "texts.jsonl", "train it anew")
	homeplaceWith(t, `{"text":"a","label":"ok"}`, "moderation", "train", "-", "--output", weights).want(t, 1, "both kinds")
	homeplaceWith(t, `{"text":"a"}`, "moderation", "train", "-", "--output", weights).want(t, 1, "line 1: has no label", "mend the lines")
}
