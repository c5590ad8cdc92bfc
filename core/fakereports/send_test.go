package fakereports

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestReportsArriveJudged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	sent, err := w.Send(t.Context(), core.Nobody(), Input{Category: "impersonation", Description: "  Says to be the bakery.\r\nIt is not. ", Platform: " Facebook ",
		Handle: "@bakery", ContentURL: "HTTPS://Example.org/Bakery", SubmitterName: "Ida", SubmitterEmail: "ida@example.org", From: core.Origin{AddressKey: "192.0.2.7"}})
	if err != nil {
		t.Fatal(err)
	}
	want := Sent{Report: Report{ID: sent.ID, Category: "impersonation", Description: "Says to be the bakery.\nIt is not.", Platform: "Facebook", Handle: "@bakery",
		ContentURL: "https://Example.org/Bakery", Status: Pending, CreatedAt: time.Date(2026, 3, 1, 12, 0, 1, 0, time.UTC)}, SubmitterName: "Ida", SubmitterEmail: "ida@example.org"}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(core.Text{Scope: "fake_report", From: core.Origin{AddressKey: "192.0.2.7"}, About: core.Target{Type: "fake_report", ID: sent.ID},
		Body: "Says to be the bakery.\nIt is not.\nFacebook\n“@bakery”\n“https://Example.org/Bakery”\nIda"}, w.pipeline.seen[0]); diff != "" {
		t.Errorf("judged (-want +got):\n%s", diff)
	}
	for text, want := range map[string]Status{"An outage of the bank, they say": Pending, "They write buy now": Spam} {
		if got := w.send(t, ada, text); got.Status != want {
			t.Errorf("%q is %s, want %s", text, got.Status, want)
		}
	}
	w.needs.Moderator = nil
	w.send(t, ada, "buy now, and nobody judges")
	if got := w.waiting(t); got != "Says to be the bakery. It is not. by nobody, An outage of the bank, they say by "+ada.ID+", buy now, and nobody judges by "+ada.ID {
		t.Errorf("waiting: %s", got)
	}
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Total != 3 || mine.Items[0].Description != "buy now, and nobody judges" || mine.Page.Limit != 24 {
		t.Errorf("%+v, %v", mine, err)
	}
	if other, err := w.Mine(t.Context(), ben, core.Page{}); err != nil || other.Total != 0 {
		t.Errorf("another has %+v, %v", other, err)
	}
	_, err = w.Mine(t.Context(), core.Nobody(), core.Page{})
	wantError(t, "nobody's own", err, core.Unauthenticated, "unauthenticated")
	if got := w.found(t, Filter{}); got != "" {
		t.Errorf("the public reads %s", got)
	}
	ada.ID = pg.NewID()
	_, err = w.Send(t.Context(), ada, Input{Category: "scam", Description: "From an account that left"})
	wantError(t, "an account that left", err, core.Unauthenticated, "unauthenticated")
}

