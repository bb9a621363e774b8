package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"
)

// settings are the three documents of an injector, and their origin.
type settings struct {
	config, values, mesh string
	source               map[string]any
}

// name returns a short name, which is equal for equal origins.
func (s *settings) name() string {
	if plain, ok := s.source["default"].(bool); ok && plain {
		if s.source["mesh"] != nil {
			return "default-without-mesh"
		}
		return "default"
	}
	origin, _ := json.Marshal(s.source)
	return fmt.Sprintf("%x", sha256.Sum256(origin))[:12]
}

func (s *settings) write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	source, err := json.MarshalIndent(s.source, "", "  ")
	if err != nil {
		return err
	}
	files := map[string]string{
		"config.yaml": s.config, "values.json": s.values, "mesh.yaml": s.mesh, "source.json": string(source) + "\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fromText returns a configuration with only a template, as in tests without charts.
func fromText(text, values string, source map[string]any) (*settings, error) {
	config, err := yaml.Marshal(map[string]any{"policy": "enabled", "template": text})
	return &settings{string(config), values, "{}\n", source}, err
}

// fromParameters renders the template of Istio 1.0 and 1.1, which is a template of parameters.
func fromParameters(text string, parameters object) (*settings, error) {
	parsed, err := template.New("inject").Parse(text)
	if err != nil {
		return nil, err
	}
	known := map[string]any{}
	for key, value := range parameters {
		if _, missing := value.(unknown); !missing {
			known[key] = value
		}
	}
	var made bytes.Buffer
	if err := parsed.Execute(&made, known); err != nil {
		return nil, err
	}
	return fromText(made.String(), "{}", map[string]any{"parameters": known})
}

// chartValues are the values of the chart of 1.2 to 1.4 with parameters set in them, as
// mergeParamsIntoHelmValues does it: as text, or by type.
func chartValues(folder string, set map[string]any, typed bool) (string, error) {
	values, err := readValues(filepath.Join(folder, "values.yaml"))
	if err != nil {
		return "", err
	}
	for key, value := range set {
		parse := strvals.ParseIntoString
		switch {
		case typed, text(value) == "true", text(value) == "false": // a bool is one even in Helm 2's texts
			parse = strvals.ParseInto
		}
		if err := parse(key+"="+escape(text(value)), values); err != nil {
			return "", err
		}
	}
	made, err := yaml.Marshal(values)
	return string(made), err
}

func escape(value string) string {
	marks := strings.NewReplacer(".", `\.`, "=", `\=`)
	if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
		inner := strings.NewReplacer("{", `\{`, "}", `\}`).Replace(value[1 : len(value)-1])
		return "{" + marks.Replace(inner) + "}"
	}
	return marks.Replace(strings.ReplaceAll(value, ",", `\,`))
}

func readValues(file string) (map[string]any, error) {
	values := map[string]any{}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return values, yaml.Unmarshal(raw, &values)
}

const namespace = "istio-system"

// configMaps are the documents that a chart renders of the templates that hold configuration.
func configMaps(folder string, values map[string]any) (map[string]map[string]string, error) {
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	keepConfiguration(loaded)
	merged, err := chartutil.ToRenderValues(loaded, values, chartutil.ReleaseOptions{
		Name: "istio", Namespace: namespace, IsInstall: true,
	}, nil)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(loaded, merged)
	if err != nil {
		return nil, err
	}
	found := map[string]map[string]string{}
	for _, text := range rendered {
		for _, part := range strings.Split("\n"+text, "\n---") {
			var document struct {
				Kind     string
				Metadata struct{ Name string }
				Data     map[string]string
			}
			if err := yaml.Unmarshal([]byte(part), &document); err != nil {
				return nil, err
			}
			if document.Kind == "ConfigMap" {
				found[document.Metadata.Name] = document.Data
			}
		}
	}
	return found, nil
}

// keepConfiguration removes all templates except helpers, profiles, and ConfigMaps.
func keepConfiguration(loaded *chart.Chart) {
	loaded.Templates = slices.DeleteFunc(loaded.Templates, func(file *chart.File) bool {
		name := path.Base(file.Name)
		return !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "zzz_") && !strings.Contains(name, "configmap")
	})
	for _, dependency := range loaded.Dependencies() {
		keepHelpers(dependency)
	}
}

// keepHelpers removes the templates of a dependency, because they can require each other.
func keepHelpers(loaded *chart.Chart) {
	loaded.Templates = nil
	for _, dependency := range loaded.Dependencies() {
		keepHelpers(dependency)
	}
}

