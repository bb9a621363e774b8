package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// record adds the case of a test that compares the results of kube-inject and the webhook for a file.
func (r *reader) record() error {
	variables := r.row.variables
	if r.row.problem != nil {
		return r.row.problem
	}
	input := text(r.row.files["input"])
	if input == "" {
		return errors.New("no input was found")
	}
	made := r.start(text(variables["want"]), text(variables["in"]))
	if r.row.settings == nil { // a case of the webhook only
		r.row.settings = r.row.webhookSettings
	}
	if r.row.settings == nil {
		return errors.New("no settings were found")
	}
	made.Settings = r.use(r.row.settings)
	failure := text(variables["expectedError"]) + text(variables["annotation"])
	if failure != "" {
		made.ExpectedError = &failure
	} else {
		golden := "testdata/inject/" + text(variables["want"])
		if found := r.row.files["golden"]; found != "" {
			golden = found
		}
		expected, err := r.copy("expected", golden)
		if err != nil {
			return err
		}
		made.Expected = &expected
	}
	if log := text(variables["expectedLog"]); log != "" {
		made.ExpectedLog = &log
	}
	var err error
	if made.Input, err = r.copy("inputs", input); err != nil {
		return err
	}
	if r.row.kubeInject {
		made.Modes = append(made.Modes, "kube-inject")
		made.Revision["kube-inject"] = ""
	}
	if r.row.webhook && made.Expected != nil {
		if err := r.addWebhook(&made, input, filepath.Join(r.folder, *made.Expected), toPod); err != nil {
			return err
		}
		made.Revision["webhook"] = r.row.revision
		made.Reinject = strings.Contains(r.code[r.row.test], "runWebhook(t, webhook, wantYAMLs[i], wantYAMLs[i]")
	}
	if len(made.Modes) == 0 {
		return errors.New("the test runs neither kube-inject nor the webhook")
	}
	r.cases = append(r.cases, made)
	return nil
}

// recordHelm adds a case of the webhook with the configuration that the chart renders.
func (r *reader) recordHelm() error {
	variables := r.row.variables
	chosen, err := r.helm()
	if err != nil {
		return err
	}
	made := r.start("helm-"+text(variables["wantFile"]), "")
	made.Settings = r.use(chosen)
	made.IgnoreFields = strings.Contains(r.code["normalizeAndCompareDeployments"], "TerminationMessagePath")
	input := "testdata/webhook/" + text(variables["inputFile"])
	if made.Input, err = r.copy("inputs", input); err != nil {
		return err
	}
	expected, err := r.copy("expected", "testdata/webhook/"+text(variables["wantFile"]))
	if err != nil {
		return err
	}
	made.Expected = &expected
	convert := toTemplate
	if strings.Contains(r.code["compareDeployments"], "ReadinessProbe.HTTPGet.Scheme") {
		convert = toTemplateWithDefaults
	}
	if err := r.addWebhook(&made, input, filepath.Join(r.folder, expected), convert); err != nil {
		return err
	}
	made.Revision["webhook"] = ""
	r.cases = append(r.cases, made)
	return nil
}

// helm are the settings of the chart without changes.
func (r *reader) helm() (*settings, error) {
	if known, ok := r.memory["helm"]; ok {
		return known, nil
	}
	made, err := r.makeHelm()
	if err == nil {
		r.memory["helm"] = made
	}
	return made, err
}

func (r *reader) makeHelm() (*settings, error) {
	charts := filepath.Join(r.source, chartOfPilot)
	if strings.Contains(r.code["createTestWebhookFromHelmConfigMap"], "loadInjection") {
		made, err := r.rendered(nil, "")
		if err != nil {
			return nil, err
		}
		return r.withDefaultMesh(made), nil
	}
	values, err := readValues(filepath.Join(charts, "values.yaml"))
	if err != nil {
		return nil, err
	}
	if strings.Contains(r.code["filterHelmValues"], "statusPort: 15020") { // 1.0.3 to 1.0.9
		changed := map[string]any{"global": map[string]any{"proxy": map[string]any{"statusPort": 15020}}}
		values = overlay(values, changed).(map[string]any)
	}
	found, err := configMaps(charts, values)
	if err != nil {
		return nil, err
	}
	injector, ok := found["istio-sidecar-injector"]
	if !ok {
		return nil, errors.New("the chart renders no ConfigMap istio-sidecar-injector")
	}
	own := injector["values"]
	if own == "" {
		own = "{}"
	}
	return &settings{injector["config"], own, "{}\n", map[string]any{"chart": chartOfPilot}}, nil
}

