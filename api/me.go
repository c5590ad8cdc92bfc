package api

import (
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/web/httpx"
)

type meAnswer struct {
	Profile        profile `json:"profile"`
	Roles          roles   `json:"roles"`
	Points         int     `json:"points"`
	PointsLifetime int     `json:"points_lifetime"`
}

type profile struct {
	ID                string    `json:"id"`
	Email             string    `json:"email"`
	Username          string    `json:"username"`
	DisplayName       *string   `json:"display_name"`
	Bio               string    `json:"bio"`
	AvatarURL         *string   `json:"avatar_url"`
	ProfileURL        string    `json:"profile_url"`
	CreatedAt         time.Time `json:"created_at"`
	LeaderboardOptOut bool      `json:"leaderboard_opt_out"`
}

type roles struct {
	Admin        bool `json:"admin"`
	Moderator    bool `json:"moderator"`
	CommunityMod bool `json:"community_mod"`
	AppOwner     bool `json:"app_owner"`
}

func (h *handlers) me(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, err := h.Accounts.Me(r.Context(), v)
	if err != nil {
		return nil, err
	}
	b, err := h.Points.Balance(r.Context(), v)
	if err != nil {
		return nil, err
	}
	ownsApp, err := h.Apps.OwnsAny(r.Context(), v)
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, meAnswer{
		Profile: h.profile(a), Roles: roles{Admin: v.Admin, Moderator: v.Moderator, AppOwner: ownsApp},
		Points: b.Balance, PointsLifetime: b.Lifetime})
}

func (h *handlers) profile(a accounts.Account) profile {
	return profile{
		ID: a.ID, Email: a.Email, Username: a.Username, DisplayName: a.DisplayName, Bio: a.Bio, AvatarURL: a.AvatarURL,
		ProfileURL: h.Addresses.Page("u", a.Username), CreatedAt: a.CreatedAt.UTC(), LeaderboardOptOut: a.LeaderboardOptOut,
	}
}
