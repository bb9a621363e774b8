// Command mutation evaluates MutatingAdmissionPolicies as kube-apiserver does: with the dispatcher,
// the compiler, the scheme and the reinvocation of Kubernetes.
//
// Each line of standard input is a row (see row). It comes back with "before", the object as
// kube-apiserver sends it to a webhook, and with "after" or "error".
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	cluster := newCluster()
	for in.Scan() {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			log.Fatalf("%v: %s", err, in.Bytes())
		}
		cluster.answer(&r)
		if err := encoder.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}
