package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	registration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes/scheme"
)

var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// load reads YAML documents as the API server does with fieldValidation Strict, and the namespace of
// the scenario's object.
func load(s scenario) ([]runtime.Object, error) {
	labels := map[string]string{"kubernetes.io/metadata.name": namespaceOf(s)}
	for key, value := range s.NamespaceLabels {
		labels[key] = value
	}
	objects := []runtime.Object{
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespaceOf(s), Labels: labels}},
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(s.Manifests)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		object, kind, err := strict.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		if faults := validate(object); len(faults) > 0 {
			return nil, fmt.Errorf("%s: %w", kind, faults.ToAggregate())
		}
		objects = append(objects, object)
	}
}

// validate applies the API server's own checks of a webhook's client configuration.
func validate(object runtime.Object) (faults field.ErrorList) {
	check := func(client registration.WebhookClientConfig) {
		at := field.NewPath("clientConfig")
		switch {
		case client.Service != nil:
			service := client.Service
			port := int32(443)
			if service.Port != nil {
				port = *service.Port
			}
			faults = append(faults, webhook.ValidateWebhookService(
				at.Child("service"), service.Name, service.Namespace, service.Path, port)...)
		default:
			faults = append(faults, webhook.ValidateWebhookURL(at.Child("url"), *client.URL, true)...)
		}
		faults = append(faults, webhook.ValidateCABundle(at.Child("caBundle"), client.CABundle)...)
	}
	switch configuration := object.(type) {
	case *registration.MutatingWebhookConfiguration:
		for _, hook := range configuration.Webhooks {
			check(hook.ClientConfig)
		}
	case *registration.ValidatingWebhookConfiguration:
		for _, hook := range configuration.Webhooks {
			check(hook.ClientConfig)
		}
	}
	return faults
}
