package directory

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeplace/core"
	"homeplace/core/markdown"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
	"homeplace/core/slugs"
)

func (im *importer) read(ctx context.Context, row rowfile.Row) (record, error) {
	row.Rename(im.options.Map)
	in, owner, left, err := inputOf(row)
	if err != nil {
		return record{}, err
	}
	if owner != "" {
		if im.options.OwnerID == nil {
			return record{}, core.InvalidField("owner", "cannot be looked up here")
		}
		if in.OwnerID, err = im.options.OwnerID(ctx, owner); err != nil {
			return record{}, err
		}
	}
	if in.Slug == "" {
		in.Slug = im.makeSlug(in)
	}
	im.curate(&in)
	if left != nil {
		im.summary.Mended++
		im.report(row.Line, left)
	}
	return newRecord(in, row.Line), nil
}

// makeSlug makes a slug from name and city, with the first number that no
// other row of this import was given: the same file gives the same slugs.
func (im *importer) makeSlug(in Input) string {
	made := slugs.Make(fmt.Sprintf("%s-%08x", in.Kind, crc32.ChecksumIEEE([]byte(in.Name))), in.Name, in.City)
	for {
		im.made[made]++
		slug := slugs.Numbered(made, im.made[made])
		if slug == made {
			return slug
		}
		if im.made[slug] == 0 {
			im.made[slug] = 1
			return slug
		}
	}
}

// curate maps the category to a curated one; what is not on the list becomes a
// tag, or joins the list.
func (im *importer) curate(in *Input) {
	if in.Category == "" {
		return
	}
	wanted := slugs.Make("", in.Category)
	if known := im.curated.known(in.Kind, []string{wanted}); len(known) == 1 {
		in.Category = known[0]
		return
	}
	if !im.options.AddCategories || wanted == "" {
		im.summary.Uncurated[in.Category]++
		if len(in.Tags) < maxTags {
			in.Tags = normalizeTags(append(in.Tags, strings.ReplaceAll(in.Category, "-", " ")))
		}
		in.Category = ""
		return
	}
	label := strings.ReplaceAll(in.Category, "-", " ")
	first, size := utf8.DecodeRuneInString(label)
	c := Category{Kind: in.Kind, Slug: wanted, Label: string(unicode.ToUpper(first)) + label[size:]}
	im.batch.added = append(im.batch.added, c)
	im.curated.slugs[in.Kind][wanted] = wanted
	in.Category = wanted
}

// newRecord is the input as the row to store, its Markdown rendered.
func newRecord(in Input, line int) record {
	r := record{
		ID: in.ID, Slug: in.Slug, Kind: in.Kind, Name: in.Name, Category: set(in.Category), Summary: set(in.Summary),
		Address: set(in.Address), City: set(in.City), Region: set(in.Region), Country: set(in.Country), Zip: set(in.Zip),
		Lat: in.Lat, Lng: in.Lng, Phone: set(in.Phone), Email: set(in.Email), Website: set(in.Website), ImageURL: set(in.ImageURL),
		Links: in.Links, Tags: in.Tags, Hours: in.Hours, Verified: in.Verified, StartsAt: in.StartsAt, EndsAt: in.EndsAt,
		YearStart: in.YearStart, YearEnd: in.YearEnd, Status: set(string(in.Status)), Hidden: in.Hidden, OwnerID: set(in.OwnerID), line: line,
	}
	if r.ID == "" {
		r.ID = pg.NewID()
	}
	if in.Description != "" {
		html := string(markdown.Render(in.Description))
		r.Description, r.DescriptionHTML = &in.Description, &html
	}
	return r
}

func set(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
