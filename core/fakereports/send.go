package fakereports

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
)

// Input is a report on its way in.
type Input struct {
	Category       Category
	Description    string
	Platform       string // the rest may be empty
	ContentURL     string
	Handle         string
	SubmitterName  string // read by staff and the sender only
	SubmitterEmail string
	From           core.Origin
}

// Check cleans the input in place. Errors: Invalid.
func (in *Input) Check() error {
	var p core.Problems
	in.Category.check(&p)
	p.Text("description", &in.Description, MinDescription, MaxDescription)
	p.Line("platform", &in.Platform, 0, MaxPlatform)
	p.Line("handle", &in.Handle, 0, MaxHandle)
	p.Line("content_url", &in.ContentURL, 0, MaxURL)
	checkURL(&p, &in.ContentURL)
	p.Line("submitter_name", &in.SubmitterName, 0, MaxName)
	p.Line("submitter_email", &in.SubmitterEmail, 0, MaxEmail)
	checkEmail(&p, in.SubmitterEmail)
	return p.Err()
}

// checkURL writes the scheme in small letters.
func checkURL(p *core.Problems, address *string) {
	if *address == "" {
		return
	}
	scheme, rest, _ := strings.Cut(*address, "://")
	scheme = strings.ToLower(scheme)
	u, err := url.Parse(*address)
	if err != nil || scheme != "http" && scheme != "https" || u.Hostname() == "" {
		p.Add("content_url", "must be a whole web address that begins with http:// or https://")
		return
	}
	if strings.ContainsFunc(*address, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		p.Add("content_url", "contains blanks or invisible characters; copy it from the address bar once more")
		return
	}
	*address = scheme + "://" + rest
}

// checkEmail refuses what no mail could be addressed to.
func checkEmail(p *core.Problems, email string) {
	if email == "" {
		return
	}
	parsed, err := mail.ParseAddress(email)
	_, domain, _ := strings.Cut(email, "@")
	if err != nil || parsed.Address != email || !strings.Contains(strings.Trim(domain, "."), ".") {
		p.Add("submitter_email", "must be an address such as name@example.org")
	}
}

// body is all that a person wrote. The account and the address are quoted: they
// belong to the fake, and nobody is to blame for naming it.
func (in Input) body() string {
	parts := []string{in.Description}
	for _, part := range []string{in.Platform, quoted(in.Handle), quoted(in.ContentURL), in.SubmitterName} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}

// Send sends a report through the moderation pipeline and stores it, with or
// without an account behind the viewer: what is approved or needs a look waits
// for staff, what is rejected is Spam and never shown. A pipeline that is
// missing or fails loses nothing: the report waits. Errors: Invalid, and
// Unauthenticated where the account is gone.
func (s *Service) Send(ctx context.Context, v core.Viewer, in Input) (Sent, error) {
	if err := in.Check(); err != nil {
		return Sent{}, err
	}
	id := pg.NewID()
	sent := Sent{Report: Report{ID: id, Category: in.Category, Description: in.Description, Platform: in.Platform, Handle: in.Handle,
		ContentURL: in.ContentURL, Status: Pending}, SubmitterName: in.SubmitterName, SubmitterEmail: in.SubmitterEmail}
	if s.rejects(ctx, v, id, in) {
		sent.Status = Spam
	}
	sent.CreatedAt = s.now()
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		err := insert(ctx, tx, v.ID, sent)
		if err != nil || sent.Status == Pending {
			return err
		}
		return tx.AsSystem(ctx, func(tx *pg.Tx) error { return setStatus(ctx, tx, id, sent.Status) })
	})
	if breaks(err, "fake_reports_submitted_by_fkey") {
		return Sent{}, core.Unauthenticatedf("This account no longer exists.")
	}
	if err != nil {
		return Sent{}, explained("store report of fake content", err)
	}
	return sent, nil
}

// rejects tells whether the pipeline is sure of abuse. What cannot be judged is
// for people to look at.
func (s *Service) rejects(ctx context.Context, v core.Viewer, id string, in Input) bool {
	if s.needs.Moderator == nil {
		return false
	}
	verdict, err := s.needs.Moderator.Judge(ctx, v, core.Text{Scope: Type, Body: in.body(), About: core.Target{Type: Type, ID: id}, From: in.From})
	return err == nil && verdict.Decision == core.DecisionReject
}

// breaks tells whether err comes from the named rule of the table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}

// Mine lists what the viewer sent, latest first. Errors: Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Sent], error) {
	list := core.List[Sent]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = sentByAccount(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own reports of fake content: %w", err)
	}
	return list, nil
}

// Withdraw takes back what waits, and forgets it. Errors: Unauthenticated,
// NotFound, also for what others sent, Conflict with already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := deletePending(ctx, tx, v.ID, id)
		if err != nil || done {
			return err
		}
		status, err := statusOfOwn(ctx, tx, v.ID, id)
		if err == nil {
			return errDecided(status)
		}
		return err
	})
	return explained("take back report of fake content", err)
}

// LeaveTx readies the area for an account's deletion: name and e-mail address
// go from all that it sent. With remove the reports themselves go, too, but for
// those that are confirmed.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if remove {
			if err := deleteUnconfirmed(ctx, tx, accountID); err != nil {
				return err
			}
		}
		return forgetSender(ctx, tx, accountID)
	})
	if err != nil {
		return fmt.Errorf("leave reports of fake content: %w", err)
	}
	return nil
}
