package polls

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestVote(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	p := w.poll(t, ada, "Tea or coffee?")
	tea, coffee := p.Options[0].ID, p.Options[1].ID
	vote := func(v core.Viewer, voter Voter, option string) Outcome {
		t.Helper()
		out, err := w.Vote(t.Context(), v, p.Slug, VoteInput{OptionID: option, Voter: voter})
		if err != nil || out.Comment != CommentNone {
			t.Fatalf("%+v, %v", out, err)
		}
		return out
	}
	elsewhere := Voter{Mark: "a", From: core.Origin{AddressKey: "192.0.2.8"}}
	for i, c := range []struct {
		v         core.Viewer
		voter     Voter
		option    string
		duplicate bool
		votes     []int
	}{
		{core.Nobody(), browser("a"), tea, false, []int{1, 0}},
		{core.Nobody(), browser("a"), coffee, true, []int{1, 0}},
		{core.Nobody(), browser("b"), tea, false, []int{2, 0}}, // another browser of the same household
		{core.Nobody(), elsewhere, tea, false, []int{3, 0}},
		{ben, browser("c"), coffee, false, []int{3, 1}},
		{ben, browser("d"), coffee, true, []int{3, 1}}, // the account has voted
		{core.Nobody(), browser("c"), tea, true, []int{3, 1}},
		{ada, browser("c"), tea, true, []int{3, 1}}, // two members at one browser
	} {
		if out := vote(c.v, c.voter, c.option); out.Duplicate != c.duplicate || !slices.Equal(w.votes(t, p.Slug), c.votes) {
			t.Errorf("vote %d: %+v, the tallies are %v", i, out, w.votes(t, p.Slug))
		}
	}
	if got, _ := w.points.Balance(t.Context(), ben); got.Balance != 1 {
		t.Errorf("ben has %+v", got)
	}
	if got, err := w.Choice(t.Context(), ben, p.ID, browser("other")); err != nil || got != coffee {
		t.Errorf("ben chose %q, %v", got, err)
	}
	if got, err := w.Choice(t.Context(), core.Nobody(), p.ID, browser("none")); err != nil || got != "" {
		t.Errorf("nobody chose %q, %v", got, err)
	}
	other := w.poll(t, ada, "Cake?")
	for what, option := range map[string]string{"no option": "", "no id": "tea", "another poll's": other.Options[0].ID, "nobody's": pg.NewID()} {
		_, err := w.Vote(t.Context(), ben, p.Slug, VoteInput{OptionID: option, Voter: browser("x")})
		wantError(t, what, err, core.Invalid, "validation_failed")
	}
	_, err := w.Vote(t.Context(), ben, "no-such-poll", VoteInput{OptionID: tea, Voter: browser("x")})
	wantError(t, "no poll", err, core.NotFound, "not_found")
	if a, b := w.hash(p.ID, browser("a")), w.hash(other.ID, browser("a")); slices.Equal(a, b) {
		t.Error("a voter has one hash at two polls")
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, total int
		want     float64
	}{{0, 0, 0}, {1, 1, 1}, {1, 3, 0.3333}, {2, 3, 0.6667}, {1, 8, 0.125}, {1, 30_000, 0}} {
		if got := Share(c.n, c.total); got != c.want {
			t.Errorf("%d of %d is %v, want %v", c.n, c.total, got, c.want)
		}
	}
}

