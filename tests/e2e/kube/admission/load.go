package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	admissionapi "k8s.io/api/admission/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/admission"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
)

// A userLoad is users who create pods, one after the other, for some time. In each second pod, Mark is
// replaced by a number, so that it belongs to a workload that no injector has seen.
type userLoad struct {
	Users   int     `json:"users"`
	Seconds float64 `json:"seconds"`
	Mark    string  `json:"mark"`
}

// A loadResult has the seconds of the admission of a pod. Containers are those of the last pod.
type loadResult struct {
	Pods       int     `json:"pods"`
	Mean       float64 `json:"mean"`
	P50        float64 `json:"p50"`
	P95        float64 `json:"p95"`
	P99        float64 `json:"p99"`
	Errors     int     `json:"errors"`
	Error      string  `json:"error,omitempty"` // the first one
	Containers int     `json:"containers"`
}

// runLoad lets the users create pods in a cluster that holds the manifests.
func runLoad(s scenario) (*loadResult, error) {
	stop := make(chan struct{})
	defer close(stop)
	chain, err := build(s, &recorder{server: s.Server, silent: true}, stop)
	if err != nil {
		return nil, err
	}
	var number atomic.Int64
	var mutex sync.Mutex
	var result loadResult
	var times []float64
	var users sync.WaitGroup
	deadline := time.Now().Add(time.Duration(s.Load.Seconds * float64(time.Second)))
	for range s.Load.Users {
		users.Go(func() {
			for time.Now().Before(deadline) {
				pod, taken, failure := createNumbered(s, chain, number.Add(1))
				mutex.Lock()
				times = append(times, taken)
				result.Containers = len(pod.Spec.Containers) + len(pod.Spec.InitContainers)
				if failure != nil {
					result.Errors++
					if result.Error == "" {
						result.Error = failure.Error()
					}
				}
				mutex.Unlock()
			}
		})
	}
	users.Wait()
	result.describe(times)
	return &result, nil
}

// createNumbered creates a pod, and returns the seconds that its admission takes.
func createNumbered(s scenario, chain admission.Interface, number int64) (core.Pod, float64, error) {
	object := string(s.Object)
	if number%2 == 0 {
		object = strings.ReplaceAll(object, s.Load.Mark, fmt.Sprintf("%0*d", len(s.Load.Mark), number))
	}
	var pod core.Pod
	if err := json.Unmarshal([]byte(object), &pod); err != nil {
		return pod, 0, err
	}
	pod.Namespace = namespaceOf(s)
	ctx := audit.WithAuditContext(context.Background())
	events := audit.AuditContextFrom(ctx)
	if err := events.Init(audit.RequestAuditConfig{Level: auditapi.LevelMetadata}, nil); err != nil {
		return pod, 0, err
	}
	started := time.Now()
	err := create(ctx, chain, &pod, false)
	return pod, time.Since(started).Seconds(), err
}

func (r *loadResult) describe(times []float64) {
	slices.Sort(times)
	r.Pods = len(times)
	for _, each := range times {
		r.Mean += each / float64(len(times))
	}
	percentile := func(share float64) float64 {
		return times[min(len(times)-1, int(share*float64(len(times))))]
	}
	if len(times) > 0 {
		r.P50, r.P95, r.P99 = percentile(0.50), percentile(0.95), percentile(0.99)
	}
}

// A certificate has the paths of a certificate and its key.
type certificate struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

// allow serves a webhook that allows everything, until the program ends; it returns the address.
func allow(files certificate) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	handler := func(out http.ResponseWriter, request *http.Request) {
		var review admissionapi.AdmissionReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		review.Response = &admissionapi.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		review.Request = nil
		out.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(out).Encode(review)
	}
	server := &http.Server{Handler: http.HandlerFunc(handler)}
	go func() { _ = server.ServeTLS(listener, files.Certificate, files.Key) }()
	return listener.Addr().String(), nil
}
