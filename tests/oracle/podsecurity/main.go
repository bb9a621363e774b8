// Command podsecurity evaluates rows of JSON with the checks of the Pod Security admission plugin.
//
// Each line of standard input is a row with "pod", a Pod. The row comes back with "baseline" and
// "restricted": the sorted ids of the checks of the newest version that the pod violates.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type row struct {
	Pod        json.RawMessage `json:"pod"`
	Baseline   []string        `json:"baseline"`
	Restricted []string        `json:"restricted"`
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
		var pod corev1.Pod
		if err := json.Unmarshal(r.Pod, &pod); err != nil {
			log.Fatal(err)
		}
		r.Baseline, r.Restricted = evaluate(&pod)
		if err := encoder.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

// evaluate runs the newest version of each check. At the level restricted, the plugin replaces some
// checks of the level baseline by stricter ones.
func evaluate(pod *corev1.Pod) (baseline, restricted []string) {
	baseline, restricted = []string{}, []string{}
	overridden := map[policy.CheckID]bool{}
	for _, check := range policy.DefaultChecks() {
		newest := check.Versions[len(check.Versions)-1]
		for _, id := range newest.OverrideCheckIDs {
			overridden[id] = true
		}
	}
	for _, check := range policy.DefaultChecks() {
		newest := check.Versions[len(check.Versions)-1]
		if newest.CheckPod(&pod.ObjectMeta, &pod.Spec).Allowed {
			continue
		}
		id := string(check.ID)
		if check.Level == api.LevelBaseline {
			baseline = append(baseline, id)
		}
		if !overridden[check.ID] {
			restricted = append(restricted, id)
		}
	}
	sort.Strings(baseline)
	sort.Strings(restricted)
	return baseline, restricted
}
