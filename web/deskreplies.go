package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// replies lists the saved replies, with a form for another.
func (h *handlers) replies(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showReplies(r, v, http.StatusOK, desk.Reply{}, nil)
}

func (h *handlers) showReplies(r *http.Request, v core.Viewer, status int, sent desk.Reply, problem error) (*httpx.Answer, error) {
	list, err := h.Desk.Replies(r.Context(), v, "")
	if err != nil {
		return nil, err
	}
	p := views.RepliesProps{Lead: "Reasons that fit often, kept for all moderators.", Queue: sent.TargetType, Body: sent.Body, MaxBody: desk.MaxReply,
		Choices: []ui.Option{{Text: "All queues"}}}
	var waiting string
	if p.Queues, waiting, err = h.queues(r.Context(), v, views.RepliesPage); err != nil {
		return nil, err
	}
	names := []ui.Link{{Text: "For all queues"}}
	for _, q := range h.Desk.Queues() {
		p.Choices = append(p.Choices, ui.Option{Value: q.Type, Text: q.Label})
		names = append(names, ui.Link{Text: q.Label, Href: q.Type})
	}
	for _, name := range names {
		group := views.ReplyGroupProps{ID: "for-" + name.Href, Title: name.Text}
		for _, reply := range list {
			if reply.TargetType == name.Href {
				group.Replies = append(group.Replies, views.SavedReplyProps{ID: reply.ID, Body: reply.Body})
			}
		}
		if len(group.Replies) > 0 {
			p.Groups = append(p.Groups, group)
		}
	}
	if fields, message, ok := refused(problem); ok && fields["body"] != "" {
		p.BodyError = "The reply " + fields["body"] + "."
		p.Errors = []ui.FieldError{{ID: "body", Text: p.BodyError}}
	} else if ok {
		p.Problem = message
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Saved replies", NoIndex: true, Viewer: layout.Viewer{Waiting: waiting}})
	return show(r, status, views.Replies(p))
}

func (h *handlers) addReply(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	reply := desk.Reply{TargetType: values.Get("queue"), Body: pastedText(values, "body")}
	if err := h.Desk.AddReply(r.Context(), v, reply); err != nil {
		if _, _, ok := refused(err); ok {
			return h.showReplies(r, v, formStatus(err), reply, err)
		}
		return nil, err
	}
	return then(r, views.RepliesPage, "Saved.")
}

func (h *handlers) removeReply(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	if err := h.Desk.RemoveReply(r.Context(), v, chi.URLParam(r, "id")); err != nil {
		return nil, err
	}
	return then(r, views.RepliesPage, "Removed.")
}