// A hundred votes at once of one browser, and of one account, on two instances.
func TestManyVotesAtOnceCountOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	there := w.second(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	p := w.poll(t, ada, "Tea or coffee?")
	for _, c := range []struct {
		name  string
		v     core.Viewer
		voter func(i int) Voter
		want  []int
	}{
		{"one browser", core.Nobody(), func(int) Voter { return browser("a") }, []int{1, 0}},
		{"one account", ben, func(i int) Voter { return browser(fmt.Sprint("b", i)) }, []int{2, 0}},
		{"a hundred browsers", core.Nobody(), func(i int) Voter { return browser(fmt.Sprint("c", i)) }, []int{102, 0}},
	} {
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				_, err := []*Service{w.Service, there}[i%2].Vote(t.Context(), c.v, p.Slug, VoteInput{OptionID: p.Options[0].ID, Comment: "Hello.", Voter: c.voter(i)})
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			})
		}
		group.Wait()
		if got := w.votes(t, p.Slug); !slices.Equal(got, c.want) {
			t.Errorf("%s: the tallies are %v, want %v", c.name, got, c.want)
		}
		if n := w.count(t, `select count(*) from poll_comments`); n != c.want[0] {
			t.Errorf("%s: %d comments, want %d", c.name, n, c.want[0])
		}
	}
	if got, _ := w.points.Balance(t.Context(), ben); got.Balance != 1 {
		t.Errorf("ben has %+v", got)
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	p := w.poll(t, ada, "Tea or coffee?")
	say := func(v core.Viewer, mark string) CommentStatus {
		t.Helper()
		out, err := w.Vote(t.Context(), v, p.Slug, VoteInput{OptionID: p.Options[0].ID, Comment: " Tea,\r\nby " + mark, Voter: browser(mark)})
		if err != nil || out.Duplicate {
			t.Fatalf("%s: %+v, %v", mark, out, err)
		}
		return out.Comment
	}
	for _, c := range []struct {
		mark  string
		v     core.Viewer
		says  core.Decision
		fails error
		want  CommentStatus
	}{
		{"ben", ben, core.DecisionApprove, nil, CommentApproved},
		{"b", core.Nobody(), core.DecisionReview, nil, CommentPending},
		{"c", core.Nobody(), core.DecisionReject, nil, CommentRejected},
		{"d", core.Nobody(), core.DecisionReject, errors.New("the model sleeps"), CommentPending},
	} {
		w.judge.says, w.judge.fails = c.says, c.fails
		if got := say(c.v, c.mark); got != c.want {
			t.Errorf("%s: %s, want %s", c.mark, got, c.want)
		}
	}
	if got := w.votes(t, p.Slug); !slices.Equal(got, []int{4, 0}) {
		t.Errorf("the tallies are %v: a vote counts whatever becomes of its comment", got)
	}
	shown := func() (list []string) {
		t.Helper()
		got, err := w.Get(t.Context(), core.Nobody(), p.Slug)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Comments {
			list = append(list, c.Body)
		}
		return list
	}
	if got := shown(); !slices.Equal(got, []string{"Tea,\nby ben"}) {
		t.Errorf("shown are %q", got)
	}
	if n := w.count(t, `select count(*) from desk_queue where target_type = 'poll_comment'`); n != 2 {
		t.Fatalf("%d comments wait", n)
	}
	if n := w.count(t, `select count(verdict) from poll_comments`); n != 0 {
		t.Errorf("%d verdicts are kept here, which is the moderation area's to do", n)
	}
	idOf := func(mark string) string {
		t.Helper()
		return pgtest.Value[string](t, w.database, mod, `select target_id::text from desk_queue where title = 'Tea, by ' || $1`, mark)
	}
	held, unjudged := idOf("b"), idOf("d")
	_, err := decideAt(t, w.database.DB, w.CommentDesk(), ben, held, core.ActionApprove, "")
	wantError(t, "a member approving", err, core.Forbidden, "not_allowed")
	w.decided(t, w.CommentDesk(), mod, held, core.ActionApprove, "")
	w.decided(t, w.CommentDesk(), mod, unjudged, core.ActionReject, "Not about tea.")
	_, err = decideAt(t, w.database.DB, w.CommentDesk(), mod, held, core.ActionReject, "")
	wantError(t, "deciding again", err, core.Conflict, "already_decided")
	if got := shown(); len(got) != 2 {
		t.Errorf("shown are %q", got)
	}
	mine, err := w.MyComments(t.Context(), ben, core.Page{})
	if err != nil || mine.Total != 1 || mine.Items[0].Question != "Tea or coffee?" {
		t.Errorf("ben said %+v, %v", mine, err)
	}

	w.Service.needs.Moderator = nil
	if got := say(core.Nobody(), "e"); got != CommentPending {
		t.Errorf("without a moderator: %s", got)
	}
	w.set(t, "polls_require_approval", "false")
	quiet, err := w.Create(t.Context(), ada, Input{Question: "Quiet?", Options: []string{"Yes", "No"}})
	if err != nil || quiet.Status != Published {
		t.Fatalf("%+v, %v", quiet, err)
	}
	out, err := w.Vote(t.Context(), ben, quiet.Slug, VoteInput{OptionID: quiet.Options[0].ID, Comment: "Yes", Voter: browser("a")})
	if err != nil || out != (Outcome{Comment: CommentNone}) {
		t.Errorf("where none are taken: %+v, %v", out, err)
	}
}

