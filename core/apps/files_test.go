package apps

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/settings"
)

// odd is JSON that no program would write again as it is.
const odd = "{ \"b\" : 1.0,\r\n\t\"a\":[ 1e2 ,-0, 12345678901234567890 ],\"a\":\"\\u00e9\\/é\" , \"\" : null}\n\n"

func TestByteForByte(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	if w.upload(t, ada, "map", "up.json", odd); w.data(t, "map", "up.json") != odd {
		t.Errorf("uploaded %q", w.data(t, "map", "up.json"))
	}
	asText, err := json.Marshal(odd)
	if err != nil {
		t.Fatal(err)
	}
	object := strings.TrimSpace(odd)
	for name, tt := range map[string]struct{ sent, want string }{"text.json": {string(asText), odd}, "object.json": {object, object}} {
		sent := w.submit(t, ben, "map", name, tt.sent)
		if _, err := w.Approve(t.Context(), ada, sent.ID, ApproveInput{}); err != nil {
			t.Fatal(err)
		}
		if got := w.data(t, "map", name); got != tt.want {
			t.Errorf("%s is %q, want %q", name, got, tt.want)
		}
		if full, err := w.Submission(t.Context(), ben, sent.ID); err != nil || string(full.Content) != tt.want {
			t.Errorf("the submission holds %q, %v", full.Content, err)
		}
	}
	d, err := w.Data(t.Context(), "map", "up.json", 0)
	if err != nil || d.SHA256 != "0eeace713d453a6e357dd8840a4fdf873e5ea458f769fc0ac608bedb83111881" || d.Version != 1 || !d.Current {
		t.Errorf("data %+v, %v", d, err)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.app(t, ada, "map")
	for n := range 3 {
		w.upload(t, ada, "map", "a.json", fmt.Sprintf("[%d]", n+1))
	}
	before, err := w.Get(t.Context(), core.Nobody(), "map")
	if err != nil {
		t.Fatal(err)
	}
	same, err := w.Upload(t.Context(), ada, "map", UploadInput{Filename: "a.json", Content: []byte("[3]")})
	if after, _ := w.Get(t.Context(), core.Nobody(), "map"); err != nil || !same.Unchanged || same.File.Version != 3 || !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("the same bytes: %+v, %v", same, err)
	}
	restored, err := w.Restore(t.Context(), ada, "map", "a.json", 1)
	if err != nil || restored.File.Version != 4 || w.data(t, "map", "a.json") != "[1]" {
		t.Errorf("restored %+v, %v", restored, err)
	}
	list, err := w.Versions(t.Context(), core.Nobody(), "map", "a.json", core.Page{Limit: 2})
	if err != nil || list.Total != 4 || len(list.Items) != 2 || list.Items[0].Source != FromRestore || list.Items[0].Message != "Restored from version 1" || list.Items[1].Number != 3 {
		t.Errorf("history %+v, %v", list, err)
	}
	if d, err := w.Data(t.Context(), "map", "a.json", 2); err != nil || string(d.Content) != "[2]" || d.Current {
		t.Errorf("version 2: %+v, %v", d, err)
	}
	for _, version := range []int{5, -1, 1 << 40} {
		_, err := w.Data(t.Context(), "map", "a.json", version)
		wantError(t, "a version that never was", err, core.NotFound, "not_found")
	}
	_, err = w.Restore(t.Context(), ada, "map", "a.json", 9)
	wantError(t, "restoring what never was", err, core.NotFound, "not_found")
	if err := w.RemoveFile(t.Context(), ada, "map", "a.json"); err != nil || w.data(t, "map", "a.json") != "" || w.count(t, `select count(*) from app_file_versions`) != 0 {
		t.Errorf("removed: %v", err)
	}
	wantError(t, "removing it again", w.RemoveFile(t.Context(), ada, "map", "a.json"), core.NotFound, "not_found")
}

