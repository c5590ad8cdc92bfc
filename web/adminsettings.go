package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/web/httpx"
)

// settings lists every setting.
func (h *handlers) settings(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	rows, err := h.Settings.List(r.Context(), v)
	if err != nil {
		return nil, err
	}
	p := views.SettingsProps{Frame: h.adminFrame(r, v, "Settings")}
	for _, g := range h.Settings.Groups() {
		p.Groups = append(p.Groups, settingGroup(g, rows))
	}
	return show(r, http.StatusOK, views.Settings(p))
}

func settingGroup(g settings.Group, rows []settings.Row) views.SettingGroupProps {
	p := views.SettingGroupProps{ID: g.ID, Title: g.Title}
	for _, row := range rows {
		if g.Has(row.Key) {
			p.Settings = append(p.Settings, settingProps(row))
		}
	}
	return p
}

// settingNames are where a key does not read well.
var settingNames = map[string]string{
	"llm_base_url": "Address of the server", "llm_api_key": "Key for it", "llm_model": "Name of the model", "llm_timeout": "Time for an answer",
	"map_tile_url": "Address of the pictures", "map_attribution": "Source to name", "contact_email": "Contact e-mail",
}

func settingName(key string) string {
	if name, ok := settingNames[key]; ok {
		return name
	}
	words := strings.ReplaceAll(key, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

func settingProps(row settings.Row) views.SettingProps {
	p := views.SettingProps{Key: row.Key, Label: settingName(row.Key), Meaning: row.Meaning, Shown: settingWords(row, row.Value),
		Default: settingWords(row, row.Default), Changed: row.Changed, Control: views.SettingLine, Value: row.Value, State: row.State}
	p.Help = joined(" ", row.Meaning, helpOn(row.Takes))
	switch row.Kind {
	case settings.KindSwitch:
		p.Control = views.SettingSwitch
	case settings.KindSecret:
		p.Control, p.Value, p.Set = views.SettingSecret, "", row.Changed
		p.Help = row.Meaning + " It is set; leave this empty to keep it."
		if !p.Set {
			p.Help = row.Meaning + " It is not set."
		}
		return p
	case settings.KindNumber:
		p.Mode = "numeric"
	}
	switch {
	case row.Changed && row.Default == "":
		p.Help += " It is empty by default."
	case row.Changed:
		p.Help += " By default: " + p.Default + "."
	}
	return p
}

func helpOn(takes string) string {
	if takes == "" {
		return ""
	}
	return strings.ToUpper(takes[:1]) + takes[1:] + "."
}

// settingWords are a value as people read it.
func settingWords(row settings.Row, value string) string {
	switch {
	case row.Kind == settings.KindSecret && value != "":
		return "Set"
	case row.Kind == settings.KindSecret:
		return "Not set"
	case value == "":
		return "Empty"
	case row.Kind == settings.KindSwitch && value == "true":
		return "On"
	case row.Kind == settings.KindSwitch:
		return "Off"
	}
	return value
}

func (h *handlers) settingsForm(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	g, err := h.shownGroup(r, v)
	if err != nil {
		return nil, err
	}
	return h.showSettingsForm(r, v, http.StatusOK, views.SettingsFormProps{Group: g})
}

func (h *handlers) showSettingsForm(r *http.Request, v core.Viewer, status int, p views.SettingsFormProps) (*httpx.Answer, error) {
	p.Frame = h.adminFrame(r, v, "Settings: "+p.Group.Title)
	return show(r, status, views.SettingsForm(p))
}

// shownGroup is the group of the address, as it is now.
func (h *handlers) shownGroup(r *http.Request, v core.Viewer) (views.SettingGroupProps, error) {
	for _, g := range h.Settings.Groups() {
		if g.ID == chi.URLParam(r, "group") {
			rows, err := h.Settings.List(r.Context(), v)
			return settingGroup(g, rows), err
		}
	}
	return views.SettingGroupProps{}, core.NotFoundf("There are no such settings.")
}

// saveSettings stores a group. A form that comes after somebody else's is shown
// again with what was written in it, over what is there now.
func (h *handlers) saveSettings(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	g, err := h.shownGroup(r, v)
	if err != nil {
		return nil, err
	}
	var edits []settings.Edit
	var labels []label
	for i := range g.Settings {
		s := &g.Settings[i]
		labels = append(labels, label{s.Key, s.Label})
		if e, sent := settingEdit(s, values); sent {
			edits = append(edits, e)
		}
	}
	n, err := h.Settings.Change(r.Context(), v, edits)
	if err != nil {
		refusal, ok := refusalOf(err, labels)
		if !ok {
			return nil, err
		}
		return h.showSettingsForm(r, v, formStatus(err), views.SettingsFormProps{Group: g, Refusal: refusal})
	}
	notice := "Saved. It counts from now on."
	if n == 0 {
		notice = "Nothing was different."
	}
	return then(r, views.AdminSettingsPage, notice)
}

// settingEdit reads what a form says of a setting and keeps it in s, for the
// form to be shown again. A secret that was left alone is not sent.
func settingEdit(s *views.SettingProps, values url.Values) (e settings.Edit, sent bool) {
	e = settings.Edit{Key: s.Key, Value: values.Get(s.Key), State: values.Get("was." + s.Key)}
	switch s.Control {
	case views.SettingSecret:
		s.Clear = s.Set && values.Has("clear."+s.Key)
		if e.Value != "" {
			s.Clear = false
		}
		return e, e.Value != "" || s.Clear
	case views.SettingSwitch:
		e.Value = "false"
		if values.Has(s.Key) {
			e.Value = "true"
		}
	default:
		if !values.Has(s.Key) {
			return e, false
		}
	}
	s.Value = e.Value
	return e, true
}
