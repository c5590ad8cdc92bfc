// Package browser drives a real Chromium for the end-to-end tests. It hides
// the browser's protocol behind what a person does: visit, fill in, click,
// read.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show what a test waits for.
const patience = 15 * time.Second

var (
	start  sync.Once
	root   context.Context
	finish context.CancelFunc
	failed error
)

// Main runs a package's tests and closes the browser afterwards.
func Main(m *testing.M) {
	code := m.Run()
	if finish != nil {
		finish()
	}
	os.Exit(code)
}

// launch starts the one browser of the test binary.
func launch() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		failed = errors.New("no Chromium is installed")
		return
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.NoFirstRun, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(time.Minute))
	browser, stopBrowser := chromedp.NewContext(allocator)
	finish = func() { stopBrowser(); stopAllocator() }
	root, failed = browser, chromedp.Do(browser)
}

// Device is what a page is looked at with. The zero value is a desktop with a
// light theme.
type Device struct {
	Width, Height int // CSS pixels; 0 = 1280 by 900
	Dark          bool
	NoScript      bool
}

// Phone is 360 pixels wide.
var Phone = Device{Width: 360, Height: 780}

// Page is a tab with cookies of its own.
type Page struct {
	t   testing.TB
	ctx context.Context
}

// Open opens a tab in a fresh profile. It skips the test where Chromium is not
// installed.
func Open(t testing.TB, d Device) *Page {
	t.Helper()
	start.Do(launch)
	if failed != nil {
		if root == nil {
			t.Skipf("needs a browser: %v", failed)
		}
		t.Fatalf("start Chromium: %v", failed)
	}
	if d.Width == 0 {
		d.Width, d.Height = 1280, 900
	}
	ctx, cancel := chromedp.NewContext(root, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &Page{t: t, ctx: ctx}
	p.do("open a tab", chromedp.EmulateViewport(int64(d.Width), int64(d.Height)),
		chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			err := colours(ctx, d.Dark)
			if err == nil {
				_, err = chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: d.NoScript})
			}
			return err
		}))
	return p
}

// colours sets the theme that the system of the device prefers.
func colours(ctx context.Context, dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	return err
}

// Darken turns the open page to the dark theme or back.
func (p *Page) Darken(dark bool) {
	p.t.Helper()
	p.do("change the theme", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error { return colours(ctx, dark) }))
	if Evaluate[bool](p, `matchMedia("(prefers-color-scheme: dark)").matches`) != dark {
		p.t.Fatalf("the theme did not change to dark=%v", dark)
	}
}

func (p *Page) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	// The first steps of a tab must run under its own context: a shorter one
	// would close it.
	if err := chromedp.Do(p.ctx); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, p.state())
	}
}

// state describes where the page stands, for messages of failed tests.
func (p *Page) state() string {
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	where, _ := chromedp.Run(ctx, chromedp.Location())
	text, _ := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("body")))
	if len(text) > 1500 {
		text = text[:1500]
	}
	return where + "\n" + text
}

// Visit opens an address and waits for the document; it returns the status.
func (p *Page) Visit(url string) int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	response, err := chromedp.Run(ctx, chromedp.NavigateResponse(url))
	if err != nil {
		p.t.Fatalf("visit %s: %v", url, err)
	}
	return int(response.Status)
}

// Click clicks the first element that a CSS selector finds.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.do("click "+selector, chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// Submit clicks a button that leads to another page, and waits until that has
// loaded.
func (p *Page) Submit(selector string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.RunResponse(ctx, chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
	if err != nil {
		p.t.Fatalf("submit with %s: %v\n%s", selector, err, p.state())
	}
}

// Press types a key that leads to another page, and waits until that has loaded.
func (p *Page) Press(key string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(key)); err != nil {
		p.t.Fatalf("press %s: %v\n%s", key, err, p.state())
	}
}

// Fill replaces what stands in a field.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	if p.Value(selector) != "" { // a text area that is empty has nothing to clear
		p.do("empty "+selector, chromedp.Clear(chromedp.CSS(selector)))
	}
	p.do("fill in "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Select chooses an option by its value.
func (p *Page) Select(selector, value string) {
	p.t.Helper()
	p.do("choose in "+selector, chromedp.SetValue(chromedp.CSS(selector), value))
}

// Text is the visible text of the first element that the selector finds, which
// it waits for.
func (p *Page) Text(selector string) string {
	return run(p, "read "+selector, chromedp.Text(chromedp.CSS(selector)))
}

// Value is what stands in a field.
func (p *Page) Value(selector string) string {
	return run(p, "read the field "+selector, chromedp.Value(chromedp.CSS(selector)))
}

// URL is the address of the page.
func (p *Page) URL() string { return run(p, "read the address", chromedp.Location()) }

// WaitFor waits until an element can be seen.
func (p *Page) WaitFor(selector string) {
	p.t.Helper()
	p.do("wait for "+selector, chromedp.WaitVisible(chromedp.CSS(selector)))
}

// Screenshot writes the whole page as a PNG file.
func (p *Page) Screenshot(file string) {
	p.t.Helper()
	picture := run(p, "take a picture", chromedp.FullScreenshot(100))
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// Evaluate runs JavaScript in the page, whatever its content security policy,
// and returns the value, of which a promise is awaited.
func Evaluate[T any](p *Page, script string) T {
	p.t.Helper()
	return run(p, "evaluate", chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

func run[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, p.state())
	}
	return value
}
