package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/a-h/templ"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/takeout"
	"homeplace/views"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

func (h *handlers) exportPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, h.exportView(r, v, views.Refusal{}))
}

func (h *handlers) exportView(r *http.Request, v core.Viewer, refusal views.Refusal) templ.Component {
	p := views.ExportProps{Frame: h.accountFrame(r, v, "Take your data along"), PerHour: strconv.Itoa(takeout.PerHour), Refusal: refusal}
	for _, s := range h.Takeout.Sections() {
		p.Parts = append(p.Parts, views.ExportPart{Name: s.Name, About: s.About})
	}
	return views.Export(p)
}

// export sends the package. It is made whole in a file first, so that a failure
// is a page and not half a ZIP, and a slow line holds no connection to the
// database.
func (h *handlers) export(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	file, size, err := spooled(func(w io.Writer) error { return h.Takeout.Write(r.Context(), v, w) })
	if err != nil {
		return h.refuse(r, err, nil, func(refusal views.Refusal) templ.Component { return h.exportView(r, v, refusal) })
	}
	a := &httpx.Answer{Status: http.StatusOK, ContentType: "application/zip", Cache: httpx.Private(),
		Stream: func(_ context.Context, s *httpx.Stream) error {
			defer file.Close()
			_, err := io.Copy(s, file)
			return err
		}}
	a.SetHeader("Content-Disposition", `attachment; filename="`+h.Takeout.FileName(v)+`"`)
	a.SetHeader("Content-Length", strconv.FormatInt(size, 10))
	return a, nil
}

// spooled keeps what write writes in a file that has no name any more: it goes
// away with whoever holds it.
func spooled(write func(w io.Writer) error) (file *os.File, size int64, err error) {
	if file, err = os.CreateTemp("", "homeplace-export-"); err != nil {
		return nil, 0, fmt.Errorf("open a file for an export: %w", err)
	}
	if err = errors.Join(os.Remove(file.Name()), write(file)); err == nil {
		if size, err = file.Seek(0, io.SeekCurrent); err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
	}
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("make an export: %w", err)
	}
	return file, size, nil
}

func (h *handlers) deletePage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	props, err := h.deleteProps(r, v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.Delete(props))
}

func (h *handlers) deleteProps(r *http.Request, v core.Viewer) (p views.DeleteProps, err error) {
	p.Username = v.Username
	if p.WithPassword, err = h.Access.HasPassword(r.Context(), v); err != nil {
		return p, err
	}
	p.Frame = h.accountFrame(r, v, "Delete your account")
	return p, nil
}

// deleteAccount ends the account, and with it this session and every other.
func (h *handlers) deleteAccount(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	in := accounts.LeaveInput{Contributions: accounts.Keeping(f.Get("contributions")), Password: f.Get("password"),
		Username: f.Get("username"), SessionID: session.ID(r)}
	if err := h.Access.Leave(r.Context(), v, in); err != nil {
		props, failed := h.deleteProps(r, v)
		if failed != nil {
			return nil, failed
		}
		return h.refuse(r, err, deleteLabels, func(refusal views.Refusal) templ.Component {
			props.Contributions, props.Typed, props.Refusal = f.Get("contributions"), in.Username, refusal
			return views.Delete(props)
		})
	}
	if err := session.SignOut(r); err != nil {
		return nil, err
	}
	return then(r, "/", "Your account is deleted. Thank you for what you gave, and come back whenever you like.")
}

var deleteLabels = []label{{"contributions", "What becomes of what you sent"}, {"password", "Password"}, {"username", "Your username"}}
