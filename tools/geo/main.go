// Command geo packs gazetteer files into the tables that the binary embeds.
//
//	geo ZIPS CITIES OUTPUT
package main

import (
	"errors"
	"fmt"
	"os"

	"homeplace/core/geo"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "geo:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: geo ZIPS CITIES OUTPUT")
	}
	zips, err := os.Open(args[0])
	if err != nil {
		return fmt.Errorf("open ZIP codes: %w", err)
	}
	defer zips.Close()
	cities, err := os.Open(args[1])
	if err != nil {
		return fmt.Errorf("open cities: %w", err)
	}
	defer cities.Close()

	tables, report, err := new(geo.Gazetteer).ParseZIPs(zips)
	if err != nil {
		return err
	}
	printReport("ZIP codes", report)
	tables, report, err = tables.ParseCities(cities, nil)
	if err != nil {
		return err
	}
	printReport("cities", report)
	packed := tables.Encode()
	if err := os.WriteFile(args[2], packed, 0o644); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	fmt.Printf("%s: %d bytes\n", args[2], len(packed))
	return nil
}

func printReport(what string, report geo.Report) {
	fmt.Printf("%s: %d kept, %d skipped, %d bad\n", what, report.Kept, report.Skipped, report.Bad)
	for _, p := range report.Problems {
		fmt.Println("  ", p)
	}
}
