package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

var schemaLabels = []label{{"filename", "The file name"}, {"schema", "The schema"}}

// managedSchemas lists the schemas by file name.
func (h *handlers) managedSchemas(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	page, err := h.schemasView(r, v, m, views.SchemaFormProps{})
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, page)
}

func (h *handlers) schemasView(r *http.Request, v core.Viewer, m managed, left views.SchemaFormProps) (templ.Component, error) {
	list, err := h.Apps.Schemas(r.Context(), v, m.Slug)
	if err != nil {
		return nil, err
	}
	p := views.ManageSchemasProps{Manage: h.manageView(r, v, m, views.SchemasTab, "Schemas", ui.Link{Text: "Schemas"}), Form: left}
	for _, s := range list {
		p.Rows = append(p.Rows, views.SchemaRow{Filename: s.Filename, Href: m.schema(s.Filename), Size: ui.Size(len(s.Content)), Changed: h.moment(s.UpdatedAt)})
	}
	return views.ManageSchemas(p), nil
}

// managedSchema shows the schema of a file name, or the form for one.
func (h *handlers) managedSchema(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	page, err := h.schemaView(r, v, m, nil)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, page)
}

// schemaView draws the form as it was left, or with what is stored for nil.
func (h *handlers) schemaView(r *http.Request, v core.Viewer, m managed, left *views.SchemaFormProps) (templ.Component, error) {
	name := chi.URLParam(r, "filename")
	p := views.ManageSchemaProps{Path: m.schema(name), Form: views.SchemaFormProps{Filename: name},
		Manage: h.manageView(r, v, m, views.SchemasTab, "Schema of "+name, ui.Link{Text: "Schemas", Href: m.base() + views.SchemasTab}, ui.Link{Text: name})}
	stored, err := h.Apps.Schema(r.Context(), v, m.Slug, name)
	if err == nil {
		p.There, p.Changed, p.Form.Schema = true, h.moment(stored.UpdatedAt), string(stored.Content)
	} else if core.KindOf(err) != core.NotFound {
		return nil, err
	}
	_, noFile := h.Apps.File(r.Context(), v, m.Slug, name)
	switch {
	case noFile == nil:
		p.File = m.file(name)
	case core.KindOf(noFile) != core.NotFound:
		return nil, noFile
	case !p.There:
		return nil, noFile // a name that nothing has
	}
	if left != nil {
		p.Form = *left
	}
	return views.ManageSchema(p), nil
}

// sentSchema reads a form with a schema in it: a file counts more than the
// text, which stands there already.
func sentSchema(r *http.Request) (views.SchemaFormProps, error) {
	values, files, err := fileForm(r)
	if err != nil {
		return views.SchemaFormProps{}, err
	}
	left := views.SchemaFormProps{Filename: values.Get("filename"), Schema: pastedText(values, "schema")}
	if len(files) > 0 {
		left.Schema = string(files[0].content)
	}
	return left, nil
}

// attachSchema takes a schema for any file name.
func (h *handlers) attachSchema(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	left, err := sentSchema(r)
	if err != nil {
		return nil, err
	}
	return h.setSchema(r, v, m, left, func(left views.SchemaFormProps) (templ.Component, error) { return h.schemasView(r, v, m, left) })
}

// replaceSchema takes a schema for the file name in the address.
func (h *handlers) replaceSchema(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	left, err := sentSchema(r)
	if err != nil {
		return nil, err
	}
	left.Filename = chi.URLParam(r, "filename")
	return h.setSchema(r, v, m, left, func(left views.SchemaFormProps) (templ.Component, error) { return h.schemaView(r, v, m, &left) })
}

func (h *handlers) setSchema(r *http.Request, v core.Viewer, m managed, left views.SchemaFormProps, again func(views.SchemaFormProps) (templ.Component, error)) (*httpx.Answer, error) {
	err := h.Apps.SetSchema(r.Context(), v, m.Slug, left.Filename, []byte(left.Schema))
	if err == nil {
		return then(r, m.base()+views.SchemasTab, "Files named "+left.Filename+" must fit the schema from now on.")
	}
	fields, message, ok := refused(err)
	if !ok {
		return nil, err
	}
	for _, l := range schemaLabels {
		if text, wrong := fields[l.name]; wrong {
			left.Refusal.Fields = append(left.Refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: text})
		}
	}
	if len(left.Refusal.Fields) == 0 {
		left.Refusal.Problem = message
	}
	page, failed := again(left)
	if failed != nil {
		return nil, failed
	}
	return show(r, formStatus(err), page)
}

func (h *handlers) askRemoveSchema(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	s, err := h.Apps.Schema(r.Context(), v, m.Slug, chi.URLParam(r, "filename"))
	if err != nil {
		return nil, err
	}
	path := m.schema(s.Filename)
	return show(r, http.StatusOK, views.ManageAsk(views.ManageAskProps{
		Manage: h.manageView(r, v, m, views.SchemasTab, "Remove the schema of "+s.Filename,
			ui.Link{Text: "Schemas", Href: m.base() + views.SchemasTab}, ui.Link{Text: s.Filename, Href: path}, ui.Link{Text: "Remove"}),
		Title:  "Remove the schema of " + s.Filename + "?",
		Texts:  []string{"Files of this name are then taken whatever they hold, as long as they are JSON. The file itself stays."},
		Action: path + "/remove", Button: "Remove the schema", Keep: ui.Link{Text: "Keep it", Href: path}}))
}

func (h *handlers) removeSchema(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug, name := chi.URLParam(r, "slug"), chi.URLParam(r, "filename")
	if err := h.Apps.RemoveSchema(r.Context(), v, slug, name); err != nil {
		return nil, err
	}
	return then(r, managePath(slug)+views.SchemasTab, "Files named "+name+" may hold anything again.")
}
