package settings

import "strings"

// Group is a part of the settings that belongs together.
type Group struct {
	ID       string // such as "points"
	Title    string
	prefixes []string // of the keys
}

// groups are all groups, in their order. The last takes what no other does.
var groups = []Group{
	{"site", "The site", []string{"site_", "contact_"}},
	{"access", "Signing in", []string{"sign_", "account_", "access_", "refresh"}},
	{"limits", "How much one may send", []string{"writes_", "anonymous_", "votes_", "ask_"}},
	{"apps", "Apps", []string{"app_"}},
	{"polls", "Polls", []string{"poll"}},
	{"points", "Points", []string{"award_"}},
	{"model", "Language model", []string{"llm_"}},
	{"maps", "Maps", []string{"map_"}},
	{"more", "More", []string{""}},
}

// Groups are those that have any setting, in their order.
func (s *Service) Groups() (list []Group) {
	for _, g := range groups {
		for _, d := range s.table {
			if groupOf(d.key) == g.ID {
				list = append(list, g)
				break
			}
		}
	}
	return list
}

// Has tells whether a setting belongs to the group.
func (g Group) Has(key string) bool { return groupOf(key) == g.ID }

func groupOf(key string) string {
	for _, g := range groups {
		for _, prefix := range g.prefixes {
			if strings.HasPrefix(key, prefix) {
				return g.ID
			}
		}
	}
	return ""
}