func TestWhatIsTaken(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct {
		change func(*Input)
		wrong  string // fields in question, by name
	}{
		"the least":                    {func(*Input) {}, ""},
		"nothing":                      {func(in *Input) { *in = Input{} }, "category description"},
		"an unknown category":          {func(in *Input) { in.Category = "rumour" }, "category"},
		"two characters":               {func(in *Input) { in.Description = " ab " }, "description"},
		"the longest":                  {func(in *Input) { in.Description = strings.Repeat("é", 4000) }, ""},
		"too long":                     {func(in *Input) { in.Description = strings.Repeat("é", 4001) }, "description"},
		"NUL":                          {func(in *Input) { in.Description = "abc\x00def" }, "description"},
		"an escape":                    {func(in *Input) { in.Description = "abc\x1b[31m" }, "description"},
		"broken UTF-8":                 {func(in *Input) { in.Description, in.Handle = "abc\xff", "\xc3" }, "description handle"},
		"tab and newline":              {func(in *Input) { in.Description = "a\tb\nc" }, ""},
		"a line break in a line":       {func(in *Input) { in.Platform, in.Handle, in.SubmitterName = "a\nb", "a\nb", "a\nb" }, "handle platform submitter_name"},
		"the longest lines":            {func(in *Input) { in.Platform, in.Handle, in.SubmitterName = long(80), long(120), long(80) }, ""},
		"longer lines":                 {func(in *Input) { in.Platform, in.Handle, in.SubmitterName = long(81), long(121), long(81) }, "handle platform submitter_name"},
		"right to left":                {func(in *Input) { in.Description, in.Handle = "هذا الحساب مزيف", "\u202eevil" }, ""},
		"HTML":                         {func(in *Input) { in.Description = `<script>alert(1)</script>` }, ""},
		"an address":                   {func(in *Input) { in.ContentURL = "https://example.org/a?b=c#d" }, ""},
		"one that is not Latin":        {func(in *Input) { in.ContentURL = "https://例え.jp/プロフィール" }, ""},
		"the longest address":          {func(in *Input) { in.ContentURL = "https://example.org/" + long(480) }, ""},
		"a longer address":             {func(in *Input) { in.ContentURL = "https://example.org/" + long(481) }, "content_url"},
		"no scheme":                    {func(in *Input) { in.ContentURL = "example.org/a" }, "content_url"},
		"a script":                     {func(in *Input) { in.ContentURL = "javascript:alert(1)" }, "content_url"},
		"a script with slashes":        {func(in *Input) { in.ContentURL = "javascript://example.org/%0aalert(1)" }, "content_url"},
		"data":                         {func(in *Input) { in.ContentURL = "data:text/html,x" }, "content_url"},
		"a file":                       {func(in *Input) { in.ContentURL = "file:///etc/passwd" }, "content_url"},
		"no host":                      {func(in *Input) { in.ContentURL = "https:///a" }, "content_url"},
		"only a port":                  {func(in *Input) { in.ContentURL = "https://:80/a" }, "content_url"},
		"no slashes":                   {func(in *Input) { in.ContentURL = "https:example.org" }, "content_url"},
		"a blank in the address":       {func(in *Input) { in.ContentURL = "https://example.org/a b" }, "content_url"},
		"direction marks in it":        {func(in *Input) { in.ContentURL = "https://example.org/\u202egpj.exe" }, "content_url"},
		"a name with an e-mail":        {func(in *Input) { in.SubmitterName, in.SubmitterEmail = "Ida", "ida@mail.example.org" }, ""},
		"no domain":                    {func(in *Input) { in.SubmitterEmail = "ida@" }, "submitter_email"},
		"a domain without a dot":       {func(in *Input) { in.SubmitterEmail = "ida@example" }, "submitter_email"},
		"a domain that ends in a dot":  {func(in *Input) { in.SubmitterEmail = "ida@example." }, "submitter_email"},
		"two":                          {func(in *Input) { in.SubmitterEmail = "ida@example.org, ben@example.org" }, "submitter_email"},
		"a name in the e-mail address": {func(in *Input) { in.SubmitterEmail = "Ida <ida@example.org>" }, "submitter_email"},
		"a header":                     {func(in *Input) { in.SubmitterEmail = "ida@example.org\nBcc: x@example.org" }, "submitter_email"},
		"a long e-mail address":        {func(in *Input) { in.SubmitterEmail = long(60) + "@" + strings.Repeat(long(40)+".", 5) + "org" }, "submitter_email"},
	} {
		in := Input{Category: "scam", Description: "abc"}
		tt.change(&in)
		var wrong []string
		if err := in.Check(); err != nil {
			wrong = slices.Sorted(maps.Keys(core.AsError(err).Fields))
		}
		if got := strings.Join(wrong, " "); got != tt.wrong {
			t.Errorf("%s: wrong are %q, want %q", what, got, tt.wrong)
		}
	}
	in := Input{Category: "rumour", Description: "abc"}
	if msg := core.AsError(in.Check()).Fields["category"]; msg != "must be one of fake_profile, ai_generated, impersonation, scam, misinformation, other" {
		t.Errorf("it says %q", msg)
	}
	in = Input{Category: "scam", Description: "abc", ContentURL: "ftp://example.org"}
	if msg := core.AsError(in.Check()).Fields["content_url"]; msg != "must be a whole web address that begins with http:// or https://" {
		t.Errorf("it says %q", msg)
	}
}

func long(n int) string { return strings.Repeat("a", n) }

// The database takes whatever Check takes.
func FuzzSend(f *testing.F) {
	f.Add("abc", "Facebook", "@a", "https://example.org", "Ida", "ida@example.org")
	f.Add("a\u202eb\n\t\u200b", "", "\u0301", "http://[::1]:80/%00", "\ufeff", "ida@example.org")
	w := setup(f)
	f.Fuzz(func(t *testing.T, description, platform, handle, address, name, email string) {
		in := Input{Category: "other", Description: description, Platform: platform, Handle: handle, ContentURL: address, SubmitterName: name, SubmitterEmail: email}
		wrong := in.Check()
		if _, err := w.Send(t.Context(), core.Nobody(), in); (err == nil) != (wrong == nil) || err != nil && core.KindOf(err) != core.Invalid {
			t.Errorf("checked: %v, stored: %v", wrong, err)
		}
	})
}