// What Go forgets to ask, row-level security still refuses.
func TestRightsInTheDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	p := w.poll(t, ada, "Tea or coffee?")
	w.judge.says = core.DecisionReview
	if _, err := w.Vote(t.Context(), ben, p.Slug, VoteInput{OptionID: p.Options[0].ID, Comment: "Tea", Voter: browser("a")}); err != nil {
		t.Fatal(err)
	}
	draft, err := w.Create(t.Context(), ada, Input{Question: "Held?", Options: []string{"Yes", "No"}})
	if err != nil || draft.Status != Draft {
		t.Fatalf("%+v, %v", draft, err)
	}
	insert := `insert into poll_votes (poll_id, option_id, voter_hash) values ('` + p.ID + `', '` + p.Options[0].ID + `', decode(repeat('ab', 32), 'hex'))`
	for what, c := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"nobody reading votes": {core.Nobody(), `select * from poll_votes`}, "a member reading votes": {ben, `select * from poll_votes`},
		"staff reading hashes": {mod, `select voter_hash from poll_votes`}, "staff reading who voted": {mod, `select account_id from poll_votes`},
		"nobody voting": {core.Nobody(), insert}, "a member voting": {ben, insert}, "staff voting": {mod, insert},
		"a member counting up": {ada, `update poll_options set votes = 9`}, "staff counting up": {mod, `update poll_options set votes = 9`},
		"nobody reading verdicts": {core.Nobody(), `select verdict from polls`}, "a member reading verdicts": {ada, `select verdict from polls`},
		"an author publishing":            {ada, `update polls set status = 'published'`},
		"inserting one that is published": {ben, `insert into polls (id, slug, question, author_id, status) values (gen_random_uuid(), 'mine', 'Mine?', viewer_id(), 'published')`},
		"a draft of another":              {ben, `insert into polls (id, slug, question, author_id) values (gen_random_uuid(), 'mine', 'Mine?', '` + ada.ID + `')`},
		"answers for another's draft":     {ben, `insert into poll_options (id, poll_id, label, sort_order) values (gen_random_uuid(), '` + draft.ID + `', 'x', 3)`},
		"answers for a published poll":    {ada, `insert into poll_options (id, poll_id, label, sort_order) values (gen_random_uuid(), '` + p.ID + `', 'x', 3)`},
		"a member judging a comment":      {ben, `update poll_comments set status = 'approved'`},
		"a decision in another's name":    {mod, `update poll_comments set status = 'rejected', decided_at = now(), decided_by = '` + ada.ID + `'`},
	} {
		if _, err := w.database.Exec(t, c.v, c.sql); !pg.Denied(err) {
			t.Errorf("%s gives %v, want a refusal", what, err)
		}
	}
	for what, c := range map[string]struct {
		v    core.Viewer
		sql  string
		want int
	}{
		"nobody's polls": {core.Nobody(), `select count(*) from polls`, 1}, "another member's polls": {ben, `select count(*) from polls`, 1},
		"the author's polls": {ada, `select count(*) from polls`, 2}, "staff's polls": {mod, `select count(*) from polls`, 2},
		"nobody's answers": {core.Nobody(), `select count(*) from poll_options`, 2}, "the author's answers": {ada, `select count(*) from poll_options`, 4},
		"nobody's comments": {core.Nobody(), `select count(*) from poll_comments`, 0}, "its writer's comments": {ben, `select count(*) from poll_comments`, 1},
		"another's comments": {ada, `select count(*) from poll_comments`, 0}, "staff's votes": {mod, `select count(option_id) from poll_votes`, 1},
	} {
		if got := pgtest.Value[int](t, w.database, c.v, c.sql); got != c.want {
			t.Errorf("%s are %d, want %d", what, got, c.want)
		}
	}
	own := w.moderator(t, "own")
	w.judge.says = ""
	w.poll(t, own, "Mine?")
	if n, err := w.database.Exec(t, own, `update polls set hidden_at = now() where author_id = viewer_id()`); err != nil || n != 0 {
		t.Errorf("a moderator changed %d of their own, %v", n, err)
	}
}

func TestLeave(t *testing.T) {
	t.Parallel()
	for remove, want := range map[bool][2]int{false: {1, 1}, true: {0, 0}} {
		w := setup(t)
		ada, ben := w.member(t, "ada"), w.member(t, "ben")
		theirs, other := w.poll(t, ada, "Tea or coffee?"), w.poll(t, ben, "Cake?")
		if _, err := w.Vote(t.Context(), ada, other.Slug, VoteInput{OptionID: other.Options[1].ID, Comment: "Cake", Voter: browser("a")}); err != nil {
			t.Fatal(err)
		}
		w.judge.says = core.DecisionReview
		if _, err := w.Create(t.Context(), ada, Input{Question: "Held?", Options: []string{"Yes", "No"}}); err != nil {
			t.Fatal(err)
		}
		err := w.database.Write(t.Context(), ada, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ada.ID, remove) })
		if err != nil {
			t.Fatal(err)
		}
		polls, comments := w.count(t, `select count(*) from polls where slug = $1 and author_id is null`, theirs.Slug), w.count(t, `select count(*) from poll_comments where account_id is null`)
		if polls != want[0] || comments != want[1] {
			t.Errorf("remove %t: %d polls and %d comments stay, want %v", remove, polls, comments, want)
		}
		if got := w.votes(t, other.Slug); !slices.Equal(got, []int{0, 1}) {
			t.Errorf("remove %t: the tallies are %v", remove, got)
		}
		if n := w.count(t, `select count(*) from poll_votes where account_id is not null`) + w.count(t, `select count(*) from polls where status <> 'published'`); n != 0 {
			t.Errorf("remove %t: %d votes and drafts of the account are left", remove, n)
		}
	}
}
