// Package takeout packs everything that an account owns into a ZIP for its
// owner. What goes in is a list of sections that cmd wires; a section reads
// through its area as the owner, so that row-level security stands behind it.
package takeout

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/ratelimit"
)

const (
	// PerHour is how many packages an account may have made in an hour.
	PerHour = 5
	// MaxBytes bounds what the files of a package hold before they are packed.
	MaxBytes = 512 << 20
)

// readme is the name of the file that explains the others.
const readme = "README.txt"

// Section is one part of a package.
type Section struct {
	Name  string // heading in README.txt, such as "Tokens"
	About string // a sentence or two on what the files hold
	// Files hands over each file: a path with slashes, which is made safe, and
	// the contents, which are read before add returns. v is the owner.
	Files func(ctx context.Context, v core.Viewer, add func(name string, r io.Reader) error) error
}

// limiter counts over all instances.
type limiter interface {
	Take(ctx context.Context, key string, max int, per time.Duration) (ratelimit.Decision, error)
}

// Service makes packages. Its methods are safe for concurrent use.
type Service struct {
	limits   limiter
	now      core.Clock
	maxBytes int64
	sections []Section
}

// New makes the service.
func New(limits limiter, now core.Clock, sections ...Section) *Service {
	return &Service{limits: limits, now: now, maxBytes: MaxBytes, sections: sections}
}

// Sections are what a package holds, for the page that offers it.
func (s *Service) Sections() []Section { return s.sections }

// FileName is what the viewer's package is called today, such as
// "homeplace-ada-2026-11-21.zip".
func (s *Service) FileName(v core.Viewer) string {
	return "homeplace-" + v.Username + "-" + s.now().UTC().Format(time.DateOnly) + ".zip"
}

// Write makes the viewer's package and writes it while it grows. After an error
// what was written is not a whole ZIP. Staff get what is their own and no more:
// it is read as a member. Errors: Unauthenticated; RateLimited; TooLarge.
func (s *Service) Write(ctx context.Context, v core.Viewer, w io.Writer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to take your data along.")
	}
	if err := s.allow(ctx, v); err != nil {
		return err
	}
	owner := core.Viewer{ID: v.ID, Username: v.Username, Role: core.Member}
	p := &packer{zip: zip.NewWriter(w), now: s.now().UTC(), names: newNames(readme), left: s.maxBytes}
	var about strings.Builder
	fmt.Fprintf(&about, "This package was made for %s on %s.\n%s", v.Username, p.now.Format(time.RFC3339), introduction)
	for _, section := range s.sections {
		p.added = nil
		if err := section.Files(ctx, owner, p.add); err != nil {
			return fmt.Errorf("take out %s: %w", section.Name, err)
		}
		describe(&about, section, p.added)
	}
	if err := p.write(readme, strings.NewReader(about.String())); err != nil {
		return err
	}
	if err := p.zip.Close(); err != nil {
		return fmt.Errorf("finish the package: %w", err)
	}
	return nil
}

func (s *Service) allow(ctx context.Context, v core.Viewer) error {
	d, err := s.limits.Take(ctx, "takeout:"+v.ID, PerHour, time.Hour)
	if err != nil {
		return err
	}
	if !d.Allowed {
		return &core.Error{Kind: core.RateLimited, Code: "rate_limited", RetryAfter: d.Reset,
			Msg: fmt.Sprintf("You can have %d packages made in an hour. Please come back a little later.", PerHour)}
	}
	return nil
}

const introduction = `
It holds what belongs to your account and nobody else's. Times are in UTC and
written as RFC 3339 has it; texts are UTF-8. Files that end in .json can be
opened with any text editor. Passwords and the secret part of tokens are not
in here: we keep no more than fingerprints of them.
`

// describe writes what README.txt says of a section.
func describe(b *strings.Builder, s Section, files []string) {
	fmt.Fprintf(b, "\n%s\n%s\n%s\n", s.Name, strings.Repeat("-", len(s.Name)), s.About)
	if len(files) == 0 {
		b.WriteString("You have none, so there is no file.\n")
	}
	for _, name := range files {
		fmt.Fprintf(b, "  %s\n", name)
	}
}

// packer puts files into one ZIP.
type packer struct {
	zip   *zip.Writer
	now   time.Time
	names names
	left  int64 // bytes that still fit
	added []string
}

// add is what a section calls.
func (p *packer) add(name string, r io.Reader) error {
	name = p.names.take(name)
	if err := p.write(name, r); err != nil {
		return err
	}
	p.added = append(p.added, name)
	return nil
}

var errTooLarge = &core.Error{Kind: core.TooLarge, Code: "takeout_too_large",
	Msg: "What you own is too much for one package. Please write to us, and we send it to you in parts."}

func (p *packer) write(name string, r io.Reader) error {
	file, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.now})
	if err != nil {
		return fmt.Errorf("begin %s: %w", name, err)
	}
	n, err := io.Copy(file, io.LimitReader(r, p.left+1))
	if err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	if p.left -= n; p.left < 0 {
		return errTooLarge
	}
	return nil
}
