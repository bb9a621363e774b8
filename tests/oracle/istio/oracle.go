// Istio's injector for the differential test: podgraft adds this file to the package of a release.
//
// The settings and reviews arrive as lines of JSON (main.go). Each review passes through
// serveInject, the HTTP handler of istiod.

package inject

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"istio.io/istio/pkg/config/mesh"
)

// OracleSettings is what istiod reads: the ConfigMaps, its revision, and ProxyConfig resources.
type OracleSettings struct {
	Config       string              `json:"config"`
	Values       string              `json:"values"`
	Mesh         string              `json:"mesh"`
	Revision     string              `json:"revision"`
	ProxyConfigs []OracleProxyConfig `json:"proxyConfigs"`
}

// OracleProxyConfig is a ProxyConfig resource; its spec is YAML.
type OracleProxyConfig struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Spec      string `json:"spec"`
}

// NewOracle returns a webhook with the settings, without a cluster.
func NewOracle(settings OracleSettings) (*Webhook, error) {
	config, err := UnmarshalConfig([]byte(settings.Config))
	if err != nil {
		return nil, fmt.Errorf("config: %v", err)
	}
	meshConfig, err := mesh.ApplyMeshConfigDefaults(settings.Mesh)
	if err != nil {
		return nil, fmt.Errorf("mesh: %v", err)
	}
	webhook := &Webhook{meshConfig: meshConfig, revision: settings.Revision}
	if err := prepareOracle(webhook, settings); err != nil {
		return nil, err
	}
	return webhook, webhook.updateConfig(&config, settings.Values)
}

// Review returns the HTTP status and the body that istiod responds with.
func (wh *Webhook) Review(path string, review []byte) (int, string) {
	request := httptest.NewRequest("POST", "http://istiod"+path, bytes.NewReader(review))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	wh.serveInject(recorder, request)
	return recorder.Code, recorder.Body.String()
}

// Handler returns istiod's HTTP handler of injection.
func (wh *Webhook) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/inject", wh.serveInject)
	mux.HandleFunc("/inject/", wh.serveInject)
	return mux
}

// KubeInject returns the stream with sidecars, and the warnings.
func (wh *Webhook) KubeInject(text string) (string, []string, error) {
	var out bytes.Buffer
	warnings := []string{}
	err := IntoResourceFile(nil, wh.Config.Templates, wh.valuesConfig, wh.revision, wh.meshConfig,
		strings.NewReader(text), &out, func(warning string) { warnings = append(warnings, warning) })
	return out.String(), warnings, err
}

// Methods returns the methods that a template can call on the types of its data, by the name of the
// type: those with one result, or with an error as a second one.
func Methods() map[string][]string {
	methods := map[string][]string{}
	errorType := reflect.TypeOf((*error)(nil)).Elem() // up to 1.14, no generics
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Map && of.Name() == "" {
			visit(of.Elem())
			return
		}
		if of.Name() == "" || of.PkgPath() == "" || of.Kind() == reflect.Interface {
			return
		}
		if _, found := methods[of.String()]; found {
			return
		}
		methods[of.String()] = []string{}
		pointer := reflect.PointerTo(of)
		for index := 0; index < pointer.NumMethod(); index++ {
			method := pointer.Method(index)
			results := method.Type.NumOut()
			if results == 1 || results == 2 && method.Type.Out(1) == errorType {
				methods[of.String()] = append(methods[of.String()], method.Name)
				if strings.HasPrefix(method.Name, "Get") {
					visit(method.Type.Out(0))
				}
			}
		}
		if of.Kind() == reflect.Map {
			visit(of.Elem())
		}
		for index := 0; of.Kind() == reflect.Struct && index < of.NumField(); index++ {
			if field := of.Field(index); field.IsExported() {
				visit(field.Type)
			}
		}
	}
	visit(reflect.TypeOf(SidecarTemplateData{}))
	return methods
}

// NormalizePod returns the pod as Go's type of the release prints it.
func NormalizePod(text []byte) (json.RawMessage, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(text, &pod); err != nil {
		return nil, err
	}
	return json.Marshal(&pod)
}
