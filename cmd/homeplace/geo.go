package main

import (
	"fmt"
	"os"

	"homeplace/core"
	"homeplace/core/geography"
)

type geoCommand struct {
	Import geoImportCommand `cmd:"" help:"Replace the built-in tables by public gazetteer files."`
	Reset  geoResetCommand  `cmd:"" help:"Go back to the built-in tables."`
}

type geoImportCommand struct {
	Zips   string `help:"Postal codes in the GeoNames layout (US.txt or US.zip), or a Census list of points (zip,lat,lng)." type:"existingfile" placeholder:"FILE"`
	Cities string `help:"Cities in the GeoNames layout (cities15000.txt or .zip)." type:"existingfile" placeholder:"FILE"`
}

// Run imports the files and prints what became of their lines.
func (c *geoImportCommand) Run(e *environment) error {
	if c.Zips == "" && c.Cities == "" {
		return core.InvalidField("zips", "or cities must name a file")
	}
	var sources [2]*geography.Source
	var names []string
	for i, name := range []string{c.Zips, c.Cities} {
		if name == "" {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		sources[i] = &geography.Source{Name: name, Read: f}
		names = append(names, name)
	}
	return e.withServices(func(s *services) error {
		reports, err := s.geography.Import(e, core.TheSystem(), sources[0], sources[1])
		if err != nil {
			return err
		}
		for i, r := range reports {
			for _, p := range r.Problems {
				fmt.Fprintf(e.messages, "%s: %s\n", names[i], p)
			}
			fmt.Fprintf(e.out, "%s: %d lines, %d places, %d without a place to take, %d wrong\n", names[i], r.Lines, r.Kept, r.Skipped, r.Bad)
		}
		return nil
	})
}

type geoResetCommand struct{}

// Run drops the imported tables.
func (c *geoResetCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error { return s.geography.Reset(e, core.TheSystem()) })
}
