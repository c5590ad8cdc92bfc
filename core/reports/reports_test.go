package reports

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestThirdReportHides(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "cam", "dan")
	id := w.entry(t, "oven", core.Nobody())
	w.send(t, m[0], id)
	if out := w.send(t, m[0], strings.ToUpper(id)); !out.Duplicate {
		t.Errorf("the same reporter again gives %+v", out)
	}
	if out := w.send(t, m[1], id); out.Duplicate || out.Status != Open {
		t.Errorf("the second reporter gets %+v", out)
	}
	w.wantHidden(t, "two reporters, three reports", id, false)
	w.send(t, m[2], id)
	w.wantHidden(t, "three reporters", id, true)
	if out := w.send(t, m[2], id); !out.Duplicate {
		t.Errorf("a reporter of what is hidden gets %+v", out)
	}
	_, err := w.Send(t.Context(), m[3], about(id))
	wantCode(t, "reporting what is hidden", err, "not_found")
	kinds := pgtest.Value[string](t, w.database, core.TheSystem(), `select string_agg(kind, ' ') from audit_log where account_id is null`)
	if kinds != "hidden_by_reports" {
		t.Errorf("the log holds %s", kinds)
	}
}

func TestWithdrawnAndDismissedDoNotCount(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "cam", "dan", "eve")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", core.Nobody())
	w.send(t, m[0], id)
	w.send(t, m[1], id)
	mine, err := w.Mine(t.Context(), m[1], core.Page{})
	if err != nil || mine.Total != 1 || mine.Items[0].Title != "oven" || mine.Items[0].Detail != "It moved." {
		t.Fatalf("what ben sent is %+v, %v", mine, err)
	}
	wantCode(t, "another's", w.Withdraw(t.Context(), m[0], mine.Items[0].ID), "not_found")
	wantCode(t, "a moderator, another's", w.Withdraw(t.Context(), mod, mine.Items[0].ID), "not_found")
	wantCode(t, "withdrawing", w.Withdraw(t.Context(), m[1], mine.Items[0].ID), "")
	wantCode(t, "withdrawing again", w.Withdraw(t.Context(), m[1], mine.Items[0].ID), "already_decided")
	w.send(t, m[2], id)
	w.wantHidden(t, "two open, one withdrawn", id, false)
	w.decided(t, mod, id, core.ActionKeep, "It is right.")
	if out := w.send(t, m[0], id); !out.Duplicate {
		t.Errorf("who was heard reports the same thing again: %+v", out)
	}
	for _, v := range []core.Viewer{m[1], m[3], m[4]} {
		w.send(t, v, id)
	}
	w.wantHidden(t, "three more reports of what was kept", id, false)
	w.edit(t, id)
	if out := w.send(t, m[0], id); out.Duplicate {
		t.Error("an edited thing cannot be reported again")
	}
	w.wantHidden(t, "a report after an edit", id, true)
}

func TestKeepHideRestore(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "cam")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", core.Nobody())
	for _, v := range m {
		w.send(t, v, id)
	}
	hiddenBy := func() string {
		t.Helper()
		return pgtest.Value[string](t, w.database, core.TheSystem(), `select coalesce(hidden_by, '') from report_cases`)
	}
	if w.queue(t) != "oven" || hiddenBy() != "reports" {
		t.Fatalf("%q waits, hidden by %q", w.queue(t), hiddenBy())
	}
	if c := w.laidOut(t, mod, id); len(c.Remarks) != 3 || c.State != "hidden" || c.Remarks[0].By != "cam" {
		t.Fatalf("the case is %+v", c)
	}
	refused := func(what string, action core.Action, code string) {
		t.Helper()
		_, err := decideAt(t, w.database.DB, w.Desk(), mod, id, action, "No.")
		wantCode(t, what, err, code)
	}
	kept := w.decided(t, mod, id, core.ActionKeep, "It is right.")
	w.wantHidden(t, "kept", id, false)
	refused("hiding what is decided", core.ActionHide, "already_decided")
	refused("restoring what is shown", core.ActionRestore, "already_decided")
	if mine, err := w.Mine(t.Context(), m[0], core.Page{}); err != nil || mine.Items[0].Status != Dismissed || mine.Items[0].Reason != "It is right." {
		t.Errorf("ann reads %+v, %v", mine, err)
	}
	w.edit(t, id)
	w.send(t, m[0], id)
	hidden := w.decided(t, mod, id, core.ActionHide, "It is spam.")
	w.wantHidden(t, "hidden by a moderator", id, true)
	if hiddenBy() != "moderator" {
		t.Errorf("it is hidden by %q", hiddenBy())
	}
	restored := w.decided(t, mod, id, core.ActionRestore, "It was edited.")
	w.wantHidden(t, "restored", id, false)
	if w.queue(t) != "" {
		t.Errorf("%q waits", w.queue(t))
	}
	if kinds := kept.Ruling.Kind + " " + hidden.Ruling.Kind + " " + restored.Ruling.Kind; kinds != "report_dismissed report_upheld restored_after_reports" {
		t.Errorf("the rulings are %s", kinds)
	}
	if kinds := pgtest.Value[string](t, w.database, core.TheSystem(), `select string_agg(kind, ' ' order by created_at) from audit_log`); kinds != "hidden_by_reports" {
		t.Errorf("the log holds %s", kinds)
	}
}

