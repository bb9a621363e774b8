// Command admission is a kube-apiserver reduced to its admission chain: the real plugins
// MutatingAdmissionWebhook, ValidatingAdmissionPolicy and ValidatingAdmissionWebhook of
// k8s.io/apiserver, fed with manifests and objects.
//
// One scenario, a JSON object, a line in; one answer a line out. The webhooks' host names are all
// dialled at the scenario's server, so that https://webhook.example.com needs no DNS. A scenario with
// a load creates many objects, for tools/bench_kube.py.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
)

// A scenario is one object that somebody creates in one cluster.
type scenario struct {
	Manifests              string            `json:"manifests"` // YAML, as kubectl apply takes it
	NamespaceLabels        map[string]string `json:"namespaceLabels"`
	AdmissionConfiguration string            `json:"admissionConfiguration"` // a file, or empty
	Server                 string            `json:"server"`                 // host:port
	Object                 json.RawMessage   `json:"object"`                 // a v1 Pod
	DryRun                 bool              `json:"dryRun"`
	Load                   *userLoad         `json:"load"`
	Allow                  *certificate      `json:"allow"` // serve a webhook that allows everything
}

// An answer is what came of it, and what was said on the wire on the way.
type answer struct {
	Object   json.RawMessage   `json:"object,omitempty"`  // as it would be stored; absent if refused
	Kubectl  string            `json:"kubectl,omitempty"` // what the user reads if refused
	Code     int32             `json:"code,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	Audit    map[string]string `json:"audit,omitempty"`
	Calls    []*call           `json:"calls,omitempty"`
	Load     *loadResult       `json:"load,omitempty"`
	Address  string            `json:"address,omitempty"`
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var s scenario
		if err := in.Decode(&s); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatalf("scenario: %v", err)
		}
		a, err := respond(s)
		if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
}

func respond(s scenario) (a answer, err error) {
	switch {
	case s.Load != nil:
		a.Load, err = runLoad(s)
	case s.Allow != nil:
		a.Address, err = allow(*s.Allow)
	default:
		a, err = run(s)
	}
	return a, err
}