// Concurrent uploads on two instances number the versions without a gap.
func TestConcurrentUploads(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.app(t, ada, "map")
	instances := []*Service{w.Service, w.second(t)}
	const uploads = MaxVersions + 12
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for n := worker; n < uploads; n += 8 {
				if _, err := instances[n%2].Upload(t.Context(), ada, "map", UploadInput{Filename: "a.json", Content: fmt.Appendf(nil, "[%d]", n)}); err != nil {
					t.Errorf("upload %d: %v", n, err)
				}
			}
		})
	}
	group.Wait()
	if got := w.count(t, `select version from app_files`); got != uploads {
		t.Errorf("the current version is %d, want %d", got, uploads)
	}
	if got := w.count(t, `select count(*) from app_file_versions where number > 12`); got != MaxVersions || w.count(t, `select count(*) from app_file_versions`) != MaxVersions {
		t.Errorf("%d of the latest %d are kept", got, MaxVersions)
	}
	list, err := w.Versions(t.Context(), ada, "map", "a.json", core.Page{Limit: 100})
	if err != nil || list.Total != MaxVersions || len(list.Items) != MaxVersions || list.Items[99].Number != 13 {
		t.Errorf("history of %d, %v", list.Total, err)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.app(t, ada, "map")
	for i, name := range []string{"beta.json", "Alpha.json", "9lives.json", "alpha-2.json", "_"} {
		if ValidFilename(name) {
			w.upload(t, ada, "map", name, "["+strings.Repeat(" ", 10-i)+"]")
		}
	}
	names := func(f FileFilter) string {
		t.Helper()
		list, err := w.Files(t.Context(), core.Nobody(), "map", f)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, file := range list.Items {
			words = append(words, strings.TrimSuffix(file.Filename, ".json"))
		}
		return fmt.Sprintf("%d: %s", list.Total, strings.Join(words, " "))
	}
	for _, tt := range []struct {
		filter FileFilter
		want   string
	}{
		{FileFilter{}, "4: 9lives alpha-2 Alpha beta"},
		{FileFilter{Dir: Descending}, "4: beta Alpha alpha-2 9lives"},
		{FileFilter{Sort: SortSize}, "4: alpha-2 9lives Alpha beta"},
		{FileFilter{Sort: SortUpdated, Dir: Descending}, "4: alpha-2 9lives Alpha beta"},
		{FileFilter{Query: "ALPHA"}, "2: alpha-2 Alpha"},
		{FileFilter{Letter: "A"}, "2: alpha-2 Alpha"},
		{FileFilter{Letter: "#"}, "1: 9lives"},
		{FileFilter{Query: "%"}, "0: "},
		{FileFilter{Page: core.Page{Limit: 2, Offset: 1}}, "4: alpha-2 Alpha"},
	} {
		if got := names(tt.filter); got != tt.want {
			t.Errorf("%+v gives %s, want %s", tt.filter, got, tt.want)
		}
	}
	for _, wrong := range []FileFilter{{Letter: "ab"}, {Letter: "é"}, {Sort: "date"}, {Dir: "up"}} {
		_, err := w.Files(t.Context(), core.Nobody(), "map", wrong)
		wantError(t, fmt.Sprintf("%+v", wrong), err, core.Invalid, "validation_failed")
	}
	_, err := w.Files(t.Context(), core.Nobody(), "none", FileFilter{})
	wantError(t, "files of no app", err, core.NotFound, "not_found")
}

