// Command yaml answers rows of JSON with what sigs.k8s.io/yaml and the YAML reader of
// k8s.io/apimachinery make of them.
//
// Each line of standard input is a row. Its field "load", "strict" or "all" holds a text to read
// (YAMLToJSON, YAMLToJSONStrict, or document by document), or its field "dump" the JSON of a value
// to write (Marshal). The row comes back with "want", the JSON or the YAML, or with "error":
//
//	go run . < ../../kubeyaml/fixtures/load.jsonl
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type row struct {
	Load   *string         `json:"load,omitempty"`
	Strict *string         `json:"strict,omitempty"`
	All    *string         `json:"all,omitempty"`
	Dump   json.RawMessage `json:"dump,omitempty"`
	Want   json.RawMessage `json:"want,omitempty"`
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
		r.Want, r.Error = nil, ""
		want, err := answer(r)
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

func answer(r row) (want json.RawMessage, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	switch {
	case r.Load != nil:
		return yaml.YAMLToJSON([]byte(*r.Load))
	case r.Strict != nil:
		return yaml.YAMLToJSONStrict([]byte(*r.Strict))
	case r.All != nil:
		return documents(*r.All)
	case r.Dump != nil:
		return dump(r.Dump)
	default:
		return nil, errors.New("a row needs one of load, strict, all, dump")
	}
}

// documents reads the stream as kubectl does: split at the separators, each part read on its own.
func documents(text string) (json.RawMessage, error) {
	reader := kubeyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader([]byte(text))))
	found := []json.RawMessage{}
	for {
		part, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return json.Marshal(found)
		}
		if err != nil {
			return nil, err
		}
		value, err := yaml.YAMLToJSONStrict(part)
		if err != nil {
			return nil, err
		}
		found = append(found, value)
	}
}

func dump(raw json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(floats(value))
	if err != nil {
		return nil, err
	}
	return json.Marshal(string(text))
}

// floats turns numbers with a point or an exponent into float64, as a Go program holds them.
func floats(value any) any {
	switch typed := value.(type) {
	case json.Number:
		if number, err := typed.Float64(); err == nil && strings.ContainsAny(string(typed), ".eE") {
			return number
		}
	case []any:
		for i := range typed {
			typed[i] = floats(typed[i])
		}
	case map[string]any:
		for key := range typed {
			typed[key] = floats(typed[key])
		}
	}
	return value
}
