// Command kube answers rows of JSON with what Kubernetes' own Go code makes of them.
//
// Each line of standard input is a row; it comes back with the answer in "want", or with "error":
//
//	go run . quantities  {"text": "1.5Gi", "other": "1G"}
//	go run . objects     {"type": "Pod", "object": {…}, "yaml": false}
//	go run . selectors   {"selector": {…}, "labels": [{…}, …]}
//	go run . templates   {"type": "Pod", "object": {…}, "template": "{{ .Name }}"}
//
// Objects are decoded into the type and encoded again, by encoding/json or by sigs.k8s.io/yaml.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"
	"text/template"

	"gopkg.in/inf.v0"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

type row map[string]json.RawMessage

var questions = map[string]func(row) (any, error){
	"quantities": quantity,
	"objects":    object,
	"selectors":  selector,
	"templates":  rendered,
}

var types = map[string]func() any{
	"Container":       func() any { return &corev1.Container{} },
	"CronJob":         func() any { return &batchv1.CronJob{} },
	"Deployment":      func() any { return &appsv1.Deployment{} },
	"Namespace":       func() any { return &corev1.Namespace{} },
	"Pod":             func() any { return &corev1.Pod{} },
	"PodSpec":         func() any { return &corev1.PodSpec{} },
	"StatefulSet":     func() any { return &appsv1.StatefulSet{} },
	"ObjectMeta":      func() any { return &metav1.ObjectMeta{} },
	"PodTemplateSpec": func() any { return &corev1.PodTemplateSpec{} },
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || questions[os.Args[1]] == nil {
		log.Fatal("usage: go run . quantities|objects|selectors|templates < ROWS")
	}
	ask := questions[os.Args[1]]
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	print(row{"go": text(runtime.Version()), "kubernetes": text("0.37.2")})
	for lines.Scan() {
		asked := row{}
		check(json.Unmarshal(lines.Bytes(), &asked))
		want, err := ask(asked)
		if err != nil {
			asked["error"] = text(err.Error())
		} else {
			asked["want"], err = json.Marshal(want)
			check(err)
		}
		print(asked)
	}
	check(lines.Err())
}

func quantity(asked row) (any, error) {
	parsed, err := resource.ParseQuantity(asked.text("text"))
	if err != nil {
		return nil, err
	}
	other, err := resource.ParseQuantity(asked.text("other"))
	if err != nil {
		return nil, err
	}
	sum := parsed.DeepCopy()
	sum.Add(other)
	left, right := parsed.DeepCopy(), other.DeepCopy()
	product := resource.NewDecimalQuantity(*new(inf.Dec).Mul(left.AsDec(), right.AsDec()), parsed.Format)
	if parsed.Format == resource.BinarySI {
		product.RoundUp(0)
	} else {
		product.RoundUp(resource.Milli)
	}
	return map[string]any{
		"canonical": parsed.String(),
		"compare":   parsed.Cmp(other),
		"float":     fmt.Sprintf("%v", parsed.AsApproximateFloat64()),
		"format":    parsed.Format,
		"product":   product.String(),
		"sum":       sum.String(),
		"milli":     parsed.MilliValue(),
		"value":     parsed.Value(),
	}, nil
}

func object(asked row) (any, error) {
	made := types[asked.text("type")]()
	if string(asked["yaml"]) == "true" {
		return made, yaml.Unmarshal(asked["object"], made)
	}
	return made, json.Unmarshal(asked["object"], made)
}

func rendered(asked row) (any, error) {
	made := types[asked.text("type")]()
	if err := json.Unmarshal(asked["object"], made); err != nil {
		return nil, err
	}
	parsed, err := template.New("t").Parse(asked.text("template"))
	check(err)
	output := strings.Builder{}
	err = parsed.Execute(&output, made)
	return output.String(), err
}

func selector(asked row) (any, error) {
	var read *metav1.LabelSelector
	if err := json.Unmarshal(asked["selector"], &read); err != nil {
		return nil, err
	}
	compiled, err := metav1.LabelSelectorAsSelector(read)
	if err != nil {
		return nil, err
	}
	var objects []labels.Set
	check(json.Unmarshal(asked["labels"], &objects))
	matches := []bool{}
	for _, object := range objects {
		matches = append(matches, compiled.Matches(object))
	}
	return map[string]any{"empty": compiled.Empty(), "matches": matches, "text": compiled.String()}, nil
}

func (r row) text(key string) string {
	var value string
	check(json.Unmarshal(r[key], &value))
	return value
}

func text(value string) json.RawMessage {
	encoded, err := json.Marshal(value)
	check(err)
	return encoded
}

func print(answered row) {
	line, err := json.Marshal(answered)
	check(err)
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