// recordPatch adds a case of the webhook with a comparison of the complete patch.
func (r *reader) recordPatch() error {
	variables := r.row.variables
	file := text(variables["templateFile"])
	if file == "" {
		file = "TestWebhookInject_template.yaml"
	}
	chosen, err := r.patchSettings(file)
	if err != nil {
		return err
	}
	pod, err := r.copy("webhook-patch", "testdata/webhook/"+text(variables["inputFile"]))
	if err != nil {
		return err
	}
	expected, err := r.copy("webhook-patch", "testdata/webhook/"+text(variables["wantFile"]))
	if err != nil {
		return err
	}
	r.patches = append(r.patches, patchCase{pod, r.use(chosen), expected})
	return nil
}

func (r *reader) patchSettings(file string) (*settings, error) {
	raw, err := os.ReadFile(filepath.Join(r.tests, "testdata/webhook", file))
	if err != nil {
		return nil, err
	}
	values := "{}"
	if strings.Contains(r.code["createTestWebhook"], "getValuesWithHelm") {
		made, err := r.helm()
		if err != nil {
			return nil, err
		}
		values = made.values
	}
	source := map[string]any{"file": file}
	if strings.Contains(r.code["createTestWebhook"], "Template: sidecarTemplate") ||
		strings.Contains(r.code["createTestWebhook"], "Template:") {
		return fromText(string(raw), values, source)
	}
	return r.withDefaultMesh(&settings{string(raw), values, "", source}), nil
}

func (r *reader) start(want, in string) one {
	name := strings.TrimSuffix(want, ".injected")
	if name == "" {
		name = in
	}
	for count, plain := 2, name; r.names[name]; count++ {
		name = fmt.Sprintf("%s#%d", plain, count)
	}
	r.names[name] = true
	features := r.defaults()
	for key, value := range r.row.features {
		features[key] = value
	}
	changes := r.row.changes
	if changes == nil {
		changes = []change{}
	}
	return one{
		Name: name, MeshChanges: changes, Features: features, Env: r.row.env, Namespaces: r.namespaces,
		Modes: []string{}, Revision: map[string]string{}, Test: r.row.test,
	}
}

// defaults are the feature flags of istiod in the release, with the defaults of its tests.
func (r *reader) defaults() map[string]any {
	made := map[string]any{}
	if found := r.switches["ENABLE_LEGACY_FSGROUP_INJECTION"]; found != "" {
		made["legacyFSGroupInjection"] = found != "false"
	}
	if r.switches["REWRITE_TCP_PROBES"] != "" {
		made["rewriteTCPProbes"] = true
	}
	if r.switches["ENABLE_NATIVE_SIDECARS"] != "" {
		// Later tests have nodes with or without support for native sidecars.
		made["nativeSidecars"] = strings.Contains(r.code[r.row.test], "KubeletVersion") &&
			r.row.test != "TestInjectionOlderVersion"
	}
	return made
}

func (r *reader) use(chosen *settings) string {
	name := chosen.name()
	r.chosen[name] = chosen
	return name
}

// copy puts a file of the tests into a folder of the corpus, under the same name.
func (r *reader) copy(folder, file string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(r.tests, file))
	if err != nil {
		return "", err
	}
	kept := strings.TrimPrefix(strings.TrimPrefix(file, "testdata/"), "inject/")
	if folder == "webhook-patch" {
		kept = filepath.Base(file)
	}
	name := filepath.Join(folder, kept)
	target := filepath.Join(r.folder, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	return name, os.WriteFile(target, raw, 0o644)
}

// errSkipped is the error for a golden file without a workload, which Istio's test skips.
var errSkipped = errors.New("skipped by Istio's own test")

type review struct {
	Namespace  string         `json:"namespace"`
	SourceKind string         `json:"source_kind"`
	Pod        map[string]any `json:"pod"`
	Expected   map[string]any `json:"expected_pod"`
}

