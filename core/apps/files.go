package apps

import (
	"regexp"
	"strings"
	"time"

	"homeplace/core"
)

// ContentType is what every data file is served as.
const ContentType = "application/json"

// File is a data file of an app, as it is now.
type File struct {
	ID        string
	Filename  string
	Version   int // number of the current version
	SizeBytes int
	SHA256    string // of the bytes, hexadecimal
	HasSchema bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// FileSort is the order of a list of files.
type FileSort string

// The orders; the filename always comes last, so that the order is total.
const (
	SortName    FileSort = "name"
	SortSize    FileSort = "size"
	SortUpdated FileSort = "updated"
)

// Direction of a list.
type Direction string

// The directions.
const (
	Ascending  Direction = "asc"
	Descending Direction = "desc"
)

// FileFilter narrows and orders Files.
type FileFilter struct {
	Query  string    // in the filename, any letter case
	Letter string    // first letter: a to z, or # for all else; "" = all
	Sort   FileSort  // "" = SortName
	Dir    Direction // "" = Ascending
	Page   core.Page
}

// FileList is a page of an app's files.
type FileList struct {
	core.List[File]
	App Summary
}

// Data is the bytes of one version of a file.
type Data struct {
	Filename  string
	Content   []byte
	SHA256    string // hexadecimal: the strong ETag
	Version   int
	Current   bool // it is the version that a request without a number gets
	UpdatedAt time.Time
}

// Source is where a version came from.
type Source string

// The sources.
const (
	FromUpload     Source = "upload"
	FromSubmission Source = "submission"
	FromRestore    Source = "restore"
)

// Version is one state of a file. Numbers begin at 1 and have no gaps.
type Version struct {
	ID           string
	Number       int
	SizeBytes    int
	SHA256       string
	Source       Source
	SubmissionID *string
	AuthorID     *string // nil for one who left, and for the program
	AuthorName   *string // username
	Message      string
	CreatedAt    time.Time
	Current      bool
}

// VersionList is a page of a file's history, latest first.
type VersionList struct {
	core.List[Version]
	App  Summary
	File File
}

// UploadInput is a file that the owner stores. Content is the file's bytes.
type UploadInput struct {
	Filename string
	Content  []byte
	Message  string // shown in the history; may be empty
}

// Stored says what became of bytes that were to be the current version.
type Stored struct {
	File      File
	Unchanged bool // the bytes are those of the current version: no new one was made
}

var filenameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\.json$`)

// ValidFilename tells whether a data file may have the name (CONTRACT.md §3).
func ValidFilename(s string) bool { return len(s) <= MaxFilename && filenameForm.MatchString(s) }

func checkFilename(p *core.Problems, s *string) {
	*s = strings.TrimSpace(*s)
	switch {
	case *s == "":
		p.Add("filename", "is required")
	case len(*s) > MaxFilename:
		p.Add("filename", "must have at most %d characters, has %d", MaxFilename, len([]rune(*s)))
	case !ValidFilename(*s):
		p.Add("filename", "must begin with a letter or a digit, consist of letters, digits, dots, hyphens and underscores, and end in .json")
	}
}
