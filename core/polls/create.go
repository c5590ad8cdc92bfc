package polls

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/settings"
	"homeplace/core/slugs"
)

// judgeLimit is how long a text may be judged before it waits for staff.
const judgeLimit = 6 * time.Second

// spamReason is what the author of a poll reads that was judged to be spam.
const spamReason = "It was taken for spam or abuse."

// Input is what a member asks.
type Input struct {
	Question      string
	Description   string   // plain text
	Options       []string // labels; empty and repeated ones are dropped
	AllowComments bool
	From          core.Origin
}

func (in *Input) check() error {
	var p core.Problems
	p.Line("question", &in.Question, 1, MaxQuestion)
	p.Text("description", &in.Description, 0, MaxDescription)
	in.Options = merged(in.Options)
	for i := range in.Options {
		p.Line("options", &in.Options[i], 1, MaxLabel)
	}
	if n := len(in.Options); n < MinOptions || n > MaxOptions {
		p.Add("options", "must be %d to %d different answers, are %d", MinOptions, MaxOptions, n)
	}
	return p.Err()
}

// merged trims labels and drops those that are empty or there already, in
// whatever case.
func merged(labels []string) []string {
	var list []string
	seen := map[string]bool{}
	for _, label := range labels {
		label = strings.Join(strings.Fields(label), " ")
		if key := strings.ToLower(label); label != "" && !seen[key] {
			seen[key] = true
			list = append(list, label)
		}
	}
	return list
}

// Create stores a poll of the viewer and publishes it at once, unless the
// setting polls_require_approval or the moderator holds it as a draft. Errors:
// Unauthenticated, Invalid, also with the code spam, Conflict with
// too_many_pending.
func (s *Service) Create(ctx context.Context, v core.Viewer, in Input) (Poll, error) {
	if err := requireMember(v); err != nil {
		return Poll{}, err
	}
	if err := in.check(); err != nil {
		return Poll{}, err
	}
	id := pg.NewID()
	decision := s.judge(ctx, v, core.Text{Scope: "poll", From: in.From, About: core.Target{Type: TargetPoll, ID: id},
		Body: strings.Join(append([]string{in.Question, in.Description}, in.Options...), "\n")})
	if decision == core.DecisionReject {
		return Poll{}, s.keepSpam(ctx, v, id, in)
	}
	held := s.needs.Settings.Switch(settings.PollsRequireApproval) || s.needs.Moderator != nil && decision != core.DecisionApprove
	p, err := s.add(ctx, v, id, in, func(tx *pg.Tx) error {
		if held {
			return nil
		}
		return s.publish(ctx, tx, id, "")
	})
	if err == nil {
		p, err = s.Get(ctx, v, p.Slug)
	}
	return p, err
}

// keepSpam stores what was rejected, so that its author and staff can see why,
// and says so.
func (s *Service) keepSpam(ctx context.Context, v core.Viewer, id string, in Input) error {
	// An Idempotency-Key stands for a poll that was taken.
	_, err := s.add(pg.WithoutClaim(ctx), v, id, in, func(tx *pg.Tx) error {
		return refuse(ctx, tx, id, spamReason, "", s.now())
	})
	if err != nil {
		return err
	}
	return &core.Error{Kind: core.Invalid, Code: "spam",
		Msg: "This was taken for spam or abuse, so it was not published. If that is wrong, put it in other words."}
}

// add stores a draft as the viewer, and lets the system settle it in the same
// transaction.
func (s *Service) add(ctx context.Context, v core.Viewer, id string, in Input, settle func(tx *pg.Tx) error) (Poll, error) {
	var p Poll
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		slug, err := s.insert(ctx, tx, v, id, in)
		if err != nil {
			return err
		}
		if err := insertOptions(ctx, tx, id, in.Options); err != nil {
			return err
		}
		if err := tx.AsSystem(ctx, settle); err != nil {
			return err
		}
		p, err = pollBySlug(ctx, tx, slug)
		return err
	})
	switch {
	case breaks(err, "polls_room"):
		return Poll{}, core.Conflictf("too_many_pending", "You have %d polls that still wait for a moderator. Once some are decided, you can ask more.", MaxDrafts)
	case breaks(err, "polls_author_id_fkey"):
		return Poll{}, core.Unauthenticatedf("This account no longer exists.")
	}
	return p, explained("store poll", err, errNoPoll())
}

// insert stores the draft under the first free slug that its question gives.
func (s *Service) insert(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, in Input) (string, error) {
	base := slugs.Make("poll-"+id[len(id)-12:], in.Question)
	if base == "new" || strings.HasPrefix(base, "daily-") { // a page, and the polls of the days
		base = slugs.Make(base, "poll", base)
	}
	for n := 1; n <= maxSameSlug; n++ {
		slug := slugs.Numbered(base, n)
		if n == maxSameSlug {
			slug = "poll-" + id
		}
		stored, err := insertDraft(ctx, tx, id, slug, in, v.ID, s.now())
		if err != nil || stored {
			return slug, err
		}
	}
	return "", fmt.Errorf("no free slug for %q", base)
}

// maxSameSlug is after how many polls of one name the id makes the slug.
const maxSameSlug = 50

// publish opens a poll and pays its author, who may have left. It runs as the
// system.
func (s *Service) publish(ctx context.Context, tx *pg.Tx, id, by string) error {
	now := s.now()
	days := time.Duration(s.needs.Settings.Number(settings.PollDays))
	if err := openPoll(ctx, tx, id, now, now.Add(days*24*time.Hour), by); err != nil {
		return err
	}
	tx.Touch(Area)
	p, err := pollByID(ctx, tx, id)
	if err != nil || p.AuthorID == nil {
		return err
	}
	return s.award(ctx, tx, *p.AuthorID, core.AwardPoll, p.Summary)
}
