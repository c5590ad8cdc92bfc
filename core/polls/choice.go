package polls

import (
	"encoding/json"

	"homeplace/core"
)

// choice is a decision on its way in.
type choice struct {
	action core.Action
	reason string
}

// check cleans the reason, which a rejection needs, and tells what cannot be
// decided about a thing that waits, that can be restored, or neither.
func (d *choice) check(what, status string, waits, restorable bool) error {
	least := 0
	switch d.action {
	case core.ActionApprove, core.ActionReject, core.ActionAbusive:
		if !waits {
			return errDecided(what, status)
		}
		if d.action == core.ActionReject {
			least = 1
		}
	case core.ActionRestore:
		if waits {
			return core.InvalidField("action", "must be approve, reject or abusive while the %s waits", what)
		}
		if !restorable {
			return errDecided(what, status)
		}
	default:
		return core.InvalidField("action", "must be approve, reject, abusive or restore")
	}
	var p core.Problems
	p.Text("reason", &d.reason, least, MaxReason)
	if d.action == core.ActionAbusive && d.reason == "" {
		d.reason = spamReason
	}
	return p.Err()
}

// memo is what undoes a decision: how it was, and how the decision left it.
type memo struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// actionsFor are what staff may decide about a thing that is not theirs.
func actionsFor(waits, restorable bool) []core.Action {
	switch {
	case waits:
		return []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	case restorable:
		return []core.Action{core.ActionRestore}
	}
	return nil
}
