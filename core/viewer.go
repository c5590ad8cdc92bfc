package core

// Role is what the database lets a request do: each is a PostgreSQL role of
// the same name under row-level security.
type Role string

// The roles of a viewer, from least to most.
const (
	Anon   Role = "anon"   // nobody is signed in: reads what is public
	Member Role = "member" // an account: also its own things
	Staff  Role = "staff"  // a moderator or administrator
	System Role = "system" // the program itself: sign-in, jobs, imports
)

// Viewer is on whose behalf a service method runs. It is passed explicitly;
// nothing reads it from a context. The zero value is the anonymous viewer.
type Viewer struct {
	ID        string // account id (UUID), empty for Anon and System
	Username  string
	Role      Role
	Moderator bool
	Admin     bool
}

// Nobody is the anonymous viewer.
func Nobody() Viewer { return Viewer{Role: Anon} }

// TheSystem is the viewer of the program's own work.
func TheSystem() Viewer { return Viewer{Role: System} }

// SignedIn tells whether an account stands behind the viewer.
func (v Viewer) SignedIn() bool { return v.ID != "" }

// IsStaff tells whether the viewer may work the moderators' queues, or is the
// program itself.
func (v Viewer) IsStaff() bool { return v.Role == Staff || v.Role == System }

// DatabaseRole is the role that the viewer's queries run as. The zero viewer
// is Anon, so that forgetting to fill it in shows less, never more.
func (v Viewer) DatabaseRole() Role {
	if v.Role == "" {
		return Anon
	}
	return v.Role
}
