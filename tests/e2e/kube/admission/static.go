package main

import (
	"fmt"

	registration "k8s.io/api/admissionregistration/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	policies "k8s.io/apiserver/pkg/admission/plugin/policy/manifest/loader"
	webhooks "k8s.io/apiserver/pkg/admission/plugin/webhook/manifest/loader"
)

// manifestLoaders gives the plugins the functions that load static manifests. kube-apiserver's own
// functions (k8s.io/kubernetes) differ in one respect: they also set the defaults of the API. The
// manifests of podgraft contain all defaults.
type manifestLoaders struct{}

func (manifestLoaders) Initialize(plugin admission.Interface) {
	wants, ok := plugin.(initializer.WantsManifestLoaders)
	if !ok {
		return
	}
	wants.SetManifestLoaders(&initializer.ManifestLoaders{
		LoadMutatingWebhookManifests: func(dir string) ([]*registration.MutatingWebhookConfiguration, string, error) {
			return webhooks.LoadManifests(dir, strict, accept[*registration.MutatingWebhookConfiguration])
		},
		LoadValidatingWebhookManifests: func(dir string) ([]*registration.ValidatingWebhookConfiguration, string, error) {
			return webhooks.LoadManifests(dir, strict, accept[*registration.ValidatingWebhookConfiguration])
		},
		LoadValidatingPolicyManifests: func(dir string) (
			[]*registration.ValidatingAdmissionPolicy, []*registration.ValidatingAdmissionPolicyBinding, string, error,
		) {
			return policies.LoadPolicyManifests(
				dir, strict,
				accept[*registration.ValidatingAdmissionPolicy], accept[*registration.ValidatingAdmissionPolicyBinding],
				func(binding *registration.ValidatingAdmissionPolicyBinding) string { return binding.Spec.PolicyName },
			)
		},
	})
}

// accept takes objects of one kind, after the API server's own checks of them.
func accept[T meta.Object](object runtime.Object) ([]T, error) {
	accepted, ok := object.(T)
	if !ok {
		return nil, fmt.Errorf("%w: %T", policies.ErrUnrecognizedType, object)
	}
	if faults := validate(object); len(faults) > 0 {
		return nil, faults.ToAggregate()
	}
	return []T{accepted}, nil
}
