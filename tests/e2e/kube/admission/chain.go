package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	policy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	hooks "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	apiserver "k8s.io/apiserver/pkg/apis/apiserver/install"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

// In the order of kube-apiserver's own chain.
var plugins = []string{mutating.PluginName, policy.PluginName, validating.PluginName}

var creator = user.DefaultInfo{
	Name:   "system:serviceaccount:kube-system:replicaset-controller",
	Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", user.AllAuthenticated},
}

// run lets the creator create the scenario's object.
func run(s scenario) (answer, error) {
	stop := make(chan struct{})
	defer close(stop)
	recorder := &recorder{server: s.Server}
	chain, err := build(s, recorder, stop)
	if err != nil {
		return answer{}, err
	}
	var pod core.Pod
	if err := json.Unmarshal(s.Object, &pod); err != nil {
		return answer{}, fmt.Errorf("object: %w", err)
	}
	pod.Namespace = namespaceOf(s)

	ctx := audit.WithAuditContext(context.Background())
	events := audit.AuditContextFrom(ctx)
	if err := events.Init(audit.RequestAuditConfig{Level: auditapi.LevelMetadata}, nil); err != nil {
		return answer{}, err
	}
	warnings := &warnings{}
	refusal := create(warning.WithWarningRecorder(ctx, warnings), chain, &pod, s.DryRun)
	result := answer{Warnings: warnings.texts, Audit: events.GetEventAnnotations(), Calls: recorder.calls}
	if refusal != nil {
		result.Code, result.Kubectl = told(refusal)
		return result, nil
	}
	result.Object, err = json.Marshal(&pod)
	return result, err
}

// build makes the chain as kube-apiserver does at its start, over a cluster that holds the manifests.
func build(s scenario, recorder *recorder, stop chan struct{}) (admission.Interface, error) {
	objects, err := load(s)
	if err != nil {
		return nil, err
	}
	client := fake.NewClientset(objects...)
	shared := informers.NewSharedInformerFactory(client, 0)
	dynamic := dynamicfake.NewSimpleDynamicClient(scheme.Scheme)
	configScheme := runtime.NewScheme()
	apiserver.Install(configScheme)
	config, err := admission.ReadAdmissionConfiguration(plugins, s.AdmissionConfiguration, configScheme)
	if err != nil {
		return nil, err
	}
	registered := admission.NewPlugins()
	mutating.Register(registered)
	policy.Register(registered)
	validating.Register(registered)
	generic := initializer.New(
		client, dynamic, shared, authorizerfactory.NewAlwaysAllowAuthorizer(), feature.DefaultFeatureGate,
		compatibility.DefaultBuildEffectiveVersion(), stop, apimeta.NewDefaultRESTMapper(nil),
	)
	initializers := admission.PluginInitializers{
		generic, hooks.NewPluginInitializer(recorder.wrap, nil), manifestLoaders{},
	}
	chain, err := registered.NewFromPlugins(plugins, config, initializers, admission.DecoratorFunc(decorate))
	if err != nil {
		return nil, err
	}
	shared.Start(stop)
	shared.WaitForCacheSync(stop)
	return chain, nil
}

func decorate(handler admission.Interface, _ string) admission.Interface {
	return admission.WithAudit(handler)
}

// create does what the create handler of the API server does between decoding and storage.
func create(ctx context.Context, chain admission.Interface, pod *core.Pod, dryRun bool) error {
	ctx, cancel := context.WithTimeout(ctx, 34*time.Second) // the request's own deadline
	defer cancel()
	options := &meta.CreateOptions{}
	if dryRun {
		options.DryRun = []string{meta.DryRunAll}
	}
	attributes := admission.NewAttributesRecord(
		pod, nil, core.SchemeGroupVersion.WithKind("Pod"), pod.Namespace, pod.Name,
		core.SchemeGroupVersion.WithResource("pods"), "", admission.Create, options, dryRun, &creator,
	)
	interfaces := admission.NewObjectInterfacesFromScheme(scheme.Scheme)
	if err := chain.(admission.MutationInterface).Admit(ctx, attributes, interfaces); err != nil {
		return err
	}
	return chain.(admission.ValidationInterface).Validate(ctx, attributes, interfaces)
}

// told is what kubectl prints for an error of the API (kubectl/pkg/cmd/util, StandardErrorMessage).
func told(refusal error) (code int32, words string) {
	status := responsewriters.ErrorToAPIStatus(refusal)
	if apierrors.ReasonForError(&apierrors.StatusError{ErrStatus: *status}) == meta.StatusReasonUnknown {
		return status.Code, "Error from server: " + status.Message
	}
	return status.Code, fmt.Sprintf("Error from server (%s): %s", status.Reason, status.Message)
}

func namespaceOf(s scenario) string {
	var object meta.PartialObjectMetadata
	if json.Unmarshal(s.Object, &object) == nil && object.Namespace != "" {
		return object.Namespace
	}
	return meta.NamespaceDefault
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }
