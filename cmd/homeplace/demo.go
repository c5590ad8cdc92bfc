package main

import (
	"bytes"
	"context"
	"crypto/rand"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/rowfile"
	"homeplace/demo"
)

// loadDemo fills each part of the site that is empty, whole or not at all.
func (a *app) loadDemo(ctx context.Context) error {
	if err := a.loadDemoDirectory(ctx); err != nil {
		return err
	}
	if err := a.loadDemoApps(ctx); err != nil {
		return err
	}
	if err := a.loadDemoSayings(ctx); err != nil {
		return err
	}
	if err := a.loadDemoReviews(ctx); err != nil {
		return err
	}
	if err := a.loadDemoShoutOuts(ctx); err != nil {
		return err
	}
	return a.loadDemoFakeReports(ctx)
}

func (a *app) loadDemoDirectory(ctx context.Context) error {
	empty, err := a.services.directory.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	rows, err := demo.Directory(core.Now())
	if err != nil {
		return err
	}
	reader, err := rowfile.NewReader(bytes.NewReader(rows), rowfile.JSONLines)
	if err != nil {
		return err
	}
	summary, err := a.services.directory.Import(ctx, core.TheSystem(), reader, directory.ImportOptions{Strict: true})
	if err == nil {
		a.log.Info("loaded demonstration content", "entries", summary.Created)
	}
	return err
}

// loadDemoApps brings the apps and then their files.
func (a *app) loadDemoApps(ctx context.Context) error {
	empty, err := a.services.apps.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	reader, err := rowfile.NewReader(bytes.NewReader(demo.Apps()), rowfile.JSONLines)
	if err != nil {
		return err
	}
	made, err := a.services.apps.Import(ctx, core.TheSystem(), reader, apps.ImportOptions{Strict: true, OwnerID: a.services.demoOwners()})
	if err != nil {
		return err
	}
	if reader, err = rowfile.NewReader(bytes.NewReader(demo.AppFiles()), rowfile.JSONLines); err != nil {
		return err
	}
	files, err := a.services.apps.ImportFiles(ctx, core.TheSystem(), reader, apps.ImportOptions{Strict: true})
	if err == nil {
		a.log.Info("loaded demonstration content", "apps", made.Created, "files", files.Created)
	}
	return err
}

func (a *app) loadDemoSayings(ctx context.Context) error {
	empty, err := a.services.sayings.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	reader, err := rowfile.NewReader(bytes.NewReader(demo.Sayings()), rowfile.JSONLines)
	if err != nil {
		return err
	}
	summary, err := a.services.sayings.Import(ctx, core.TheSystem(), reader, rowfile.Options{Strict: true})
	if err == nil {
		a.log.Info("loaded demonstration content", "sayings", summary.Created)
	}
	return err
}

// loadDemoReviews brings the products and then what neighbours say of them.
func (a *app) loadDemoReviews(ctx context.Context) error {
	empty, err := a.services.reviews.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	reader, err := rowfile.NewReader(bytes.NewReader(demo.Products()), rowfile.JSONLines)
	if err != nil {
		return err
	}
	made, err := a.services.reviews.ImportProducts(ctx, core.TheSystem(), reader, rowfile.Options{Strict: true})
	if err != nil {
		return err
	}
	if reader, err = rowfile.NewReader(bytes.NewReader(demo.Reviews()), rowfile.JSONLines); err != nil {
		return err
	}
	said, err := a.services.reviews.ImportReviews(ctx, core.TheSystem(), reader, rowfile.Options{Strict: true})
	if err == nil {
		a.log.Info("loaded demonstration content", "products", made.Created, "reviews", said.Created)
	}
	return err
}

// loadDemoShoutOuts praises the businesses of the demonstration directory. Where
// the directory is somebody's own, and lacks one of them, there is nothing to say.
func (a *app) loadDemoShoutOuts(ctx context.Context) error {
	empty, err := a.services.shoutOuts.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	reader, err := rowfile.NewReader(bytes.NewReader(demo.ShoutOuts()), rowfile.JSONLines)
	if err != nil {
		return err
	}
	summary, err := a.services.shoutOuts.Import(ctx, core.TheSystem(), reader, rowfile.Options{Strict: true})
	if core.KindOf(err) == core.Invalid {
		a.log.Info("loaded no demonstration shout-outs: the directory lacks their businesses")
		return nil
	}
	if err == nil {
		a.log.Info("loaded demonstration content", "shout-outs", summary.Created)
	}
	return err
}

func (a *app) loadDemoFakeReports(ctx context.Context) error {
	empty, err := a.services.fakeReports.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	reader, err := rowfile.NewReader(bytes.NewReader(demo.FakeReports()), rowfile.JSONLines)
	if err != nil {
		return err
	}
	summary, err := a.services.fakeReports.Import(ctx, core.TheSystem(), reader, rowfile.Options{Strict: true})
	if err == nil {
		a.log.Info("loaded demonstration content", "reports of fake content", summary.Created)
	}
	return err
}

// demoOwners makes an account for each owner, with a password that nobody
// knows. Where the name is somebody's already, it owns nothing.
func (s *services) demoOwners() func(ctx context.Context, username string) (string, error) {
	made := map[string]string{}
	return func(ctx context.Context, username string) (string, error) {
		if id, ok := made[username]; ok {
			return id, nil
		}
		account, err := s.accounts.Create(ctx, core.TheSystem(), accounts.Input{
			Email: username + "@homeplace.example", Username: username, Password: rand.Text()})
		if err != nil && core.KindOf(err) != core.Conflict {
			return "", err
		}
		made[username] = account.ID
		return account.ID, nil
	}
}
