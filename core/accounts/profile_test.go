package accounts

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pgtest"
)

func TestUpdateProfile(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, bea := w.account(t, "ada", RoleMember), w.account(t, "bea", RoleModerator)
	text := func(s string) *string { return &s }
	yes := true
	a, err := w.UpdateProfile(t.Context(), ada, ProfilePatch{DisplayName: text(" Ada L. "), Bio: text("Counts.\r\nWrites."),
		AvatarURL: text("https://pictures.example.org/ada.png"), LeaderboardOptOut: &yes})
	if err != nil || *a.DisplayName != "Ada L." || a.Bio != "Counts.\nWrites." || *a.AvatarURL != "https://pictures.example.org/ada.png" || !a.LeaderboardOptOut {
		t.Fatalf("UpdateProfile = %+v, %v", a, err)
	}
	if p, err := w.PublicProfile(t.Context(), "ada"); err != nil || p.Username != "ada" || *p.DisplayName != "Ada L." || !p.LeaderboardOptOut {
		t.Errorf("PublicProfile = %+v, %v", p, err)
	}
	a, err = w.UpdateProfile(t.Context(), ada, ProfilePatch{DisplayName: text(""), AvatarURL: text(" ")})
	if err != nil || a.DisplayName != nil || a.AvatarURL != nil || a.Bio != "Counts.\nWrites." || !a.LeaderboardOptOut {
		t.Errorf("taking two things away = %+v, %v", a, err)
	}
	if a, err = w.UpdateProfile(t.Context(), ada, ProfilePatch{}); err != nil || a.Bio != "Counts.\nWrites." {
		t.Errorf("changing nothing = %+v, %v", a, err)
	}
	if p, err := w.PublicProfile(t.Context(), "bea"); err != nil || p.Bio != "" {
		t.Errorf("another's profile = %+v, %v", p, err)
	}
	if _, err := w.UpdateProfile(t.Context(), core.Nobody(), ProfilePatch{}); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("nobody: %v", err)
	}
	if n, err := w.db.Exec(t, bea, `update profiles set bio = 'mine' where username = 'ada'`); err != nil || n != 0 {
		t.Errorf("staff change %d profiles of others, %v", n, err)
	}
	if bio := pgtest.Value[string](t, w.db, core.TheSystem(), `select bio from profiles where username = 'ada'`); bio != "Counts.\nWrites." {
		t.Errorf("the bio is %q", bio)
	}
}

func TestProfilePatchValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, bio, picture string
		wrong              []string
	}{
		{strings.Repeat("é", 60), strings.Repeat("é", 500), "https://example.org/" + strings.Repeat("x", 480), nil},
		{strings.Repeat("é", 61), strings.Repeat("é", 501), "https://example.org/" + strings.Repeat("x", 481), []string{"avatar_url", "bio", "display_name"}},
		{"a\nb", "a\tb\x00", "http://example.org/x.png", []string{"avatar_url", "bio", "display_name"}},
		{"", "", "javascript:alert(1)", []string{"avatar_url"}},
		{"👩🏾‍🌾", "हिन्दी, 한국어, עברית", "", nil},
		{"\u200b\u2060", "", "", []string{"display_name"}},
		{"ada\u202egnp.exe", "see \u2066here", "", []string{"bio", "display_name"}},
		{"", "", "data:image/png;base64,x", []string{"avatar_url"}},
		{"", "", "https://ada:secret@example.org/x.png", []string{"avatar_url"}},
		{"", "", "https:///x.png", []string{"avatar_url"}},
	} {
		patch := ProfilePatch{DisplayName: &c.name, Bio: &c.bio, AvatarURL: &c.picture}
		var wrong []string
		if err := patch.validate(); err != nil {
			wrong = slices.Sorted(maps.Keys(core.AsError(err).Fields))
		}
		if !slices.Equal(wrong, c.wrong) {
			t.Errorf("%+v: wrong fields %v, want %v", c, wrong, c.wrong)
		}
	}
}

func TestPublicProfileOfNobody(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, name := range []string{"nobody", "", "a/b", "\x00", "a\xff"} {
		if _, err := w.PublicProfile(t.Context(), name); core.KindOf(err) != core.NotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
}
