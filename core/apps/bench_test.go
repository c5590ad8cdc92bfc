package apps

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"homeplace/core"
)

// megabyte is a file of nearly 1 MB; other ones differ in a member each.
func megabyte(change int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < 1_000_000; i++ {
		fmt.Fprintf(&b, `,{"id":%d,"name":"place %d","lat":%d.5}`, i, i, (i+change)%90)
	}
	return []byte(`{"places":[` + b.String()[1:] + `]}`)
}

func BenchmarkService(b *testing.B) {
	w := setup(b)
	ada := w.member(b, "ada")
	w.app(b, ada, "map")
	w.upload(b, ada, "map", "small.json", `{"a":1}`)
	w.upload(b, ada, "map", "large.json", string(megabyte(0)))
	for i := range 200 {
		w.upload(b, ada, "map", fmt.Sprintf("f%d.json", i), `[]`)
	}
	must := func(b *testing.B, err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("data small", func(b *testing.B) {
		for b.Loop() {
			_, err := w.Data(b.Context(), "map", "small.json", 0)
			must(b, err)
		}
	})
	b.Run("data 1 MB", func(b *testing.B) {
		for b.Loop() {
			_, err := w.Data(b.Context(), "map", "large.json", 0)
			must(b, err)
		}
	})
	b.Run("files", func(b *testing.B) {
		for b.Loop() {
			_, err := w.Files(b.Context(), core.Nobody(), "map", FileFilter{})
			must(b, err)
		}
	})
	b.Run("upload 1 MB", func(b *testing.B) {
		for n := 1; b.Loop(); n++ {
			_, err := w.Upload(b.Context(), ada, "map", UploadInput{Filename: "large.json", Content: megabyte(n)})
			must(b, err)
		}
	})
	b.Run("submit, compare and approve 1 MB", func(b *testing.B) {
		for n := 1; b.Loop(); n++ {
			sent, err := w.Submit(b.Context(), ada, "map", SubmitInput{Filename: "large.json", Content: json.RawMessage(megabyte(-n))})
			must(b, err)
			_, err = w.Difference(b.Context(), ada, sent.ID)
			must(b, err)
			_, err = w.Approve(b.Context(), ada, sent.ID, ApproveInput{})
			must(b, err)
		}
	})
}