// snapshot are charts and profiles of 1.6 and 1.7 that their tests use instead of those of the release.
const snapshot = "operator/cmd/mesh/testdata/manifest-generate/data-snapshot"

// operatorFolders are where charts and profiles of an operator's tag are: for tests with a
// snapshot, for those of 1.6 and later, and for those of 1.5.
var operatorFolders = []struct{ charts, profile string }{
	{snapshot + "/charts/istio-control/istio-discovery", snapshot + "/profiles/default.yaml"},
	{"manifests/charts/istio-control/istio-discovery", "manifests/profiles/default.yaml"},
	{"manifests/istio-control/istio-discovery", "operator/data/profiles/default.yaml"},
}

// fromOperator renders an IstioOperator as `istioctl` does: the values of the default profile, then
// the flags and the file, with the chart of istiod.
func fromOperator(source string, flags []string, file string) (*settings, error) {
	for _, folders := range operatorFolders {
		charts := filepath.Join(source, folders.charts)
		if _, err := os.Stat(charts); err != nil {
			continue
		}
		specification, err := operatorSpec(filepath.Join(source, folders.profile), flags, file)
		if err != nil {
			return nil, err
		}
		values := translate(specification)
		found, err := configMaps(charts, values)
		if err != nil {
			return nil, err
		}
		injector, ok := found["istio-sidecar-injector"]
		if !ok {
			return nil, errors.New("the chart renders no ConfigMap istio-sidecar-injector")
		}
		origin := map[string]any{"flags": flags, "file": file}
		if len(flags) == 0 && file == "" {
			origin = map[string]any{"default": true}
		}
		return &settings{injector["config"], injector["values"], found["istio"]["mesh"], origin}, nil
	}
	return nil, errors.New("the tag has no chart of istiod")
}

// operatorSpec merges the specs of the default profile, a file, and flags.
func operatorSpec(profile string, flags []string, file string) (map[string]any, error) {
	document, err := readValues(profile)
	if err != nil {
		return nil, err
	}
	if file != "" {
		own := map[string]any{}
		if err := yaml.Unmarshal([]byte(file), &own); err != nil {
			return nil, err
		}
		if _, whole := own["spec"]; !whole {
			own = map[string]any{"spec": own}
		}
		document = overlay(document, own).(map[string]any)
	}
	specification, _ := document["spec"].(map[string]any)
	for _, flag := range flags {
		// The operator does not split a value at its commas.
		if err := strvals.ParseInto(strings.ReplaceAll(flag, ",", `\,`), specification); err != nil {
			return nil, fmt.Errorf("flag %s: %w", flag, err)
		}
	}
	return specification, nil
}

// translate returns the chart values of a spec.
func translate(specification map[string]any) map[string]any {
	values, _ := specification["values"].(map[string]any)
	if values == nil {
		values = map[string]any{}
	}
	global := map[string]any{}
	for _, key := range []string{"istioNamespace", "policyNamespace", "telemetryNamespace", "prometheusNamespace"} {
		global[key] = namespace
	}
	for _, key := range []string{"hub", "tag"} {
		if value, ok := specification[key]; ok {
			global[key] = value
		}
	}
	made := map[string]any{"global": global}
	if mesh, ok := specification["meshConfig"]; ok {
		made["meshConfig"] = mesh
	}
	made = overlay(made, values).(map[string]any)
	components, _ := specification["components"].(map[string]any)
	cni, _ := components["cni"].(map[string]any)
	if enabled, ok := cni["enabled"]; ok { // whatever the values say
		pilot := map[string]any{"enabled": enabled}
		if own, ok := values["cni"].(map[string]any); ok && own["provider"] != nil {
			pilot["provider"] = own["provider"]
		}
		forced := map[string]any{
			"istio_cni": map[string]any{"enabled": enabled}, "pilot": map[string]any{"cni": pilot}, "cni": pilot,
		}
		made = overlay(made, forced).(map[string]any)
	}
	return made
}

// overlay merges maps; anything else is replaced. A null remains, so Helm removes the default.
func overlay(base, top any) any {
	under, isMap := base.(map[string]any)
	over, areMaps := top.(map[string]any)
	if !isMap || !areMaps {
		return top
	}
	made := map[string]any{}
	for key, value := range under {
		made[key] = value
	}
	for key, value := range over {
		if old, ok := made[key]; ok {
			value = overlay(old, value)
		}
		made[key] = value
	}
	return made
}
