package takeout

import (
	"bytes"
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/apps"
)

type appFile struct {
	ID          string     `json:"id"`
	Slug        string     `json:"slug"`
	Name        string     `json:"name"`
	Summary     string     `json:"summary"`
	Description string     `json:"description"`
	HomepageURL *string    `json:"homepage_url"`
	RepoURL     *string    `json:"repo_url"`
	Status      string     `json:"status"`
	Reason      string     `json:"reason"`
	APIEnabled  bool       `json:"api_enabled"`
	HiddenAt    *time.Time `json:"hidden_at"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// Apps are the owner's apps with the bytes of their data files as they are
// now. One file is in memory at a time.
func Apps(s *apps.Service) Section {
	return Section{Name: "Apps", About: "Your apps, each in a folder: what you say about it, its data files byte for byte as they are now, and the schemas that they must fit.",
		Files: func(ctx context.Context, v core.Viewer, add adder) error {
			own, err := s.Mine(ctx, v)
			if err != nil {
				return err
			}
			for _, summary := range own {
				if err := addApp(ctx, s, v, summary.Slug, add); err != nil {
					return err
				}
			}
			return nil
		}}
}

func addApp(ctx context.Context, s *apps.Service, v core.Viewer, slug string, add adder) error {
	a, err := s.Get(ctx, v, slug)
	if err != nil {
		return err
	}
	dir := "apps/" + slug + "/"
	about := appFile{ID: a.ID, Slug: a.Slug, Name: a.Name, Summary: a.Summary.Summary, Description: a.Description, HomepageURL: a.HomepageURL,
		RepoURL: a.RepoURL, Status: string(a.Status), Reason: a.Reason, APIEnabled: a.APIEnabled, HiddenAt: a.HiddenAt,
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
	if err := addJSON(add, dir+"app.json", about); err != nil {
		return err
	}
	files, err := gathered(apps.FileRule, func(page core.Page) (core.List[apps.File], error) {
		list, err := s.Files(ctx, v, slug, apps.FileFilter{Page: page})
		return list.List, err
	}, func(f apps.File) apps.File { return f })
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := s.VersionData(ctx, v, slug, f.Filename, f.Version)
		if err != nil {
			return err
		}
		if err := add(dir+"files/"+f.Filename, bytes.NewReader(data.Content)); err != nil {
			return err
		}
	}
	schemas, err := s.Schemas(ctx, v, slug)
	if err != nil {
		return err
	}
	for _, schema := range schemas {
		if err := add(dir+"schemas/"+schema.Filename, bytes.NewReader(schema.Content)); err != nil {
			return err
		}
	}
	return nil
}

type submissionFile struct {
	ID          string     `json:"id"`
	App         string     `json:"app"`
	Filename    string     `json:"filename"`
	Message     string     `json:"message"`
	BaseVersion int        `json:"base_version"`
	Status      string     `json:"status"`
	Reason      string     `json:"reason"`
	DecidedAt   *time.Time `json:"decided_at"`
	CreatedAt   time.Time  `json:"created_at"`
	Content     string     `json:"content"` // path within the package
}

// Submissions are the data files that the owner proposed for apps.
func Submissions(s *apps.Service) Section {
	return Section{Name: "Submissions", About: "The data files that you proposed for apps, with what became of each; their contents are in the folder submissions.",
		Files: func(ctx context.Context, v core.Viewer, add adder) error {
			list, err := gathered(apps.SubmissionRule,
				func(page core.Page) (core.List[apps.Submission], error) { return s.MySubmissions(ctx, v, page) },
				func(one apps.Submission) submissionFile {
					return submissionFile{ID: one.ID, App: one.AppSlug, Filename: one.Filename, Message: one.Message, BaseVersion: one.BaseVersion,
						Status: string(one.Status), Reason: one.Reason, DecidedAt: one.DecidedAt, CreatedAt: one.CreatedAt,
						Content: "submissions/" + one.ID + "/" + one.Filename}
				})
			if err != nil {
				return err
			}
			for _, one := range list {
				full, err := s.Submission(ctx, v, one.ID)
				if err != nil {
					return err
				}
				if err := add(one.Content, bytes.NewReader(full.Content)); err != nil {
					return err
				}
			}
			return addJSON(add, "submissions.json", list)
		}}
}
