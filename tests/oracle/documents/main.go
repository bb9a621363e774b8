// Command documents validates policies, their bindings, and CustomResourceDefinitions as the API of
// kube-apiserver does when it creates them.
//
// Each line of standard input is a row with a document. It comes back with the paths of the errors,
// and with their texts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
)

func init() { crdinstall.Install(legacyscheme.Scheme) }

type row struct {
	Document json.RawMessage `json:"document"`
	Paths    []string        `json:"paths,omitempty"`
	Errors   []string        `json:"errors,omitempty"`
}

func (r *row) answer() {
	defer func() {
		if problem := recover(); problem != nil { // it does not decode
			r.Paths, r.Errors = []string{""}, []string{fmt.Sprint(problem)}
		}
	}()
	object, _ := decode(r.Document)
	for _, err := range validate(toInternal(object)) {
		r.Paths = append(r.Paths, err.Field)
		r.Errors = append(r.Errors, err.ErrorBody())
	}
}

func validate(object runtime.Object) field.ErrorList {
	switch document := object.(type) {
	case *admissionregistration.ValidatingAdmissionPolicy:
		return validation.ValidateValidatingAdmissionPolicy(document)
	case *admissionregistration.ValidatingAdmissionPolicyBinding:
		return validation.ValidateValidatingAdmissionPolicyBinding(document)
	case *admissionregistration.MutatingAdmissionPolicy:
		return validation.ValidateMutatingAdmissionPolicy(document)
	case *admissionregistration.MutatingAdmissionPolicyBinding:
		return validation.ValidateMutatingAdmissionPolicyBinding(document)
	case *apiextensions.CustomResourceDefinition:
		// The strategy of the registry does the same before a creation.
		document.Status.StoredVersions = nil
		for _, version := range document.Spec.Versions {
			if version.Storage {
				document.Status.StoredVersions = append(document.Status.StoredVersions, version.Name)
				break
			}
		}
		return crdvalidation.ValidateCustomResourceDefinition(context.Background(), document)
	}
	panic(fmt.Sprintf("unknown type %T", object))
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var r row
		check(json.Unmarshal(in.Bytes(), &r))
		r.answer()
		check(encoder.Encode(r))
	}
	check(in.Err())
}
