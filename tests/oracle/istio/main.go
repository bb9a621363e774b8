// Command podgraft-oracle answers lines of JSON with Istio's own injector.
//
// A line has one of these keys: settings (replaces the webhook), review (with path), file
// (for kube-inject), pods (to normalize), methods (true: those of the template data), listen (serves the webhook over TLS), or profile (a file for
// the CPU profile, which an empty name ends). The answer to a review has the nanoseconds between the
// request and the response in this process.

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"istio.io/istio/pkg/kube/inject"
)

type question struct {
	Settings *inject.OracleSettings `json:"settings"`
	Review   json.RawMessage        `json:"review"`
	Path     string                 `json:"path"`
	File     *string                `json:"file"`
	Pods     []json.RawMessage      `json:"pods"`
	Listen   *certificate           `json:"listen"`
	Profile  *string                `json:"profile"`
	Methods  bool                   `json:"methods"`
}

// certificate has the paths of a certificate and its key.
type certificate struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

type answer struct {
	Port        int               `json:"port,omitempty"`
	Nanoseconds int64             `json:"nanoseconds,omitempty"`
	Error       string            `json:"error,omitempty"`
	Status      int               `json:"status,omitempty"`
	Body        string            `json:"body,omitempty"`
	Output      string            `json:"output,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Pods        []json.RawMessage `json:"pods,omitempty"`

	Methods map[string][]string `json:"methods,omitempty"`
}

func main() {
	// Istio logs to standard output: answers use a copy of it, and logs go to standard error.
	descriptor, err := syscall.Dup(1)
	if err == nil {
		err = syscall.Dup3(2, 1, 0)
	}
	if err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.NewFile(uintptr(descriptor), "answers"))
	in := bufio.NewReader(os.Stdin)
	var webhook *inject.Webhook
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		var answered answer
		webhook, answered = respond(webhook, asked)
		text, err := json.Marshal(answered)
		if err != nil {
			panic(err)
		}
		out.Write(append(text, '\n'))
		out.Flush()
	}
}

func respond(webhook *inject.Webhook, asked question) (*inject.Webhook, answer) {
	var result answer
	switch {
	case asked.Settings != nil:
		made, err := inject.NewOracle(*asked.Settings)
		if err != nil {
			return nil, answer{Error: err.Error()}
		}
		return made, result
	case asked.Review != nil:
		started := time.Now()
		result.Status, result.Body = webhook.Review(asked.Path, asked.Review)
		result.Nanoseconds = time.Since(started).Nanoseconds()
	case asked.Listen != nil:
		port, err := listen(webhook, *asked.Listen)
		result.Port = port
		if err != nil {
			result.Error = err.Error()
		}
	case asked.Profile != nil:
		if err := profile(*asked.Profile); err != nil {
			result.Error = err.Error()
		}
	case asked.Methods:
		result.Methods = inject.Methods()
	case asked.File != nil:
		output, warnings, err := webhook.KubeInject(*asked.File)
		result.Output, result.Warnings = output, warnings
		if err != nil {
			result.Error = err.Error()
		}
	default:
		for _, each := range asked.Pods {
			pod, err := inject.NormalizePod(each)
			if err != nil {
				return webhook, answer{Error: err.Error()}
			}
			result.Pods = append(result.Pods, pod)
		}
	}
	return webhook, result
}

// listen serves the webhook on loopback, as istiod's HTTPS server does, until the program ends.
func listen(webhook *inject.Webhook, files certificate) (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	server := &http.Server{Handler: webhook.Handler()}
	go func() {
		err := server.ServeTLS(listener, files.Certificate, files.Key)
		os.Stderr.WriteString(err.Error() + "\n")
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// profile starts the CPU profile, or ends it.
func profile(path string) error {
	if path == "" {
		pprof.StopCPUProfile()
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return pprof.StartCPUProfile(file)
}
