package web

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
	"golang.org/x/text/unicode/norm"

	"homeplace/core"
	"homeplace/core/settings"
	"homeplace/views/woven"
	"homeplace/web/httpx"
)

const (
	// previewAge is how long the picture of an entry may be kept.
	previewAge = 24 * time.Hour

	previewWidth, previewHeight = 1200, 630 // what Open Graph asks for
	clothWidth                  = 420
	clothTile                   = 70
	textLeft, textRight         = clothWidth + 64, previewWidth - 64
)

var (
	paperColor = color.RGBA{0xFA, 0xF6, 0xEF, 255}
	inkColor   = color.RGBA{0x1E, 0x1A, 0x16, 255}
	softColor  = color.RGBA{0x5E, 0x54, 0x49, 255}
	clayColor  = color.RGBA{0x8F, 0x34, 0x20, 255}
)

// drawing lets one picture be drawn at a time: each takes a processor for some
// hundredths of a second, and pages come first.
var drawing = make(chan struct{}, 1)

// preview is the picture that other sites show of an entry.
func (h *handlers) preview(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	kind, err := kindOf(r)
	if err != nil {
		return nil, err
	}
	slug, ok := strings.CutSuffix(chi.URLParam(r, "file"), ".png")
	if !ok {
		return nil, core.NotFoundf("There is no such picture.")
	}
	e, err := h.Directory.Get(r.Context(), kind, slug)
	if err != nil {
		return nil, err
	}
	body, err := drawPreview(r.Context(), poster{seed: e.Slug, kicker: strings.ToUpper(tagOf(e.Summary)), name: e.Name,
		place: joined(" · ", placeOf(e.Summary), yearsOf(e.Summary)), site: h.Settings.Text(settings.SiteName)})
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "image/png", Body: body}, nil
}

// poster is what stands on a preview.
type poster struct{ seed, kicker, name, place, site string }

