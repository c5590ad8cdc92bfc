package apps

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestWhoSeesAnApp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	id := w.pendingApp(t, ada, "map").ID
	w.upload(t, ada, "map", "a.json", `[1]`)
	sees := func(v core.Viewer) bool {
		t.Helper()
		_, err := w.Get(t.Context(), v, "map")
		_, data := w.VersionData(t.Context(), v, "map", "a.json", 0)
		_, files := w.Files(t.Context(), v, "map", FileFilter{})
		_, file := w.File(t.Context(), v, "map", "a.json")
		_, versions := w.Versions(t.Context(), v, "map", "a.json", core.Page{})
		for _, other := range []error{data, files, file, versions} {
			if (err == nil) != (other == nil) || other != nil && core.KindOf(other) != core.NotFound {
				t.Errorf("%s: %v, but %v", v.Username, err, other)
			}
		}
		return err == nil
	}
	check := func(state string, public bool) {
		t.Helper()
		list, err := w.List(t.Context(), Filter{Query: "MA"})
		own, err2 := w.OfOwner(t.Context(), ada.ID)
		if err != nil || err2 != nil || (list.Total == 1) != public || (len(list.Items) == 1) != public || (len(own) == 1) != public {
			t.Errorf("%s: listed %d, %d of the owner, %v, %v", state, list.Total, len(own), err, err2)
		}
		if got := w.data(t, "map", "a.json") != ""; got != public || sees(core.Nobody()) != public || sees(ben) != public || !sees(ada) || !sees(mod) {
			t.Errorf("%s: public %t", state, got)
		}
		_, err = w.Submit(t.Context(), ben, "map", SubmitInput{Filename: "a.json", Content: json.RawMessage(`[]`)})
		_, staff := w.Submit(t.Context(), mod, "map", SubmitInput{Filename: "a.json", Content: json.RawMessage(`[]`)})
		if (err == nil) != public || (staff == nil) != public {
			t.Errorf("%s: a submission gives %v, and by staff %v", state, err, staff)
		}
	}
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check("pending", false)
	_, err := decideAt(t, w.database.DB, w.Desk(), ada, id, core.ActionApprove, "")
	wantError(t, "publishing one's own", err, core.Forbidden, "not_allowed")
	_, err = decideAt(t, w.database.DB, w.Desk(), mod, id, core.ActionReject, " ")
	wantError(t, "a refusal without a reason", err, core.Invalid, "validation_failed")
	w.decided(t, mod, id, core.ActionReject, "Too thin")
	check("refused", false)
	if got := w.queue(t); got != "" {
		t.Errorf("%q waits", got)
	}
	name := "Map of it all"
	a, err := w.Update(t.Context(), ada, "map", Patch{Name: &name})
	if err != nil || a.Status != Pending || a.Name != name || a.Reason != "" {
		t.Errorf("changed %+v, %v", a, err)
	}
	if got := w.queue(t); got != name || !CanModerate(mod, a.Summary) {
		t.Errorf("%q waits", got)
	}
	w.decided(t, mod, id, core.ActionApprove, "")
	check("published", true)
	_, err = decideAt(t, w.database.DB, w.Desk(), mod, id, core.ActionApprove, "")
	wantError(t, "publishing it again", err, core.Conflict, "already_decided")
	must(w.SetAPI(t.Context(), ada, "map", false))
	check("switched off", false)
	must(w.SetAPI(t.Context(), ada, "map", true))
	must(nil, w.Hide(t.Context(), mod, "map"))
	check("hidden", false)
	wantError(t, "showing one's own", w.Unhide(t.Context(), ada, "map"), core.Forbidden, "not_allowed")
	must(nil, w.Unhide(t.Context(), mod, "map"))
	check("shown", true)
	for _, v := range []core.Viewer{ben, mod} {
		_, err := w.Update(t.Context(), v, "map", Patch{Name: &name})
		wantError(t, "a change by "+v.Username, err, core.Forbidden, "not_allowed")
		wantError(t, "a removal by "+v.Username, w.Delete(t.Context(), v, "map"), core.Forbidden, "not_allowed")
		_, err = w.Submissions(t.Context(), v, "map", SubmissionFilter{})
		wantError(t, "a look at the queue by "+v.Username, err, core.Forbidden, "not_allowed")
	}
	if owns, err := w.OwnsAny(t.Context(), ada); err != nil || !owns {
		t.Errorf("the owner owns: %t, %v", owns, err)
	}
	if owns, err := w.OwnsAny(t.Context(), ben); err != nil || owns {
		t.Errorf("another owns: %t, %v", owns, err)
	}
	must(nil, w.Delete(t.Context(), ada, "map"))
	if sees(ada) {
		t.Error("it is still there")
	}
}

