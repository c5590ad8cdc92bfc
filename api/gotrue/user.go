package gotrue

import (
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/web/httpx"
)

// user is an account in the client's form.
type user struct {
	ID           string         `json:"id"`
	Aud          string         `json:"aud"`
	Role         string         `json:"role"`
	Email        string         `json:"email"`
	Phone        string         `json:"phone"`
	AppMetadata  map[string]any `json:"app_metadata"`
	UserMetadata metadata       `json:"user_metadata"`
	Identities   []any          `json:"identities"`
	IsAnonymous  bool           `json:"is_anonymous"`
	ConfirmedAt  *time.Time     `json:"email_confirmed_at"`
	CreatedAt    time.Time      `json:"created_at"`
	UpdatedAt    time.Time      `json:"updated_at"`
}

// metadata is the profile, which is all that a program may store with an
// account.
type metadata struct {
	Username    string  `json:"username"`
	DisplayName *string `json:"display_name"`
	Bio         string  `json:"bio"`
	AvatarURL   *string `json:"avatar_url"`
}

// authenticated is both audience and role of everybody who signed in: what
// somebody may do here is no business of the client's.
const authenticated = "authenticated"

func newUser(a accounts.Account) user {
	created := a.CreatedAt.UTC()
	return user{ID: a.ID, Aud: authenticated, Role: authenticated, Email: a.Email,
		AppMetadata:  map[string]any{"provider": "email", "providers": []string{"email"}},
		UserMetadata: metadata{Username: a.Username, DisplayName: a.DisplayName, Bio: a.Bio, AvatarURL: a.AvatarURL},
		Identities:   []any{}, ConfirmedAt: &created, CreatedAt: created, UpdatedAt: created}
}

// profile is what a program may write of metadata. A field that is not there
// stays as it is; null takes a value away.
type profile struct {
	Username    string  `json:"username"`
	DisplayName *string `json:"display_name"`
	Bio         *string `json:"bio"`
	AvatarURL   *string `json:"avatar_url"`
}

func (h *handlers) signUp(r *http.Request) (*httpx.Answer, error) {
	var in struct {
		Email, Password string
		Data            profile
	}
	if err := httpx.DecodeJSON(r, &in, httpx.DefaultBody); err != nil {
		return nil, err
	}
	wanted := accounts.SignUpInput{Email: in.Email, Username: in.Data.Username, Password: in.Password, AddressKey: addressKey(r),
		Shared: httpx.OriginOf(r).Shared}
	if in.Data.DisplayName != nil {
		wanted.DisplayName = *in.Data.DisplayName
	}
	if wanted.Username == "" {
		wanted.Username = accounts.NewUsername()
	}
	outcome, err := h.Access.SignUp(r.Context(), wanted)
	if err != nil {
		return nil, err
	}
	if !outcome.CheckMail {
		return h.begin(r, outcome.Account)
	}
	u := newUser(outcome.Account)
	u.ConfirmedAt = nil
	a, err := httpx.JSON(http.StatusOK, u)
	return private(a), err
}

func (h *handlers) user(r *http.Request, c caller) (*httpx.Answer, error) {
	a, err := h.Accounts.Me(r.Context(), c.Viewer)
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, newUser(a))
}

// update changes the profile and, with the current password, the password and
// the e-mail address; that one once a mailed link is used. A stolen access
// token alone must not take an account over.
func (h *handlers) update(r *http.Request, c caller) (*httpx.Answer, error) {
	var in struct {
		Email, Password string
		CurrentPassword string `json:"current_password"`
		Data            *profile
	}
	if err := httpx.DecodeJSON(r, &in, httpx.DefaultBody); err != nil {
		return nil, err
	}
	if (in.Password != "" || in.Email != "") && in.CurrentPassword == "" {
		return nil, &core.Error{Kind: core.Invalid, Code: "reauthentication_needed",
			Msg: "Send current_password with a new e-mail address or password."}
	}
	if in.Data != nil {
		patch := accounts.ProfilePatch{DisplayName: in.Data.DisplayName, Bio: in.Data.Bio, AvatarURL: in.Data.AvatarURL, From: httpx.OriginOf(r)}
		if _, err := h.Accounts.UpdateProfile(r.Context(), c.Viewer, patch); err != nil {
			return nil, err
		}
	}
	if in.Email != "" {
		if err := h.Access.RequestEmailChange(r.Context(), c.Viewer, in.Email, in.CurrentPassword, addressKey(r)); err != nil {
			return nil, inClientTerms(err, "password")
		}
	}
	if in.Password != "" {
		if err := h.Access.ChangePassword(r.Context(), c.Viewer, in.CurrentPassword, in.Password, c.session); err != nil {
			return nil, inClientTerms(err, "old_password")
		}
	}
	return h.user(r, c)
}

// inClientTerms names the fields of an error as the client does; current is
// what the service calls the current password.
func inClientTerms(err error, current string) error {
	e := core.AsError(err)
	renamed := *e
	renamed.Fields = map[string]string{}
	for field, problem := range e.Fields {
		switch field {
		case current:
			field = "current_password"
		case "new_password":
			field = "password"
		}
		renamed.Fields[field] = problem
	}
	return &renamed
}
