package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Targets in bytes, of gzip. A page counts without the styles, fonts and script
// that it names: browsers keep those.
const (
	pageTarget   = 100_000
	styleTarget  = 25_000
	scriptTarget = 10_000
)

// weighed is how many pages of each sort are looked at.
const weighed = 100

// weight is what the heaviest of a sort of answers takes on the wire.
type weight struct {
	name          string
	bytes, target int
}

// weigh asks the program for answers as a browser does.
func weigh(ctx context.Context, program *server, chosen addresses) ([]weight, error) {
	styles, scripts, err := namedFiles(ctx, "http://"+program.addr+"/")
	if err != nil {
		return nil, fmt.Errorf("find styles and script: %w", err)
	}
	var list []weight
	for _, sort := range []struct {
		name      string
		target    int
		addresses []string
	}{
		{"home page", pageTarget, []string{"/"}},
		{"list page", pageTarget, append([]string{cachedPage}, first(chosen.pages)...)},
		{"detail page", pageTarget, pagesOf(first(chosen.details))},
		{"search page", pageTarget, pagesOf(first(chosen.searches))},
		{"app.css", styleTarget, styles},
		{"app.js", scriptTarget, scripts},
	} {
		w := weight{name: sort.name, target: sort.target}
		for _, address := range sort.addresses {
			zipped, err := getZipped(ctx, "http://"+program.addr+address)
			if err != nil {
				return nil, fmt.Errorf("weigh %s: %w", address, err)
			}
			w.bytes = max(w.bytes, len(zipped))
		}
		list = append(list, w)
	}
	return list, nil
}

func first(list []string) []string { return list[:min(len(list), weighed)] }

// pagesOf are the pages of entries and searches of the API.
func pagesOf(addresses []string) []string {
	var pages []string
	for _, address := range addresses {
		page := strings.TrimPrefix(address, "/api")
		pages = append(pages, strings.Replace(page, "/directory/search?", "/search?", 1))
	}
	return pages
}

var (
	styleAddress  = regexp.MustCompile(`/static/app\.[0-9a-f]+\.css`)
	scriptAddress = regexp.MustCompile(`/static/app\.[0-9a-f]+\.js`)
)

// namedFiles reads in a page where its style sheet and its script are: their
// addresses change with their content.
func namedFiles(ctx context.Context, page string) (styles, scripts []string, err error) {
	zipped, err := getZipped(ctx, page)
	if err != nil {
		return nil, nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, nil, err
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	styles, scripts = styleAddress.FindAllString(string(plain), 1), scriptAddress.FindAllString(string(plain), 1)
	if styles == nil || scripts == nil {
		return nil, nil, fmt.Errorf("%s does not name both", page)
	}
	return styles, scripts, nil
}

// getZipped reads a body as it travels; an answer in no or another encoding
// than gzip is an error.
func getZipped(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "gzip") // by hand, so that it is not undone
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if encoding := response.Header.Get("Content-Encoding"); response.StatusCode != http.StatusOK || encoding != "gzip" {
		return nil, fmt.Errorf("answer %s in encoding %q, want 200 OK in gzip", response.Status, encoding)
	}
	return io.ReadAll(response.Body)
}
