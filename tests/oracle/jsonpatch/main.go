// Command jsonpatch applies JSON Patches as kube-apiserver does: with evanphx/json-patch v4.
//
// Each line of standard input is a row {"before": …, "patch": […]}. It comes back with "after", or
// with "error".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

type row struct {
	Before json.RawMessage `json:"before"`
	Patch  json.RawMessage `json:"patch"`
	After  json.RawMessage `json:"after,omitempty"`
	Error  string          `json:"error,omitempty"`
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
		answer(&r)
		if err := encoder.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

func answer(r *row) {
	defer func() {
		if problem := recover(); problem != nil {
			r.After, r.Error = nil, fmt.Sprintf("panic: %v", problem)
		}
	}()
	patch, err := jsonpatch.DecodePatch(r.Patch)
	if err == nil {
		r.After, err = patch.Apply(r.Before)
	}
	if err != nil {
		r.After, r.Error = nil, err.Error()
	}
}