func TestUploadRefused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.app(t, ada, "map")
	for name, ok := range map[string]bool{
		"a.json": true, "A1._-.json": true, strings.Repeat("a", 115) + ".json": true, strings.Repeat("a", 116) + ".json": false,
		".json": false, "-a.json": false, "a.JSON": false, "a.txt": false, "ä.json": false, "a b.json": false, "a/b.json": false, "a.json\n": false, "": false,
	} {
		if got := ValidFilename(name); got != ok {
			t.Errorf("%q is a filename: %t", name, got)
		}
	}
	_, err := w.Upload(t.Context(), ada, "map", UploadInput{Filename: "a.txt", Content: []byte("[1"), Message: strings.Repeat("x", 501)})
	if f := core.AsError(err).Fields; f["filename"] == "" || f["content"] == "" || f["message"] == "" {
		t.Errorf("what is wrong: %v", f)
	}
	for name, v := range map[string]core.Viewer{"another member": w.member(t, "ben"), "a moderator": w.moderator(t, "mod")} {
		_, err := w.Upload(t.Context(), v, "map", UploadInput{Filename: "a.json", Content: []byte("[]")})
		wantError(t, "an upload by "+name, err, core.Forbidden, "not_allowed")
	}
	_, err = w.Upload(t.Context(), core.Nobody(), "map", UploadInput{Filename: "a.json", Content: []byte("[]")})
	wantError(t, "nobody's upload", err, core.Unauthenticated, "unauthenticated")
	if err := w.settings.Set(t.Context(), core.TheSystem(), "app_files_max", "2"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = w.Upload(t.Context(), ada, "map", UploadInput{Filename: fmt.Sprintf("f%d.json", i), Content: []byte("[]")})
		})
	}
	group.Wait()
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	for _, err := range errs {
		wantError(t, "a file too many", err, core.Conflict, "too_many_files")
	}
	if len(errs) != 6 || w.settings.Number(settings.AppFilesMax) != 2 {
		t.Errorf("%d of 8 files were refused, want 6", len(errs))
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.app(t, ada, "map")
	early := w.submit(t, ben, "map", "a.json", `{"n":"x"}`)
	wantError(t, "a bad schema", w.SetSchema(t.Context(), ada, "map", "a.json", []byte(`{"type":"thing"}`)), core.Invalid, "validation_failed")
	wantError(t, "a large schema", w.SetSchema(t.Context(), ada, "map", "a.json", []byte("{"+strings.Repeat(" ", MaxSchema)+"}")), core.Invalid, "validation_failed")
	wantError(t, "another's schema", w.SetSchema(t.Context(), ben, "map", "a.json", []byte(`{}`)), core.Forbidden, "not_allowed")
	const text = `{"type":"object", "required":["n"], "properties":{"n":{"type":"integer"}, "list":{"items":{"type":"string"}}}}`
	if err := w.SetSchema(t.Context(), ada, "map", "a.json", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Schema(t.Context(), core.Nobody(), "map", "a.json"); err != nil || string(got.Content) != text {
		t.Errorf("stored %s, %v", got.Content, err)
	}
	_, err := w.Submit(t.Context(), ben, "map", SubmitInput{Filename: "a.json", Content: json.RawMessage(`{"list":["a",2]}`)})
	wantError(t, "what does not fit", err, core.Invalid, "validation_failed")
	if f := core.AsError(err).Fields; f["content.n"] != "is missing" || f["content.list[1]"] != "must be a string, not a number" || f["content"] == "" {
		t.Errorf("fields %v", f)
	}
	_, err = w.Upload(t.Context(), ada, "map", UploadInput{Filename: "a.json", Content: []byte(`[]`)})
	wantError(t, "an upload that does not fit", err, core.Invalid, "validation_failed")
	_, err = w.Approve(t.Context(), ada, early.ID, ApproveInput{})
	wantError(t, "an approval of what no longer fits", err, core.Invalid, "validation_failed")
	w.upload(t, ada, "map", "a.json", `{"n":1}`)
	w.upload(t, ada, "map", "other.json", `[]`)
	if f, err := w.File(t.Context(), ben, "map", "a.json"); err != nil || !f.HasSchema {
		t.Errorf("file %+v, %v", f, err)
	}
	if err := w.RemoveSchema(t.Context(), ada, "map", "a.json"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "removing it again", w.RemoveSchema(t.Context(), ada, "map", "a.json"), core.NotFound, "not_found")
	w.upload(t, ada, "map", "a.json", `[]`)
}
