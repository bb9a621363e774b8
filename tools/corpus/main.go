// Command corpus writes the golden tests of Istio releases as data, from a clone of Istio.
//
//	go run . CLONE FOLDER TAG...
//
// For every tag, it reads the tables of Istio's own injection tests (package inject) and renders the
// settings of each case from the charts of the tag. Nothing of Istio is compiled or run. A case that
// this program cannot read is listed in meta.json under "unread".
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Folders with tests, charts, and profiles; each tag has some of them.
var wanted = []string{
	"pkg/kube/inject", "pilot/pkg/kube/inject", "install/kubernetes/helm/istio", "manifests", "operator/data/profiles",
	"pilot/pkg/features", snapshot,
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: go run . CLONE FOLDER TAG...")
	}
	clone, folder := os.Args[1], os.Args[2]
	for _, tag := range os.Args[3:] {
		if err := build(clone, folder, tag); err != nil {
			log.Fatalf("%s: %v", tag, err)
		}
	}
}

// build writes the corpus of one tag; a folder is complete or absent.
func build(clone, folder, tag string) error {
	source, err := os.MkdirTemp("", "corpus-source-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(source)
	if err := extract(clone, tag, source); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(folder, ".partial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	summary, err := write(source, partial, tag)
	if err != nil {
		return err
	}
	target := filepath.Join(folder, tag)
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if err := os.Rename(partial, target); err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", tag, summary)
	return nil
}

// extract copies the required folders of a tag into a folder.
func extract(clone, tag, into string) error {
	arguments := []string{"-C", clone, "archive", "--format=tar", tag}
	for _, path := range wanted {
		if exec.Command("git", "-C", clone, "cat-file", "-e", tag+":"+path).Run() == nil {
			arguments = append(arguments, path)
		}
	}
	if len(arguments) == 5 {
		return fmt.Errorf("the clone %s has no tag %s with injection tests; fetch its tags", clone, tag)
	}
	archive := exec.Command("git", arguments...)
	unpack := exec.Command("tar", "-x", "-C", into)
	var problems bytes.Buffer
	archive.Stderr, unpack.Stderr = &problems, &problems
	pipe, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	unpack.Stdin = pipe
	if err := unpack.Start(); err != nil {
		return err
	}
	if err := archive.Run(); err != nil {
		return fmt.Errorf("git archive: %w: %s", err, strings.TrimSpace(problems.String()))
	}
	if err := unpack.Wait(); err != nil {
		return fmt.Errorf("tar: %w: %s", err, strings.TrimSpace(problems.String()))
	}
	return nil
}