// addWebhook pairs the pods of two streams, and writes them next to the case.
func (r *reader) addWebhook(made *one, input, golden string, pod func(map[string]any) map[string]any) error {
	before, err := injectable(filepath.Join(r.tests, input))
	if err != nil {
		return err
	}
	after, err := injectable(golden)
	if err != nil {
		return err
	}
	if len(after) == 0 {
		return errSkipped
	}
	if len(before) > len(after) {
		return errors.New("the golden file has fewer workloads than the input")
	}
	reviews := []review{}
	for index, each := range before {
		namespace, _ := dig(each, "metadata", "namespace").(string)
		if pod(nil) == nil { // of templates, tests hide the namespace
			namespace = ""
		}
		reviews = append(reviews, review{namespace, text(each["kind"]), pod(each), pod(after[index])})
	}
	made.WebhookDocs = filepath.Join("webhook", made.Name+".json")
	made.Modes = append(made.Modes, "webhook")
	return save(filepath.Join(r.folder, made.WebhookDocs), reviews)
}

var injected = " Deployment DeploymentConfig DaemonSet StatefulSet Job ReplicaSet ReplicationController CronJob Pod "

// injectable returns the workloads of a stream, including those in lists.
func injectable(file string) ([]map[string]any, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	found := []map[string]any{}
	var add func(document map[string]any)
	add = func(document map[string]any) {
		kind := text(document["kind"])
		if kind == "List" {
			items, _ := document["items"].([]any)
			for _, each := range items {
				if inner, ok := each.(map[string]any); ok {
					add(inner)
				}
			}
		} else if kind != "" && strings.Contains(injected, " "+kind+" ") {
			found = append(found, document)
		}
	}
	for _, part := range strings.Split(string(raw), "\n---") {
		document := map[string]any{}
		if err := yaml.Unmarshal([]byte(part), &document); err != nil {
			return nil, err
		}
		add(document)
	}
	return found, nil
}

func dig(value any, keys ...string) any {
	for _, key := range keys {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = inner[key]
	}
	return value
}

// toTemplate returns the pod template, as in the tests up to 1.7.
func toTemplate(workload map[string]any) map[string]any {
	if workload == nil {
		return nil
	}
	return podOf(dig(workload, "spec", "template"))
}

// toTemplateWithDefaults adds the defaults that 1.0.3 to 1.0.9 add before the comparison.
func toTemplateWithDefaults(workload map[string]any) map[string]any {
	pod := toTemplate(workload)
	containers, _ := dig(pod, "spec", "containers").([]any)
	for _, each := range containers {
		probe, ok := dig(each, "readinessProbe").(map[string]any)
		if ok && dig(each, "name") == "istio-proxy" {
			probe["timeoutSeconds"], probe["successThreshold"] = 1, 1
			probe["httpGet"].(map[string]any)["scheme"] = "HTTP"
		}
	}
	return pod
}

func podOf(template any) map[string]any {
	made := map[string]any{"metadata": map[string]any{}, "spec": map[string]any{}}
	raw, _ := json.Marshal(withoutNulls(template))
	_ = json.Unmarshal(raw, &made)
	return made
}

// withoutNulls removes nulls, because the types of Kubernetes omit them.
func withoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for key, each := range v {
			if each != nil {
				made[key] = withoutNulls(each)
			}
		}
		return made
	case []any:
		made := []any{}
		for _, each := range v {
			made = append(made, withoutNulls(each))
		}
		return made
	}
	return value
}

// toPod returns the pod that Kubernetes creates for a workload, as in the tests since 1.8.
func toPod(workload map[string]any) map[string]any {
	if workload == nil {
		return map[string]any{}
	}
	kind, name := text(workload["kind"]), text(dig(workload, "metadata", "name"))
	version := text(workload["apiVersion"])
	template := dig(workload, "spec", "template")
	switch kind {
	case "Pod":
		return podOf(workload)
	case "CronJob":
		template = dig(workload, "spec", "jobTemplate", "spec", "template")
	}
	pod := podOf(template)
	delete(pod, "apiVersion")
	metadata, _ := pod["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		pod["metadata"] = metadata
	}
	generated := name
	if kind == "Deployment" {
		name, kind, version, generated = name+"-fake", "ReplicaSet", "apps/v1", name+"-fake-"
		labels, _ := metadata["labels"].(map[string]any)
		if labels == nil {
			labels = map[string]any{}
		}
		labels["pod-template-hash"] = "fake"
		metadata["labels"] = labels
	}
	metadata["generateName"] = generated
	metadata["ownerReferences"] = []any{map[string]any{
		"apiVersion": version, "kind": kind, "name": name, "uid": "", "controller": true,
	}}
	return pod
}
