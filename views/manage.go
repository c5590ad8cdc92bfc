package views

import (
	"strconv"
	"strings"

	"homeplace/views/ui"
)

// outcomeNotice heads the list of what became of several.
func outcomeNotice(list []OutcomeProps) ui.NoticeProps {
	failed := 0
	for _, o := range list {
		if o.Failed {
			failed++
		}
	}
	switch {
	case failed == 0:
		return ui.NoticeProps{Tone: ui.Good, Title: "Done"}
	case failed == len(list):
		return ui.NoticeProps{Tone: ui.Bad, Title: "Nothing was done"}
	}
	return ui.NoticeProps{Tone: ui.Warn, Title: strconv.Itoa(len(list)-failed) + " of " + strconv.Itoa(len(list)) + " went through"}
}

// Sentence is everything that is wrong in one line, for a list of several.
func (r Refusal) Sentence() string {
	texts := []string{r.Problem}
	for _, p := range r.Fields {
		texts = append(texts, p.named())
	}
	for _, m := range r.Misfits[:min(len(r.Misfits), 3)] {
		texts = append(texts, m.Path+" "+m.Reason+".")
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// misfitTitle heads the places: they are all that is wrong, since a file is
// held against its schema last.
func (r Refusal) misfitTitle() string {
	switch {
	case r.Problem != "":
		return r.Problem
	case len(r.Fields) > 0:
		return r.Fields[0].named()
	}
	return "The file does not fit its schema."
}
