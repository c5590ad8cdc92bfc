package apps

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// reserved are slugs that stand for pages.
var reserved = []string{"new", "mine"}

func (in *Input) check(p *core.Problems) {
	switch in.Slug = strings.TrimSpace(in.Slug); {
	case in.Slug == "":
	case !core.ValidSlug(in.Slug):
		p.Add("slug", "must be 2 to 80 lowercase letters and digits, joined by single hyphens")
	case slices.Contains(reserved, in.Slug):
		p.Add("slug", "is kept for a page of the site; choose another")
	}
	p.Line("name", &in.Name, 1, MaxName)
	p.Text("summary", &in.Summary, 0, MaxSummary)
	p.Text("description", &in.Description, 0, MaxDescription)
	checkAddress(p, "homepage_url", &in.HomepageURL)
	checkAddress(p, "repo_url", &in.RepoURL)
}

func checkAddress(p *core.Problems, field string, s *string) {
	p.Line(field, s, 0, maxAddress)
	if *s == "" {
		return
	}
	if u, err := url.Parse(*s); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		p.Add(field, "must be an address that starts with http:// or https://")
	}
}

// Create makes an app that waits for staff. Errors: Unauthenticated, Invalid,
// Conflict with slug_taken or too_many_apps.
func (s *Service) Create(ctx context.Context, v core.Viewer, in Input) (App, error) {
	if !v.SignedIn() {
		return App{}, core.Unauthenticatedf("Sign in to bring in an app.")
	}
	var p core.Problems
	in.check(&p)
	if err := p.Err(); err != nil {
		return App{}, err
	}
	var a App
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		slug, err := s.insert(ctx, tx, v, in)
		if err == nil {
			a, err = appBySlug(ctx, tx, slug)
		}
		return err
	})
	if breaks(err, "apps_room") {
		return App{}, core.Conflictf("too_many_apps", "You have %d apps, and that is as many as there can be. Remove one first.", MaxApps)
	}
	return a, explained("create app", err, errNoApp(in.Slug))
}

// insert stores the app under its slug, or under the first free one that its
// name gives.
func (s *Service) insert(ctx context.Context, tx *pg.Tx, v core.Viewer, in Input) (string, error) {
	id, made := pg.NewID(), in.Slug == ""
	base := in.Slug
	if made {
		base = slugs.Make("app-"+id[len(id)-12:], in.Name)
	}
	for n := 1; ; n++ {
		in.Slug = slugs.Numbered(base, n)
		if made && slices.Contains(reserved, in.Slug) {
			continue
		}
		stored, err := insertApp(ctx, tx, v.ID, in, id, s.now())
		switch {
		case err != nil || stored:
			return in.Slug, err
		case !made:
			return "", errSlugTaken(in.Slug)
		}
	}
}

func errSlugTaken(slug string) *core.Error {
	e := core.Conflictf("slug_taken", "The address %q belongs to another app. Choose another.", slug)
	e.Fields = map[string]string{"slug": "belongs to another app"}
	return e
}

// Update changes what the patch names; a refused app waits for staff again. For
// who keeps the app. Errors: Unauthenticated, NotFound, Forbidden, Invalid.
func (s *Service) Update(ctx context.Context, v core.Viewer, slug string, in Patch) (App, error) {
	return s.change(ctx, v, slug, func(tx *pg.Tx, a App) (bool, error) {
		form := FormOf(a)
		in.apply(&form)
		form.Slug = "" // stays, and may be older than a rule about slugs
		var p core.Problems
		form.check(&p)
		if err := p.Err(); err != nil {
			return false, err
		}
		done, err := updateApp(ctx, tx, a.ID, form, s.now())
		if err == nil && a.Status == Refused {
			err = tx.AsSystem(ctx, func(tx *pg.Tx) error { return waitAgain(ctx, tx, a.ID) })
		}
		return done, err
	})
}

func (in Patch) apply(form *Input) {
	for _, change := range []struct{ to, from *string }{
		{&form.Name, in.Name}, {&form.Summary, in.Summary}, {&form.Description, in.Description},
		{&form.HomepageURL, in.HomepageURL}, {&form.RepoURL, in.RepoURL},
	} {
		if change.from != nil {
			*change.to = *change.from
		}
	}
}

// SetAPI switches the app's public API on or off: off, nobody but its owner and
// staff sees it. Errors: as of Update.
func (s *Service) SetAPI(ctx context.Context, v core.Viewer, slug string, on bool) (App, error) {
	return s.change(ctx, v, slug, func(tx *pg.Tx, a App) (bool, error) {
		return setAPI(ctx, tx, a.ID, on, s.now())
	})
}

// change lets do write to an app that the viewer keeps, and reads it again.
func (s *Service) change(ctx context.Context, v core.Viewer, slug string, do func(*pg.Tx, App) (done bool, err error)) (App, error) {
	if err := requireMember(v); err != nil {
		return App{}, err
	}
	var a App
	err := s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		tx.Touch(Area)
		if a, err = kept(ctx, tx, v, slug); err != nil {
			return err
		}
		done, err := do(tx, a)
		if err != nil {
			return err
		}
		if !done {
			return errNoApp(slug)
		}
		a, err = appBySlug(ctx, tx, slug)
		return err
	})
	return a, explained("change app", err, errNoApp(slug))
}

// Delete removes the app with its files, their history and what was submitted.
// Errors: as of Update.
func (s *Service) Delete(ctx context.Context, v core.Viewer, slug string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Area)
		a, err := kept(ctx, tx, v, slug)
		if err != nil {
			return err
		}
		if done, err := deleteApp(ctx, tx, a.ID); err != nil || done {
			return err
		}
		return errNoApp(slug)
	})
	return explained("remove app", err, errNoApp(slug))
}
