package accounts

import (
	"context"
	"strings"
	"time"

	"homeplace/core"
)

// moderator judges what people write.
type moderator interface {
	Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error)
}

// ReviewType is the queue of profile texts at the desk, and the scope of word
// rules for them. The id of such a target is that of the account.
const ReviewType = "profile"

// ReviewStatus is what became of profile texts that moderators have to look at.
type ReviewStatus string

// The statuses. Nobody sees the texts but of an approved one.
const (
	ReviewWaiting  ReviewStatus = "waiting"
	ReviewApproved ReviewStatus = "approved"
	ReviewRefused  ReviewStatus = "refused"
	ReviewSpam     ReviewStatus = "spam"
)

// Review is a name and a bio at the moderators' desk. The next change that the
// pipeline approves ends it.
type Review struct {
	AccountID   string
	DisplayName *string
	Bio         string
	Status      ReviewStatus
	Reason      string // of a refusal, for the member
	DecidedAt   *time.Time
	CreatedAt   time.Time
}

// Waiting tells whether the texts wait for a moderator.
func (r *Review) Waiting() bool { return r != nil && r.Status == ReviewWaiting }

// Refused tells whether the texts were taken away.
func (r *Review) Refused() bool {
	return r != nil && (r.Status == ReviewRefused || r.Status == ReviewSpam)
}

func profileText(accountID, name, bio string, from core.Origin) core.Text {
	t := core.Text{Scope: ReviewType, Body: strings.Trim(name+"\n"+bio, "\n"), From: from}
	if accountID != "" {
		t.About = core.Target{Type: ReviewType, ID: accountID}
	}
	return t
}

// judged never fails: what cannot be judged is for people to look at.
func judged(ctx context.Context, m moderator, v core.Viewer, t core.Text) core.Decision {
	if m == nil || t.Body == "" {
		return core.DecisionApprove
	}
	verdict, err := m.Judge(ctx, v, t)
	if err != nil {
		return core.DecisionReview
	}
	return verdict.Decision
}

// judgeProfile judges name and bio as they would be, where either changes, and
// makes the patch say both: what was judged is what is stored. held is nil for
// what may be shown.
func (s *Service) judgeProfile(ctx context.Context, v core.Viewer, before Account, patch *ProfilePatch) (held *Review, err error) {
	name, bio := orEmpty(before.DisplayName), before.Bio
	var changed []string
	if patch.DisplayName != nil && *patch.DisplayName != name {
		name, changed = *patch.DisplayName, append(changed, "display_name")
	}
	if patch.Bio != nil && *patch.Bio != bio {
		bio, changed = *patch.Bio, append(changed, "bio")
	}
	if patch.DisplayName, patch.Bio = nil, nil; changed == nil {
		return nil, nil
	}
	patch.DisplayName, patch.Bio = &name, &bio
	switch judged(ctx, s.moderator, v, profileText(v.ID, name, bio, patch.From)) {
	case core.DecisionReject:
		return nil, errSpam(changed...)
	case core.DecisionReview:
		held = &Review{AccountID: v.ID, Bio: bio, Status: ReviewWaiting, CreatedAt: s.now()}
		if name != "" {
			held.DisplayName = &name
		}
	}
	return held, nil
}

// errSpam says at the fields that their text was refused.
func errSpam(fields ...string) error {
	var p core.Problems
	for _, field := range fields {
		p.Add(field, "reads like spam or abuse to us, so it was not stored; please write it another way")
	}
	refused := *core.AsError(p.Err())
	refused.Code = "spam"
	return &refused
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