func TestWhatIsGone(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ann, mod := w.account(t, "ann", core.Member), w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", core.Nobody())
	w.send(t, ann, id)
	if _, err := w.database.Exec(t, core.TheSystem(), `delete from directory_entries where id = $1`, id); err != nil {
		t.Fatal(err)
	}
	if c := w.laidOut(t, mod, id); c.State != "gone" || c.Title != "oven" {
		t.Errorf("the case is %+v", c)
	}
	w.decided(t, mod, id, core.ActionHide, "It is gone.")
	_, err := decideAt(t, w.database.DB, w.Desk(), mod, id, core.ActionHide, "It is gone.")
	wantCode(t, "closing again", err, "already_decided")
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ann, owner := w.account(t, "ann", core.Member), w.account(t, "owner", core.Staff)
	id := w.entry(t, "oven", owner)
	w.send(t, ann, id)
	_, err := w.Send(t.Context(), owner, about(id))
	wantCode(t, "one's own", err, "not_allowed")
	for who, c := range map[string]struct {
		viewer               core.Viewer
		send, recent, decide string
	}{
		"nobody":          {core.Nobody(), "unauthenticated", "unauthenticated", "unauthenticated"},
		"the zero viewer": {core.Viewer{}, "unauthenticated", "unauthenticated", "unauthenticated"},
		"a member":        {ann, "", "not_allowed", "not_allowed"},
		"the owner":       {owner, "not_allowed", "", "not_allowed"},
	} {
		_, sent := w.Send(t.Context(), c.viewer, about(id))
		wantCode(t, who+" sends", sent, c.send)
		_, recent := w.Recent(t.Context(), c.viewer, 1)
		wantCode(t, who+" reads what was sent", recent, c.recent)
		for _, action := range []core.Action{core.ActionKeep, core.ActionHide} {
			_, decided := decideAt(t, w.database.DB, w.Desk(), c.viewer, id, action, "x")
			wantCode(t, who+": "+string(action), decided, c.decide)
		}
	}
}

func TestRefusedReports(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ann := w.account(t, "ann", core.Member)
	id := w.entry(t, "oven", core.Nobody())
	for what, c := range map[string]struct {
		change func(*Input)
		field  string
	}{
		"no type":        {func(in *Input) { in.Type = "" }, "target_type"},
		"another type":   {func(in *Input) { in.Type = "saying" }, "target_type"},
		"no id":          {func(in *Input) { in.TargetID = "" }, "target_id"},
		"no UUID":        {func(in *Input) { in.TargetID = "7" }, "target_id"},
		"no category":    {func(in *Input) { in.Category = "" }, "reason_category"},
		"another one":    {func(in *Input) { in.Category = "ugly" }, "reason_category"},
		"a long detail":  {func(in *Input) { in.Detail = strings.Repeat("é", 1001) }, "reason_detail"},
		"a bad one":      {func(in *Input) { in.Detail = "a\x00b" }, "reason_detail"},
		"a type to come": {func(in *Input) { in.Type = TypeJob }, ""},
		"nothing there":  {func(in *Input) { in.TargetID = pg.NewID() }, ""},
	} {
		in := about(id)
		c.change(&in)
		_, err := w.Send(t.Context(), ann, in)
		if c.field == "" {
			wantCode(t, what, err, "not_found")
		} else if core.KindOf(err) != core.Invalid || core.AsError(err).Fields[c.field] == "" {
			t.Errorf("%s gives %v, want a word at %s", what, err, c.field)
		}
	}
	in := about(id)
	in.Detail = strings.Repeat("é", 1000)
	if _, err := w.Send(t.Context(), ann, in); err != nil {
		t.Errorf("a thousand characters: %v", err)
	}
}