func TestListIsOfWhatIsConfirmed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	for _, c := range []Category{"scam", "fake_profile", "scam"} {
		sent, err := w.Send(t.Context(), ada, Input{Category: c, Description: string(c) + " at " + w.clock.now.Format("15:04:05")})
		if err != nil {
			t.Fatal(err)
		}
		w.confirm(t, mod, sent.ID)
	}
	w.send(t, ada, "still waits")
	for _, tt := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "scam at 12:00:04, fake_profile at 12:00:02, scam at 12:00:00"},
		{Filter{Category: "scam"}, "scam at 12:00:04, scam at 12:00:00"},
		{Filter{Category: "other"}, ""},
		{Filter{Page: core.Page{Limit: 1, Offset: 1}}, "fake_profile at 12:00:02"},
		{Filter{Page: core.Page{Offset: 3}}, ""},
	} {
		if got := w.found(t, tt.f); got != tt.want {
			t.Errorf("%+v finds %s, want %s", tt.f, got, tt.want)
		}
	}
	list, err := w.List(t.Context(), Filter{Category: "scam", Page: core.Page{Limit: 1000}})
	if err != nil || list.Total != 2 || list.Page.Limit != 100 || list.Items[0].ConfirmedAt == nil {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err = w.List(t.Context(), Filter{}); err != nil || list.Page.Limit != 50 {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = w.List(t.Context(), Filter{Category: "rumour"})
	wantError(t, "an unknown category", err, core.Invalid, "validation_failed")
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	sent, open := w.send(t, ada, "Take me back"), w.send(t, core.Nobody(), "Nobody's")
	wantError(t, "by another", w.Withdraw(t.Context(), ben, sent.ID), core.NotFound, "not_found")
	wantError(t, "by staff", w.Withdraw(t.Context(), mod, sent.ID), core.NotFound, "not_found")
	wantError(t, "nobody's, by a member", w.Withdraw(t.Context(), ada, open.ID), core.NotFound, "not_found")
	wantError(t, "by nobody", w.Withdraw(t.Context(), core.Nobody(), open.ID), core.Unauthenticated, "unauthenticated")
	wantError(t, "no id", w.Withdraw(t.Context(), ada, "x"), core.NotFound, "not_found")
	if err := w.Withdraw(t.Context(), ada, sent.ID); err != nil {
		t.Fatal(err)
	}
	if got := w.waiting(t); got != "Nobody's by nobody" {
		t.Errorf("waiting: %s", got)
	}
	wantError(t, "again", w.Withdraw(t.Context(), ada, sent.ID), core.NotFound, "not_found")
	late := w.send(t, ada, "Too late")
	w.confirm(t, mod, late.ID)
	wantError(t, "once decided", w.Withdraw(t.Context(), ada, late.ID), core.Conflict, "already_decided")
	own := w.send(t, mod, "A moderator’s own")
	if err := w.Withdraw(t.Context(), mod, own.ID); err != nil {
		t.Errorf("a moderator’s own: %v", err)
	}
}

func TestLeave(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{true, false} {
		w := setup(t)
		ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
		for _, text := range []string{"Confirmed", "Refused", "Waiting"} {
			sent, err := w.Send(t.Context(), ada, Input{Category: "scam", Description: text, SubmitterName: "Ada L.", SubmitterEmail: "ada@example.org"})
			if err != nil {
				t.Fatal(err)
			}
			if text == "Confirmed" {
				w.confirm(t, mod, sent.ID)
			}
			if text == "Refused" {
				if _, err := w.decide(t, mod, sent.ID, core.ActionReject, "It is real."); err != nil {
					t.Fatal(err)
				}
			}
		}
		err := w.database.Write(t.Context(), ada, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ada.ID, remove) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.database.Exec(t, core.TheSystem(), `delete from accounts where id = $1`, ada.ID); err != nil {
			t.Fatal(err)
		}
		left, waiting := "Confirmed Refused Waiting", "Waiting by nobody"
		if remove {
			left, waiting = "Confirmed", ""
		}
		if got := pgtest.Value[string](t, w.database, mod, `select string_agg(description, ' ' order by description) from fake_reports
			where submitted_by is null and submitter_name = '' and submitter_email = ''`); got != left {
			t.Errorf("remove %t leaves %q without a name, want %q", remove, got, left)
		}
		if n := pgtest.Value[int](t, w.database, mod, `select count(*) from fake_reports`); n != len(strings.Fields(left)) {
			t.Errorf("remove %t leaves %d in all", remove, n)
		}
		if got := w.waiting(t); got != waiting {
			t.Errorf("remove %t leaves waiting %q", remove, got)
		}
	}
}
