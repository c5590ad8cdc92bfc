package api

import (
	"net/http"

	"homeplace/core"
	"homeplace/core/reports"
	"homeplace/web/httpx"
)

// reportBody is the body of a report.
type reportBody struct {
	TargetType     reports.Type     `json:"target_type"`
	TargetID       string           `json:"target_id"`
	ReasonCategory reports.Category `json:"reason_category"`
	ReasonDetail   string           `json:"reason_detail"`
}

type reported struct {
	OK        bool           `json:"ok"`
	Duplicate bool           `json:"duplicate"`
	Status    reports.Status `json:"status"`
}

type reportedBefore struct {
	OK        bool `json:"ok"`
	Duplicate bool `json:"duplicate"`
}

func (h *handlers) report(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body reportBody
	if err := httpx.DecodeJSON(r, &body, httpx.DefaultBody); err != nil {
		return nil, err
	}
	out, err := h.Reports.Send(r.Context(), v, reports.Input{Type: body.TargetType, TargetID: body.TargetID,
		Category: body.ReasonCategory, Detail: body.ReasonDetail})
	switch {
	case err != nil:
		return nil, err
	case out.Duplicate:
		return httpx.JSON(http.StatusOK, reportedBefore{OK: true, Duplicate: true})
	}
	return httpx.JSON(http.StatusCreated, reported{OK: true, Status: out.Status})
}
