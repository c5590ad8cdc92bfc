package accounts

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"homeplace/core"
	"homeplace/core/pg"
)

// Area is the name under which changes of public profiles are announced; see
// pg.Tx.Touch.
const Area = "accounts"

// Lengths of a profile's texts in Unicode characters.
const (
	maxDisplayName = 60
	maxBio         = 500
	maxAvatarURL   = 500
)

// Profile is what everybody may see of an account.
type Profile struct {
	AccountID         string
	Username          string
	DisplayName       *string
	Bio               string
	AvatarURL         *string
	LeaderboardOptOut bool
	CreatedAt         time.Time
}

// Profile is the account as everybody may see it.
func (a Account) Profile() Profile {
	return Profile{AccountID: a.ID, Username: a.Username, DisplayName: a.DisplayName, Bio: a.Bio, AvatarURL: a.AvatarURL,
		LeaderboardOptOut: a.LeaderboardOptOut, CreatedAt: a.CreatedAt}
}

// ProfilePatch changes what is not nil. An empty name or picture takes it
// away.
type ProfilePatch struct {
	DisplayName       *string
	Bio               *string
	AvatarURL         *string
	LeaderboardOptOut *bool

	From core.Origin // where it comes from
}

func (in *ProfilePatch) validate() error {
	var p core.Problems
	if in.DisplayName != nil {
		checkDisplayName(&p, in.DisplayName)
	}
	if in.Bio != nil {
		p.Text("bio", in.Bio, 0, maxBio)
		checkDirection(&p, "bio", *in.Bio)
	}
	if in.AvatarURL != nil {
		p.Line("avatar_url", in.AvatarURL, 0, maxAvatarURL)
		if *in.AvatarURL != "" && !pictureAddress(*in.AvatarURL) {
			p.Add("avatar_url", "must be the address of a picture and begin with https://")
		}
	}
	return p.Err()
}

func checkDisplayName(p *core.Problems, name *string) {
	p.Line("display_name", name, 0, maxDisplayName)
	checkDirection(p, "display_name", *name)
	if *name != "" && !strings.ContainsFunc(*name, visible) {
		p.Add("display_name", "must hold something that others can see")
	}
}

// checkDirection refuses the characters that turn the direction of what
// follows: with them a name could rearrange the page around it.
func checkDirection(p *core.Problems, field, s string) {
	for _, r := range s {
		if '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069' {
			p.Add(field, "contains the invisible character U+%04X; remove it", r)
		}
	}
}

func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.IsMark(r) }

func pictureAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil
}

// UpdateProfile changes the viewer's own profile. Name and bio go through the
// moderation pipeline where they change: what it rejects is refused, and what it
// holds waits for a moderator, while everybody else sees the username alone.
// Errors: Invalid, with the code spam for what was rejected; Unauthenticated for
// nobody.
func (s *Service) UpdateProfile(ctx context.Context, v core.Viewer, patch ProfilePatch) (Account, error) {
	if !v.SignedIn() {
		return Account{}, core.Unauthenticatedf("Sign in to change your profile.")
	}
	if err := patch.validate(); err != nil {
		return Account{}, err
	}
	before, err := s.Me(ctx, v)
	if err != nil {
		return Account{}, err
	}
	held, err := s.judgeProfile(ctx, v, before, &patch)
	if err != nil {
		return Account{}, err
	}
	var a Account
	err = s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		tx.Touch(Area)
		if err := s.storeProfile(ctx, tx, v.ID, patch, held); err != nil {
			return err
		}
		a, err = ownAccount(ctx, tx, v.ID)
		return err
	})
	if pg.NoRows(err) {
		return Account{}, core.Unauthenticatedf("This account no longer exists.")
	}
	if err != nil {
		return Account{}, fmt.Errorf("update profile: %w", err)
	}
	return a, nil
}

// storeProfile stores the patch; of texts that are held, in their own place.
func (s *Service) storeProfile(ctx context.Context, tx *pg.Tx, accountID string, patch ProfilePatch, held *Review) error {
	switch {
	case patch.DisplayName == nil && patch.Bio == nil: // the texts stay as they are
	case held == nil:
		if err := tx.AsSystem(ctx, func(tx *pg.Tx) error { return deleteReview(ctx, tx, accountID) }); err != nil {
			return err
		}
	default:
		if err := tx.AsSystem(ctx, func(tx *pg.Tx) error { return upsertReview(ctx, tx, *held) }); err != nil {
			return err
		}
		patch.DisplayName, patch.Bio = new(string), new(string)
	}
	return updateProfile(ctx, tx, accountID, patch)
}

// PublicProfile is what everybody may see of an account. Errors: NotFound,
// also while the e-mail address behind it is not verified.
func (s *Service) PublicProfile(ctx context.Context, username string) (Profile, error) {
	name := foldName(username)
	if !usernameForm.MatchString(name) {
		return Profile{}, errNoSuchUser(username)
	}
	p, err := profileByUsername(ctx, s.db.Public(), name)
	if pg.NoRows(err) {
		return Profile{}, errNoSuchUser(username)
	}
	return p, pg.Err(err)
}

// ViewerByID is the account as the one on whose behalf a request runs, with
// the role that it has now. For whoever has proved to be that account, as the
// holder of a session. Errors: NotFound.
func (s *Service) ViewerByID(ctx context.Context, accountID string) (core.Viewer, error) {
	var a Account
	err := s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		a, err = accountByID(ctx, tx, accountID)
		return err
	})
	if pg.NoRows(err) {
		return core.Viewer{}, core.NotFoundf("This account no longer exists.")
	}
	if err != nil {
		return core.Viewer{}, fmt.Errorf("look up account: %w", err)
	}
	return a.Viewer(), nil
}