func TestStaffAndTheirOwnApps(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod, other := w.moderator(t, "mod"), w.moderator(t, "other")
	id := w.pendingApp(t, mod, "map").ID
	_, err := decideAt(t, w.database.DB, w.Desk(), mod, id, core.ActionApprove, "")
	wantError(t, "a moderator publishing their own", err, core.Forbidden, "not_allowed")
	w.decided(t, other, id, core.ActionApprove, "")
	w.upload(t, mod, "map", "a.json", `[]`)
	for what, sql := range map[string]string{
		"publish": `update apps set status = 'pending' where slug = 'map'`, "hide": `update apps set hidden_at = now() where slug = 'map'`,
	} {
		if _, err := w.database.Exec(t, mod, sql); !pg.Denied(err) {
			t.Errorf("a moderator can %s their own: %v", what, err)
		}
	}
	if _, err := w.database.Exec(t, other, `update apps set name = 'Mine' where slug = 'map'`); !pg.Denied(err) {
		t.Errorf("a moderator can change another's: %v", err)
	}
	if _, err := w.database.Exec(t, other, `update apps set owner_id = $1 where slug = 'map'`, other.ID); !pg.Denied(err) {
		t.Errorf("a moderator can take an app: %v", err)
	}
	// An app that nobody owns is kept by staff.
	if _, err := w.database.Exec(t, core.TheSystem(), `update apps set owner_id = null`); err != nil {
		t.Fatal(err)
	}
	w.upload(t, other, "map", "b.json", `[]`)
	sent := w.submit(t, w.member(t, "ben"), "map", "c.json", `[]`)
	if _, err := w.Approve(t.Context(), mod, sent.ID, ApproveInput{}); err != nil {
		t.Errorf("deciding for nobody's app: %v", err)
	}
}