func drawPreview(ctx context.Context, p poster) ([]byte, error) {
	select {
	case drawing <- struct{}{}:
		defer func() { <-drawing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	canvas := image.NewRGBA(image.Rect(0, 0, previewWidth, previewHeight))
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(paperColor), image.Point{}, draw.Src)
	drawCloth(canvas, p.seed)
	if err := drawWords(canvas, p); err != nil {
		return nil, fmt.Errorf("draw preview: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, canvas); err != nil {
		return nil, fmt.Errorf("encode preview: %w", err)
	}
	return b.Bytes(), nil
}

// drawCloth weaves the cover along the left side.
func drawCloth(canvas *image.RGBA, seed string) {
	layers, width, _ := woven.Layers(seed, clothWidth, previewHeight, clothTile)
	area := image.Rect(0, 0, clothWidth, previewHeight)
	draw.Draw(canvas, area, image.NewUniform(layers[0].Color), image.Point{}, draw.Src)
	scale := float32(clothWidth) / float32(width)
	for _, layer := range layers[1:] {
		raster := vector.NewRasterizer(clothWidth, previewHeight)
		trace(raster, layer.Path, scale)
		raster.Draw(canvas, area, image.NewUniform(layer.Color), image.Point{})
	}
}

// trace follows the few commands of a woven path.
func trace(raster *vector.Rasterizer, path string, scale float32) {
	var x, y, startX, startY float32
	for i := 0; i < len(path); {
		command := path[i]
		var args []float32
		args, i = numbers(path, i+1)
		switch command {
		case 'M':
			x, y = args[0], args[1]
			startX, startY = x, y
			raster.MoveTo(x*scale, y*scale)
			continue
		case 'm':
			x, y = x+args[0], y+args[1]
			startX, startY = x, y
			raster.MoveTo(x*scale, y*scale)
			continue
		case 'z':
			x, y = startX, startY
			raster.ClosePath()
			continue
		case 'h':
			x += args[0]
		case 'v':
			y += args[0]
		case 'l':
			for n := 0; n+1 < len(args); n += 2 {
				x, y = x+args[n], y+args[n+1]
				raster.LineTo(x*scale, y*scale)
			}
			continue
		}
		raster.LineTo(x*scale, y*scale)
	}
}

// numbers reads the whole numbers from i on, as SVG packs them.
func numbers(path string, i int) (list []float32, next int) {
	for i < len(path) {
		sign, digits := float32(1), 0
		for i < len(path) && (path[i] == ' ' || path[i] == ',') {
			i++
		}
		if i < len(path) && path[i] == '-' {
			sign = -1
			i++
		}
		n := 0
		for i < len(path) && path[i] >= '0' && path[i] <= '9' {
			n, digits, i = n*10+int(path[i]-'0'), digits+1, i+1
		}
		if digits == 0 {
			break
		}
		list = append(list, sign*float32(n))
	}
	return list, i
}

var fonts = sync.OnceValues(func() (f struct{ bold, regular *opentype.Font }, err error) {
	if f.bold, err = opentype.Parse(gobold.TTF); err != nil {
		return f, err
	}
	f.regular, err = opentype.Parse(goregular.TTF)
	return f, err
})

// nameSizes are tried from the largest until the name fits.
var nameSizes = []float64{84, 72, 60, 50, 42}

const maxNameLines = 4

func drawWords(canvas *image.RGBA, p poster) error {
	f, err := fonts()
	if err != nil {
		return err
	}
	pen := writer{canvas: canvas}
	if err := pen.write(f.bold, 26, clayColor, 120, p.kicker); err != nil {
		return err
	}
	baseline := 0
	for i, size := range nameSizes {
		lines, err := wrap(f.bold, size, p.name)
		if err != nil {
			return err
		}
		last := i == len(nameSizes)-1
		if len(lines) > maxNameLines-1 && !last {
			continue
		}
		if len(lines) > maxNameLines {
			lines = lines[:maxNameLines]
			lines[maxNameLines-1] = excerpt(lines[maxNameLines-1]+" …", 22)
		}
		baseline = 130
		for _, line := range lines {
			baseline += int(size * 1.12)
			if err := pen.write(f.bold, size, inkColor, baseline, line); err != nil {
				return err
			}
		}
		break
	}
	if err := pen.write(f.regular, 32, softColor, baseline+64, p.place); err != nil {
		return err
	}
	return pen.write(f.bold, 30, inkColor, previewHeight-56, p.site)
}

type writer struct{ canvas *image.RGBA }

// write sets one line, cut where the picture ends.
func (w writer) write(f *opentype.Font, size float64, c color.Color, baseline int, text string) error {
	face, err := newFace(f, size)
	if err != nil {
		return err
	}
	text = setable(face, text)
	for font.MeasureString(face, text).Ceil() > textRight-textLeft {
		letters := []rune(strings.TrimSuffix(text, "…"))
		text = strings.TrimRight(string(letters[:len(letters)-1]), " ") + "…"
	}
	d := font.Drawer{Dst: w.canvas, Src: image.NewUniform(c), Face: face, Dot: fixed.P(textLeft, baseline)}
	d.DrawString(text)
	return nil
}

func newFace(f *opentype.Font, size float64) (font.Face, error) {
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
}

// wrap breaks a text into lines that fit.
func wrap(f *opentype.Font, size float64, text string) (lines []string, err error) {
	face, err := newFace(f, size)
	if err != nil {
		return nil, err
	}
	line := ""
	for word := range strings.FieldsSeq(setable(face, text)) {
		longer := joined(" ", line, word)
		if line != "" && font.MeasureString(face, longer).Ceil() > textRight-textLeft {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line), nil
}

// setable leaves the marks away that the font lacks, and then the letters.
func setable(face font.Face, text string) string {
	var b strings.Builder
	for _, c := range norm.NFC.String(text) {
		if _, ok := face.GlyphAdvance(c); ok {
			b.WriteRune(c)
			continue
		}
		for _, part := range norm.NFD.String(string(c)) {
			if _, ok := face.GlyphAdvance(part); ok {
				b.WriteRune(part)
			}
		}
	}
	return b.String()
}
