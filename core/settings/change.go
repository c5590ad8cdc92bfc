package settings

import (
	"context"
	"fmt"
	"strconv"

	"homeplace/core"
	"homeplace/core/pg"
)

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// WithAudit makes the service write every change down; it is called before first
// use, and returns the service itself.
func (s *Service) WithAudit(a auditor) *Service {
	s.audit = a
	return s
}

// Edit is what a form says of one setting.
type Edit struct {
	Key   string
	Value string // as it was written; empty takes a text or a secret away
	State string // the Row's that the form showed; who did not touch a field overwrites nobody
}

// Change stores what differs of several settings, all or nothing, and returns
// how many changed. For the system and administrators. Errors: Invalid at the
// keys; Conflict with setting_changed where somebody else has changed one of
// them since the form was shown, at the keys too; NotFound.
func (s *Service) Change(ctx context.Context, v core.Viewer, edits []Edit) (changed int, err error) {
	if err := mayManage(v); err != nil {
		return 0, err
	}
	written := map[*definition]Edit{}
	var p core.Problems
	for _, e := range edits {
		d, err := s.find(e.Key)
		if err != nil {
			return 0, err
		}
		untouched := func() bool { return d.kind != KindSecret && e.Value == e.State }
		if untouched() {
			continue
		}
		if _, e.Value, err = d.parse(e.Value); err != nil {
			p.Add(e.Key, "%s", core.AsError(err).Fields["value"])
		}
		if !untouched() {
			written[d] = e
		}
	}
	if err := p.Err(); err != nil {
		return 0, err
	}
	err = s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) (err error) {
		changed, err = s.change(ctx, tx, v, written)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("change settings: %w", err)
	}
	return changed, s.Load(ctx)
}

func (s *Service) change(ctx context.Context, tx *pg.Tx, v core.Viewer, written map[*definition]Edit) (changed int, err error) {
	stored, err := lockSettings(ctx, tx)
	if err != nil {
		return 0, err
	}
	late := map[string]string{}
	for d, e := range written {
		switch now := d.row(stored); {
		case e.State == now.State || d.kind != KindSecret && e.Value == now.Value:
		case d.kind == KindSecret:
			late[d.key] = "was changed by somebody else in the meantime; send it again to replace theirs"
		default:
			late[d.key] = fmt.Sprintf("was changed by somebody else in the meantime and is now %q; send it again to replace theirs", now.Value)
		}
	}
	if len(late) > 0 {
		conflict := core.Conflictf("setting_changed", "Somebody else has changed this in the meantime. Nothing of yours is stored yet.")
		conflict.Fields = late
		return 0, conflict
	}
	for _, d := range s.table { // in one order, so that the log reads like the form
		e, ok := written[d]
		if !ok || e.Value == d.now(stored) {
			continue
		}
		if err := s.store(ctx, tx, v, d, stored, e.Value); err != nil {
			return 0, err
		}
		changed++
	}
	return changed, nil
}

// store writes a value down, and that it was changed; of a secret not which.
func (s *Service) store(ctx context.Context, tx *pg.Tx, v core.Viewer, d *definition, stored map[string]storedSetting, written string) error {
	before := d.now(stored)
	if written == before {
		return nil
	}
	tx.Touch(Area)
	var err error
	if written == d.preset {
		err = deleteSetting(ctx, tx, d.key)
	} else {
		err = upsertSetting(ctx, tx, d.key, written, v.ID)
	}
	if err != nil || s.audit == nil {
		return err
	}
	return s.audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "setting_changed", About: core.Target{Type: "setting", ID: d.key},
		Title: d.key, Reason: d.told(before, written)})
}

// now is the value in clear.
func (d *definition) now(stored map[string]storedSetting) string {
	if row, ok := stored[d.key]; ok {
		return row.Value
	}
	return d.preset
}

// state is the value itself; of a secret, when it was set.
func (d *definition) state(stored map[string]storedSetting) string {
	row, ok := stored[d.key]
	switch {
	case d.kind != KindSecret:
		return d.now(stored)
	case !ok:
		return ""
	}
	return strconv.FormatInt(row.UpdatedAt.UnixMicro(), 36)
}

// told is what the log says of a change.
func (d *definition) told(before, after string) string {
	switch {
	case d.kind != KindSecret:
		return strconv.Quote(cut(before)) + " → " + strconv.Quote(cut(after))
	case after == "":
		return "taken away"
	case before == "":
		return "set"
	}
	return "replaced"
}

// most is how much of a value the log has room for, in Unicode characters.
const most = 200

func cut(value string) string {
	if letters := []rune(value); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return value
}
