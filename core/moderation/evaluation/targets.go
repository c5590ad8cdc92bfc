package evaluation

// target is a share of texts, in percent, and what it must be.
type target struct {
	name     string
	measured float64
	atMost   bool
	limit    float64
}

func (t target) holds() bool {
	if t.atMost {
		return t.measured <= t.limit
	}
	return t.measured >= t.limit
}

// targets are what is asked of the pipeline without a language model. A target
// of which there are no texts is left out.
func (r *Report) targets() []target {
	var found []target
	add := func(of map[string]*Tally, key, name string, atMost bool, limit float64, count func(Tally) int) {
		if t := of[key]; t != nil {
			found = append(found, target{name, percent(count(*t), t.All), atMost, limit})
		}
	}
	add(r.labels, "ok", "clean texts blocked, at most 0.5 %", true, 0.5, func(t Tally) int { return t.Blocked })
	add(r.labels, "ok", "clean texts held, at most 5 %", true, 5, func(t Tally) int { return t.Held })
	add(r.subsets, names, "names with a bad word inside held, at most 1 %", true, 1, Tally.Caught)
	add(r.labels, "spam", "spam caught, at least 70 %", false, 70, Tally.Caught)
	add(r.labels, "abuse", "abuse caught, at least 45 %", false, 45, Tally.Caught)
	if still, clear := r.disguise(); clear > 0 {
		found = append(found, target{"disguised words caught of those caught in clear, >= 90 %", percent(still, clear), false, 90})
	}
	return found
}

// disguise counts the texts that are caught in clear, and how many of those are
// still caught with their words disguised.
func (r *Report) disguise() (still, clear int) {
	for _, l := range r.disguised {
		if !r.caught[l.Of] {
			continue
		}
		clear++
		if r.caught[l.ID] {
			still++
		}
	}
	return still, clear
}