// What the database itself refuses, whatever a query forgets.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, cy, mod := w.member(t, "ada"), w.member(t, "ben"), w.member(t, "cy"), w.moderator(t, "mod")
	w.app(t, ada, "map")
	w.pendingApp(t, ada, "draft")
	w.upload(t, ada, "map", "a.json", `[1]`)
	w.upload(t, ada, "draft", "b.json", `[2]`)
	sent := w.submit(t, ben, "map", "a.json", `[3]`)
	if err := w.SetSchema(t.Context(), ada, "draft", "b.json", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	type seen struct{ apps, files, versions, schemas, submissions int }
	for name, tt := range map[string]struct {
		viewer core.Viewer
		want   seen
	}{
		"the owner": {ada, seen{2, 2, 2, 1, 1}}, "the sender": {ben, seen{1, 1, 1, 0, 1}}, "another member": {cy, seen{1, 1, 1, 0, 0}},
		"a moderator": {mod, seen{2, 2, 2, 1, 0}}, "the system": {core.TheSystem(), seen{2, 2, 2, 1, 1}},
	} {
		count := func(table string) int {
			return pgtest.Value[int](t, w.database, tt.viewer, `select count(*) from `+table)
		}
		if got := (seen{count("apps"), count("app_files"), count("app_file_versions"), count("app_schemas"), count("app_submissions")}); got != tt.want {
			t.Errorf("%s sees %+v, want %+v", name, got, tt.want)
		}
	}
	var versions int
	if err := w.database.Public().QueryRow(t.Context(), `select count(*) from app_file_versions`).Scan(&versions); err != nil || versions != 1 {
		t.Errorf("the public sees %d versions, %v", versions, err)
	}
	if err := w.database.Public().QueryRow(t.Context(), `select count(*) from app_submissions`).Scan(&versions); !pg.Denied(err) {
		t.Errorf("the public sees submissions: %v", err)
	}

	// changes tells what a statement did: refused or no row is the same here.
	changes := func(v core.Viewer, sql string, args ...any) bool {
		t.Helper()
		n, err := w.database.Exec(t, v, sql, args...)
		if err != nil && !pg.Denied(err) {
			t.Errorf("%q as %s: %v", sql, v.Username, err)
		}
		return err == nil && n > 0
	}
	const decide = `update app_submissions set status = 'approved', decided_at = now(), decided_by = $1 where id = $2`
	const insertFile = `insert into app_files (id, app_id, filename, version, size_bytes, sha256) select gen_random_uuid(), id, 'x.json', 1, 2, sha256('') from apps where slug = 'map'`
	const insertVersion = `insert into app_file_versions (id, file_id, number, content, size_bytes, sha256, source, author_id)
		select gen_random_uuid(), id, 9, '[]', 2, sha256('[]'), 'upload', $1 from app_files where filename = 'a.json'`
	for _, v := range []core.Viewer{ben, cy, mod} {
		for what, done := range map[string]bool{
			"decide":         changes(v, decide, v.ID, sent.ID),
			"reject":         changes(v, `update app_submissions set status = 'rejected', decided_at = now(), decided_by = $1`, v.ID),
			"add a file":     changes(v, insertFile),
			"add a version":  changes(v, insertVersion, v.ID),
			"change a file":  changes(v, `update app_files set version = 7`),
			"remove a file":  changes(v, `delete from app_files`),
			"forget":         changes(v, `delete from app_file_versions`),
			"remove an app":  changes(v, `delete from apps`),
			"rename an app":  changes(v, `update apps set name = 'Mine'`),
			"take an app":    changes(v, `update apps set owner_id = $1`, v.ID),
			"set a schema":   changes(v, `update app_schemas set content = '[]'`),
			"add a schema":   changes(v, `insert into app_schemas (app_id, filename, content) select id, 'y.json', '{}' from apps where slug = 'map'`),
			"remove schemas": changes(v, `delete from app_schemas`),
			"send as another": changes(v, `insert into app_submissions (id, app_id, filename, content, size_bytes, sha256, account_id, base_version)
				select gen_random_uuid(), id, 'z.json', '[]', 2, sha256(''), $1, 0 from apps where slug = 'map'`, ada.ID),
			"offer as another": changes(v, `insert into apps (id, slug, name, name_key, owner_id) values (gen_random_uuid(), 'xx', 'X', 'x', $1)`, ada.ID),
		} {
			if done {
				t.Errorf("%s can %s", v.Username, what)
			}
		}
	}
	for what, done := range map[string]bool{
		"publish":               changes(ada, `update apps set status = 'published' where slug = 'draft'`),
		"show":                  changes(ada, `update apps set hidden_at = null`),
		"give away":             changes(ada, `update apps set owner_id = $1`, ben.ID),
		"offer what is public":  changes(ada, `insert into apps (id, slug, name, name_key, owner_id, status) values (gen_random_uuid(), 'yy', 'Y', 'y', $1, 'published')`, ada.ID),
		"rewrite a version":     changes(ada, `update app_file_versions set content = '[9]'`),
		"rewrite a submission":  changes(ada, `update app_submissions set content = '[9]'`),
		"speak for the sender":  changes(ada, insertVersion, ben.ID),
		"decide for another":    changes(ada, decide, ben.ID, sent.ID),
		"withdraw another's":    changes(ada, `update app_submissions set status = 'withdrawn'`),
		"remove the submission": changes(ada, `delete from app_submissions`),
	} {
		if done {
			t.Errorf("the owner can %s", what)
		}
	}
	if changes(mod, `update apps set status = 'refused', reason = 'x' where slug = 'map'`) != true {
		t.Error("a moderator cannot refuse")
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	instances := []*Service{w.Service, w.second(t)}
	// burst does the same 28 times at once and counts what went well.
	burst := func(what, code string, do func(s *Service, i int) error) (done int) {
		t.Helper()
		var group sync.WaitGroup
		errs := make([]error, 28)
		for i := range errs {
			group.Go(func() { errs[i] = do(instances[i%2], i) })
		}
		group.Wait()
		for _, err := range errs {
			var known *core.Error
			switch {
			case err == nil:
				done++
			case !errors.As(err, &known) || known.Code != code:
				t.Errorf("%s: %v", what, err)
			}
		}
		return done
	}
	submit := func(s *Service, v core.Viewer, i int) error {
		_, err := s.Submit(t.Context(), v, "map", SubmitInput{Filename: fmt.Sprintf("f%d.json", i), Content: json.RawMessage(`[]`)})
		return err
	}
	if done := burst("submissions", "too_many_pending", func(s *Service, i int) error { return submit(s, ben, i) }); done != MaxPendingOfMember {
		t.Errorf("%d submissions wait, want %d", done, MaxPendingOfMember)
	}
	if done := burst("apps", "too_many_apps", func(s *Service, i int) error {
		_, err := s.Create(t.Context(), ben, Input{Name: "The same"})
		return err
	}); done != MaxApps {
		t.Errorf("%d apps, want %d", done, MaxApps)
	}
	if got := w.count(t, `select count(distinct slug) from apps where slug ~ '^the-same(-[0-9]+)?$'`); got != MaxApps {
		t.Errorf("%d slugs", got)
	}
	// 20 wait already; nearly 500 of as many others join them.
	if _, err := w.database.Exec(t, core.TheSystem(), `
		insert into app_submissions (id, app_id, filename, content, size_bytes, sha256, base_version)
		select gen_random_uuid(), id, 'x.json', '[]', 2, sha256('[]'), 0 from apps, generate_series(1, $1) where slug = 'map'`, MaxPendingOfApp-25); err != nil {
		t.Fatal(err)
	}
	others := []core.Viewer{w.member(t, "cy"), w.member(t, "di")}
	if done := burst("a full queue", "queue_full", func(s *Service, i int) error { return submit(s, others[i%2], i) }); done != 5 {
		t.Errorf("%d more fit, want 5", done)
	}
	list, err := w.Submissions(t.Context(), ada, "map", SubmissionFilter{Page: core.Page{Limit: 5}})
	if err != nil || list.Total != MaxPendingOfApp || list.Counts[Waiting] != MaxPendingOfApp || len(list.Items) != 5 || *list.Items[0].Username != "ben" {
		t.Errorf("queue of %d, %v", list.Total, err)
	}
}