// Forty members report one thing at once, on two instances: it is hidden once,
// and by the third.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	instances := []*Service{w.Service, newService(w.database.Instance(t))}
	ids := []string{w.entry(t, "oven", core.Nobody()), w.entry(t, "mill", core.Nobody())}
	var members []core.Viewer
	for i := range 20 {
		members = append(members, w.account(t, fmt.Sprintf("m%02d", i), core.Member))
	}
	var stored, duplicates, late atomic.Int32
	var wg sync.WaitGroup
	for i := range 80 { // each member reports each thing twice
		wg.Go(func() {
			out, err := instances[i%2].Send(t.Context(), members[i/2%20], about(ids[i/40]))
			switch {
			case err == nil && out.Duplicate:
				duplicates.Add(1)
			case err == nil:
				stored.Add(1)
			case core.KindOf(err) == core.NotFound:
				late.Add(1)
			default:
				t.Errorf("member %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if stored.Load() != 6 || stored.Load()+duplicates.Load()+late.Load() != 80 {
		t.Errorf("%d reports were stored, %d were there, %d came late; want three of each thing", stored.Load(), duplicates.Load(), late.Load())
	}
	for _, id := range ids {
		w.wantHidden(t, "after twenty members", id, true)
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from audit_log where kind = 'hidden_by_reports'`); n != 2 {
		t.Errorf("%d were hidden, want 2", n)
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ann := w.account(t, "ann", core.Member)
	for i := range MaxOpen {
		w.send(t, ann, w.entry(t, fmt.Sprintf("place-%d", i), core.Nobody()))
	}
	_, err := w.Send(t.Context(), ann, about(w.entry(t, "one-more", core.Nobody())))
	wantCode(t, "one more", err, "too_many_open")
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "cam")
	id := w.entry(t, "oven", core.Nobody())
	w.send(t, m[0], id)
	w.send(t, m[1], id)
	leave := func(v core.Viewer, remove bool) {
		t.Helper()
		if err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, v.ID, remove) }); err != nil {
			t.Fatal(err)
		}
	}
	leave(m[0], false)
	w.send(t, m[2], id)
	w.wantHidden(t, "two members and a former one", id, false)
	leave(m[1], true)
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from reports`); n != 2 {
		t.Errorf("%d reports are left, want 2", n)
	}
}

// What the Go code never asks for, the database refuses all the same.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", core.Nobody())
	w.send(t, m[0], id)
	if n := pgtest.Value[int](t, w.database, m[1], `select count(id) from reports`) + pgtest.Value[int](t, w.database, m[1], `select count(title) from report_cases`); n != 0 {
		t.Errorf("ben sees %d rows of ann's", n)
	}
	if n, err := w.database.Exec(t, m[1], `update reports set status = 'withdrawn'`); n != 0 || err != nil {
		t.Errorf("ben withdraws %d of ann's, %v", n, err)
	}
	forged := `insert into reports (id, target_type, target_id, reporter_id, category, created_at) values (gen_random_uuid(), 'directory_entry', '` + id + `', '` + m[0].ID + `', 'spam', now())`
	for what, c := range map[string]struct {
		viewer core.Viewer
		sql    string
	}{
		"in ann's name":        {m[1], forged},
		"staff in ann's name":  {mod, forged},
		"deciding":             {m[0], `update reports set status = 'upheld'`},
		"reading who decided":  {m[0], `select decided_by from reports`},
		"nobody reads":         {core.Nobody(), `select id from reports`},
		"a case by hand":       {m[0], `update report_cases set hidden_by = null`},
		"in another's name":    {mod, `update reports set status = 'upheld', decided_at = now(), decided_by = '` + m[0].ID + `'`},
		"deleting, as staff":   {mod, `delete from reports`},
		"rewriting what it is": {mod, `update reports set detail = ''`},
	} {
		if _, err := w.database.Exec(t, c.viewer, c.sql); !pg.Denied(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
