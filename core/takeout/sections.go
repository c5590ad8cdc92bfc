package takeout

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/points"
	"homeplace/core/sessions"
)

// adder takes a file in.
type adder = func(name string, r io.Reader) error

// document is a section of one JSON file.
func document(name, about, file string, read func(ctx context.Context, v core.Viewer) (any, error)) Section {
	return Section{Name: name, About: about, Files: func(ctx context.Context, v core.Viewer, add func(string, io.Reader) error) error {
		value, err := read(ctx, v)
		if err != nil {
			return err
		}
		return addJSON(add, file, value)
	}}
}

func addJSON(add adder, name string, value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return add(name, &b)
}

// gathered reads a list page by page.
func gathered[T, U any](rule core.PageRule, read func(core.Page) (core.List[T], error), shape func(T) U) ([]U, error) {
	all := []U{}
	for {
		list, err := read(core.Page{Limit: rule.Max, Offset: len(all)})
		if err != nil {
			return nil, err
		}
		for _, item := range list.Items {
			all = append(all, shape(item))
		}
		if len(list.Items) == 0 || len(all) >= list.Total {
			return all, nil
		}
	}
}

type profileFile struct {
	ID                string    `json:"id"`
	Username          string    `json:"username"`
	Email             string    `json:"email"`
	DisplayName       *string   `json:"display_name"`
	Bio               string    `json:"bio"`
	AvatarURL         *string   `json:"avatar_url"`
	LeaderboardOptOut bool      `json:"leaderboard_opt_out"`
	Role              string    `json:"role"`
	CreatedAt         time.Time `json:"created_at"`
}

// Profile is who the owner is to us.
func Profile(s *accounts.Service) Section {
	return document("Profile", "Your account: names, e-mail address, what you wrote about yourself, and since when you are with us.",
		"profile.json", func(ctx context.Context, v core.Viewer) (any, error) {
			a, err := s.Me(ctx, v)
			return profileFile{ID: a.ID, Username: a.Username, Email: a.Email, DisplayName: a.DisplayName, Bio: a.Bio, AvatarURL: a.AvatarURL,
				LeaderboardOptOut: a.LeaderboardOptOut, Role: string(a.Role), CreatedAt: a.CreatedAt}, err
		})
}

type tokenFile struct {
	ID         string     `json:"id"`
	Label      string     `json:"label"`
	LastFour   string     `json:"last_four"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
}

// Tokens are the owner's personal tokens, without their secrets.
func Tokens(s *accounts.Service) Section {
	return document("Tokens", "The personal tokens that you made: label, last four characters, and when each was made, used, and ends or ended.",
		"tokens.json", func(ctx context.Context, v core.Viewer) (any, error) {
			list, err := s.ListTokens(ctx, v)
			files := make([]tokenFile, len(list))
			for i, t := range list {
				files[i] = tokenFile(t)
			}
			return files, err
		})
}

type signInFile struct {
	ID        string    `json:"id"`
	Issuer    string    `json:"issuer"`
	Email     *string   `json:"email"`
	CreatedAt time.Time `json:"created_at"`
}

// SignIns are the outside sign-ins that lead into the owner's account.
func SignIns(s *accounts.Access) Section {
	return document("Linked sign-ins", "The sign-ins elsewhere that lead into your account.",
		"sign_ins.json", func(ctx context.Context, v core.Viewer) (any, error) {
			ways, err := s.WaysIn(ctx, v)
			files := make([]signInFile, len(ways.Identities))
			for i, one := range ways.Identities {
				files[i] = signInFile(one)
			}
			return files, err
		})
}

type sessionFile struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"` // browser or program
	Name       string    `json:"name"` // as it calls itself
	Address    string    `json:"address"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// Sessions are the browsers and programs in which the owner is signed in.
func Sessions(s *sessions.Service) Section {
	return document("Sessions", "Where you are signed in at the moment: how the browser or program calls itself, the network address that it signed in from, and when.",
		"sessions.json", func(ctx context.Context, v core.Viewer) (any, error) {
			list, err := s.List(ctx, v)
			files := make([]sessionFile, len(list))
			for i, one := range list {
				files[i] = sessionFile{ID: one.ID, Kind: "browser", Name: one.UserAgent, Address: one.AddressKey,
					CreatedAt: one.CreatedAt, LastSeenAt: one.LastSeenAt, ExpiresAt: one.ExpiresAt}
				if one.Origin != "" {
					files[i].Kind = "program"
				}
			}
			return files, err
		})
}

type contributionFile struct {
	ID        string               `json:"id"`
	Kind      contributions.Kind   `json:"kind"`
	EntryName string               `json:"entry_name"`
	EntryKind *directory.Kind      `json:"entry_kind"`
	EntrySlug *string              `json:"entry_slug"`
	Proposal  contributions.Patch  `json:"proposal"`
	Open      *bool                `json:"open"`
	Message   string               `json:"message"`
	Status    contributions.Status `json:"status"`
	Reason    string               `json:"reason"`
	DecidedAt *time.Time           `json:"decided_at"`
	CreatedAt time.Time            `json:"created_at"`
}

// Contributions are what the owner sent for the directory.
func Contributions(s *contributions.Service) Section {
	return document("Contributions", "The listings, changes and words about places that you sent, with what became of each. A proposal holds the fields that you filled in.",
		"contributions.json", func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(contributions.Rule,
				func(page core.Page) (core.List[contributions.Contribution], error) { return s.Mine(ctx, v, page) },
				func(c contributions.Contribution) contributionFile {
					return contributionFile{ID: c.ID, Kind: c.Kind, EntryName: c.EntryName, EntryKind: c.EntryKind, EntrySlug: c.EntrySlug,
						Proposal: c.Patch, Open: c.Open, Message: c.Message, Status: c.Status, Reason: c.Reason, DecidedAt: c.DecidedAt, CreatedAt: c.CreatedAt}
				})
		})
}

// Entries are the entries of the directory that belong to the owner.
func Entries(s *directory.Service) Section {
	return document("Entries", "The listings of the directory that are in your care, with all their fields.",
		"entries.json", func(ctx context.Context, v core.Viewer) (any, error) { return s.Own(ctx, v) })
}

type eventFile struct {
	ID           string    `json:"id"`
	Kind         string    `json:"kind"`
	Delta        int       `json:"delta"`
	BalanceAfter int       `json:"balance_after"`
	Reason       string    `json:"reason"`
	Detail       string    `json:"detail"`
	RefType      *string   `json:"ref_type"`
	RefID        *string   `json:"ref_id"`
	CreatedAt    time.Time `json:"created_at"`
}

// Points are what changed the owner's balance.
func Points(s *points.Service) Section {
	return document("Points", "Every change of your points, latest first, with the balance after it.",
		"points.json", func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(points.EventRule,
				func(page core.Page) (core.List[points.Event], error) {
					log, err := s.Events(ctx, v, page)
					return log.List, err
				},
				func(e points.Event) eventFile {
					return eventFile{ID: e.ID, Kind: string(e.Kind), Delta: e.Delta, BalanceAfter: e.BalanceAfter, Reason: e.Reason,
						Detail: e.Detail, RefType: e.RefType, RefID: e.RefID, CreatedAt: e.CreatedAt}
				})
		})
}
