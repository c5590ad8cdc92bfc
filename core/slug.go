package core

// Slug lengths in characters (SERVICE.md §1.5).
const (
	MinSlug = 2
	MaxSlug = 80
)

// ValidSlug tells whether s is lowercase letters and digits in groups joined
// by single hyphens, 2 to 80 characters.
func ValidSlug(s string) bool {
	if len(s) < MinSlug || len(s) > MaxSlug || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '-' && s[i-1] != '-':
		default:
			return false
		}
	}
	return true
}

// ValidID tells whether s is a UUID in its usual form of 36 characters,
// upper or lower case.
func ValidID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		default:
			return false
		}
	}
	return true
}
