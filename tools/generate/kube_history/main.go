// Command kube_history writes what go-types.json does not hold: which Kubernetes release each field
// of a pod came with (and which fields went), and the types of workloads.
//
//	go run . ../data/kube
//
// It reads the sources of k8s.io/api and k8s.io/apimachinery from the Go module proxy: one release
// a minor from 0.17, the oldest that the proxy has, to the one that go-types.json describes.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var releases = map[int]string{
	17: "v0.17.0", 18: "v0.18.0", 19: "v0.19.0", 20: "v0.20.1", 21: "v0.21.1", 22: "v0.22.1", 23: "v0.23.3",
	24: "v0.24.2", 25: "v0.25.3", 26: "v0.26.0", 27: "v0.27.3", 28: "v0.28.1", 29: "v0.29.0", 30: "v0.30.0",
	31: "v0.31.0", 32: "v0.32.0", 33: "v0.33.0", 34: "v0.34.0", 35: "v0.35.0", 36: "v0.36.0", 37: "v0.37.2",
}

const first, last = 17, 37

var workloads = []string{
	"PodTemplate", "ReplicationController", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run . FOLDER (that of go-types.json)")
	}
	folder := os.Args[1]
	table := Types{}
	check(load(filepath.Join(folder, "go-types.json"), &table))
	past := map[int]Types{}
	for minor := first; minor <= last; minor++ {
		types, err := read(source("api", minor, "core/v1"), source("apimachinery", minor, "pkg/apis/meta/v1"))
		check(err)
		past[minor] = types
	}
	check(save(filepath.Join(folder, "history.json"), history(table, past)))
	extra, err := read(
		source("api", last, "apps/v1"), source("api", last, "batch/v1"), source("api", last, "scheduling/v1alpha3"),
	)
	check(err)
	check(save(filepath.Join(folder, "workloads.json"), reachable(workloads, table, past[last], extra)))
}

func load(path string, types *Types) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var document struct {
		Structs map[string][]Field
		Scalars map[string]string
	}
	err = json.Unmarshal(text, &document)
	types.structs, types.scalars = document.Structs, document.Scalars
	return err
}

func save(path string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	fmt.Println("wrote", path)
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// source is the folder of one package of one release, downloaded where it is missing.
func source(module string, minor int, pkg string) string {
	name := "k8s.io/" + module + "@" + releases[minor]
	answer, err := exec.Command("go", "mod", "download", "-json", name).Output()
	check(err)
	var found struct{ Dir string }
	check(json.Unmarshal(answer, &found))
	return filepath.Join(found.Dir, pkg)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Document has the form of go-types.json.
type Document struct {
	About   string             `json:"_about"`
	Scalars map[string]string  `json:"scalars"`
	Structs map[string][]Field `json:"structs"`
}

// reachable are the structs and scalars that the roots reach and the table does not hold.
func reachable(roots []string, table Types, sources ...Types) Document {
	found := Document{
		About:   "Workload types of k8s.io/api " + releases[last] + ", in the form of go-types.json, without what stands there. Made by kube_history.",
		Scalars: map[string]string{},
		Structs: map[string][]Field{},
	}
	queue := slices.Clone(roots)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if _, known := table.structs[name]; known || found.Structs[name] != nil {
			continue
		}
		for _, source := range sources {
			if fields, ok := source.structs[name]; ok {
				found.Structs[name] = fields
				for _, field := range fields {
					queue = append(queue, base(field.Type))
				}
			}
			if scalar, ok := source.scalars[name]; ok && table.scalars[name] == "" && !strings.HasPrefix(scalar, "map") {
				found.Scalars[name] = scalar
			}
		}
	}
	return found
}
