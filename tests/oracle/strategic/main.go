// Command strategic answers rows of JSON with what apimachinery's strategic merge patch makes of
// them.
//
// Each line of standard input is a row with the texts of two JSON objects, "target" and "patch",
// and perhaps "type": "Pod", which is the default, or "Odd". The row comes back with "want", the
// merged object, or with "error":
//
//	go run . < ../../patch/fixtures/strategic.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

type row struct {
	Type   string          `json:"type,omitempty"`
	Target json.RawMessage `json:"target"`
	Patch  json.RawMessage `json:"patch"`
	Want   json.RawMessage `json:"want,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Odd has the fields that no Pod has: strategies and shapes that strategicpatch knows all the same.
type Odd struct {
	Inlined  `json:",inline"`
	Replaced *Part             `json:"replaced,omitempty" patchStrategy:"replace"`
	Swapped  []Part            `json:"swapped,omitempty" patchStrategy:"replace" patchMergeKey:"id"`
	Retained *Part             `json:"retained,omitempty" patchStrategy:"retainKeys"`
	Pointed  *[]Part           `json:"pointed,omitempty" patchStrategy:"merge" patchMergeKey:"id"`
	Nested   [][]string        `json:"nested,omitempty" patchStrategy:"merge"`
	Words    []string          `json:"words,omitempty" patchStrategy:"merge"`
	Keyless  []Part            `json:"keyless,omitempty" patchStrategy:"merge"`
	Torn     []Part            `json:"torn,omitempty" patchStrategy:"merge,replace" patchMergeKey:"id"`
	Labels   map[string]string `json:"labels,omitempty"`
	Plain    string            `json:"plain,omitempty"`
}

// Inlined stands in Odd's own object.
type Inlined struct {
	Parts []Part `json:"parts,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"id"`
}

// Part is an element with a key.
type Part struct {
	ID    string   `json:"id"`
	Size  int      `json:"size,omitempty"`
	Inner *Part    `json:"inner,omitempty"`
	Words []string `json:"words,omitempty" patchStrategy:"merge"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			log.Fatal(err)
		}
		r.Want, r.Error = nil, ""
		want, err := merge(r)
		if err != nil {
			r.Error = err.Error()
		} else {
			r.Want = want
		}
		if err := encoder.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

// merge reports a panic as an error: strategicpatch compares values that cannot be compared.
func merge(r row) (want json.RawMessage, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	var typed any = corev1.Pod{}
	if r.Type == "Odd" {
		typed = Odd{}
	}
	return strategicpatch.StrategicMergePatch(r.Target, r.Patch, typed)
}
