package main

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"homeplace/core/llm"
	"homeplace/web/httpx"
)

// metrics are what Prometheus reads. Labels hold route patterns, never paths,
// so that their number stays bounded.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(a *app) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "homeplace_http_requests_total", Help: "Requests answered."}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "homeplace_http_request_duration_seconds", Help: "Time from the request's arrival to the end of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}}, []string{"route"}),
	}
	m.registry.MustRegister(m.requests, m.duration, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	counter := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	counter("homeplace_cache_hits_total", "Answers served from memory.", func() float64 { return float64(a.cache.Stats().Hits) })
	counter("homeplace_cache_misses_total", "Answers that had to be made.", func() float64 { return float64(a.cache.Stats().Misses) })
	gauge("homeplace_cache_bytes", "Bytes of answers in memory.", func() float64 { return float64(a.cache.Stats().Bytes) })
	gauge("homeplace_database_connections_in_use", "Database connections at work.", func() float64 {
		if a.services == nil {
			return 0
		}
		return float64(a.services.db.InUse())
	})
	model := func(value func(llm.Stats) float64) func() float64 {
		return func() float64 {
			if a.services == nil {
				return 0
			}
			return value(a.services.model.Stats())
		}
	}
	gauge("homeplace_llm_breaker_state", "Whether the language model is asked: 0 yes, 1 once to try it, 2 not for now.",
		model(func(s llm.Stats) float64 { return float64(s.State) }))
	counter("homeplace_llm_calls_total", "Questions sent to the language model.", model(func(s llm.Stats) float64 { return float64(s.Calls) }))
	counter("homeplace_llm_failures_total", "Questions that it failed to answer.", model(func(s llm.Stats) float64 { return float64(s.Failures) }))
	counter("homeplace_llm_refused_total", "Questions kept from it after too many failures.", model(func(s llm.Stats) float64 { return float64(s.Refused) }))
	return m
}

// record counts an answered request.
func (m *metrics) record(a httpx.Access) {
	m.requests.WithLabelValues(knownMethod(a.Method), a.Route, strconv.Itoa(a.Status)).Inc()
	m.duration.WithLabelValues(a.Route).Observe(a.Duration.Seconds())
}

// knownMethod keeps what a client made up out of the labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
