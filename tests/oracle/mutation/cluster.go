package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
)

// row is one question: the documents, and the object of a CREATE or, with oldObject, of an UPDATE.
type row struct {
	Policies  []json.RawMessage `json:"policies,omitempty"`
	Bindings  []json.RawMessage `json:"bindings,omitempty"`
	Params    []json.RawMessage `json:"params,omitempty"`
	Namespace json.RawMessage   `json:"namespace,omitempty"`
	Object    json.RawMessage   `json:"object"`
	OldObject json.RawMessage   `json:"oldObject,omitempty"`
	Resource  string            `json:"resource,omitempty"`
	// An apply configuration to merge into the object, in place of policies.
	Patch  json.RawMessage `json:"patch,omitempty"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Error  string          `json:"error,omitempty"`
	Code   int32           `json:"code,omitempty"`
	// The first mutation that does not compile, which the API refuses.
	Refused string `json:"refused,omitempty"`
}

// cluster is what all rows share.
type cluster struct {
	objects    admission.ObjectInterfaces
	converters *converters
}

func newCluster() *cluster {
	return &cluster{
		objects:    admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme),
		converters: &converters{folder: os.Getenv("OPENAPI"), known: map[schema.GroupVersion]managedfields.TypeConverter{}},
	}
}

// converters makes the type converters that kube-apiserver makes of its own OpenAPI documents.
type converters struct {
	folder string
	known  map[schema.GroupVersion]managedfields.TypeConverter
}

func (c *converters) Run(context.Context) {}

func (c *converters) GetTypeConverter(gvk schema.GroupVersionKind) managedfields.TypeConverter {
	gv := gvk.GroupVersion()
	if converter, ok := c.known[gv]; ok {
		return converter
	}
	name := "apis__" + strings.ReplaceAll(gv.String(), "/", "__")
	if gv.Group == "" {
		name = "api__" + gv.Version
	}
	content, err := os.ReadFile(filepath.Join(c.folder, name+"_openapi.json"))
	if err != nil {
		return nil
	}
	var document spec3.OpenAPI
	check(json.Unmarshal(content, &document))
	converter, err := managedfields.NewTypeConverter(document.Components.Schemas, false)
	check(err)
	c.known[gv] = converter
	return converter
}

func (c *cluster) answer(r *row) {
	defer func() {
		if problem := recover(); problem != nil {
			r.After, r.Error, r.Code = nil, fmt.Sprintf("panic: %v", problem), 500
		}
	}()
	if r.Patch != nil {
		c.merge(r)
		return
	}
	object, gvk := decode(r.Object)
	old, _ := decode(r.OldObject)
	internal := toInternal(object)
	sent, err := legacyscheme.Scheme.ConvertToVersion(internal, gvk.GroupVersion())
	check(err)
	r.Before = encode(sent, gvk)
	err = c.admit(r, internal, toInternal(old), gvk)
	if err != nil {
		var status *apierrors.StatusError
		if errors.As(err, &status) {
			r.Code = status.ErrStatus.Code
		}
		r.Error = err.Error()
		return
	}
	external, err := legacyscheme.Scheme.ConvertToVersion(internal, gvk.GroupVersion())
	check(err)
	r.After = encode(external, gvk)
}

// merge answers a row with a patch: both objects are as they are, without defaults.
func (c *cluster) merge(r *row) {
	var object, change unstructured.Unstructured
	check(json.Unmarshal(r.Object, &object.Object))
	check(json.Unmarshal(r.Patch, &change.Object))
	converter := c.converters.GetTypeConverter(object.GroupVersionKind())
	merged, err := patch.ApplyStructuredMergeDiff(converter, &object, &change)
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.After, err = json.Marshal(merged.(*unstructured.Unstructured).Object)
	check(err)
}

func (c *cluster) admit(r *row, object, old runtime.Object, gvk schema.GroupVersionKind) error {
	accessor, err := meta.Accessor(object)
	check(err)
	operation, options := admission.Create, runtime.Object(nil)
	if old != nil {
		operation = admission.Update
	}
	attributes := admission.NewAttributesRecord(object, old, gvk, accessor.GetNamespace(), accessor.GetName(),
		gvk.GroupVersion().WithResource(r.Resource), "", operation, options, false, &user.DefaultInfo{Name: "oracle"})
	plugin := &plugin{c, r}
	if err := plugin.admit(context.Background(), attributes, c.objects); err != nil {
		return err
	}
	// The admission chain runs a second time if a plugin asks for it.
	if reinvocation := attributes.GetReinvocationContext(); reinvocation.ShouldReinvoke() {
		reinvocation.SetIsReinvoke()
		return plugin.admit(context.Background(), attributes, c.objects)
	}
	return nil
}

// plugin is the admission plugin with a fixed list of policies.
type plugin struct {
	cluster *cluster
	row     *row
}

func (p *plugin) admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if p.row.Namespace != nil {
		namespace, _ := decode(p.row.Namespace)
		check(indexer.Add(namespace.(*corev1.Namespace)))
	}
	matcher := matching.NewMatcher(corelisters.NewNamespaceLister(indexer), nil)
	dispatcher := mutating.NewDispatcher(nil, matcher, p.cluster.converters)
	return dispatcher.Dispatch(ctx, a, o, p.hooks())
}

func (p *plugin) hooks() []mutating.PolicyHook {
	var hooks []mutating.PolicyHook
	for _, raw := range p.row.Policies {
		object, _ := decode(raw)
		policy := object.(*admissionv1.MutatingAdmissionPolicy)
		hook := mutating.PolicyHook{Policy: policy, Evaluator: p.compile(policy)}
		if policy.Spec.ParamKind != nil {
			hook.ParamInformer, hook.ParamScope = newParams(p.row.Params), meta.RESTScopeNamespace
		}
		for _, rawBinding := range p.row.Bindings {
			object, _ := decode(rawBinding)
			binding := object.(*admissionv1.MutatingAdmissionPolicyBinding)
			if binding.Spec.PolicyName == policy.Name {
				hook.Bindings = append(hook.Bindings, binding)
			}
		}
		if len(hook.Bindings) > 0 {
			hooks = append(hooks, hook)
		}
	}
	return hooks
}

// compile makes the evaluator of a policy from the exported parts of the plugin.
func (p *plugin) compile(policy *admissionv1.MutatingAdmissionPolicy) mutating.PolicyEvaluator {
	options := cel.OptionalVariableDeclarations{HasParams: policy.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	check(err)
	var variables []cel.NamedExpressionAccessor
	for _, each := range policy.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: each.Name, Expression: each.Expression})
	}
	compiler.CompileAndStoreVariables(variables, options, environment.StoredExpressions)
	evaluator := mutating.PolicyEvaluator{CompositedCompiler: compiler}
	if len(policy.Spec.MatchConditions) > 0 {
		var conditions []cel.ExpressionAccessor
		for index := range policy.Spec.MatchConditions {
			conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[index]))
		}
		compiled := compiler.CompileCondition(conditions, options, environment.StoredExpressions)
		evaluator.Matcher = matchconditions.NewMatcher(compiled, policy.Spec.FailurePolicy, "policy", "validate", policy.Name)
	}
	options.HasPatchTypes = true
	for _, mutation := range policy.Spec.Mutations {
		if mutation.JSONPatch != nil {
			condition := &patch.JSONPatchCondition{Expression: mutation.JSONPatch.Expression}
			compiled := compiler.CompileMutatingEvaluator(condition, options, environment.StoredExpressions)
			p.refuse(compiled)
			evaluator.Mutators = append(evaluator.Mutators, patch.NewJSONPatcher(compiled))
		} else {
			condition := &patch.ApplyConfigurationCondition{Expression: mutation.ApplyConfiguration.Expression}
			compiled := compiler.CompileMutatingEvaluator(condition, options, environment.StoredExpressions)
			p.refuse(compiled)
			evaluator.Mutators = append(evaluator.Mutators, patch.NewApplyConfigurationPatcher(compiled))
		}
	}
	return evaluator
}

func (p *plugin) refuse(compiled cel.MutatingEvaluator) {
	for _, err := range compiled.CompilationErrors() {
		if p.row.Refused == "" {
			p.row.Refused = err.Error()
		}
	}
}

// params are the parameters of a row, as an informer that has synchronized.
type params struct{ indexer cache.Indexer }

type synced struct{ cache.SharedIndexInformer }

func (synced) HasSynced() bool { return true }

func newParams(rows []json.RawMessage) informers.GenericInformer {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, raw := range rows {
		object, _ := decode(raw)
		check(indexer.Add(object))
	}
	return &params{indexer}
}

func (p *params) Informer() cache.SharedIndexInformer { return synced{} }

func (p *params) Lister() cache.GenericLister {
	return ordered{cache.NewGenericLister(p.indexer, schema.GroupResource{Resource: "params"})}
}

// ordered lists parameters by name, where the original has no order.
type ordered struct{ cache.GenericLister }

func (o ordered) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return orderedNamespace{o.GenericLister.ByNamespace(namespace)}
}

type orderedNamespace struct{ cache.GenericNamespaceLister }

func (o orderedNamespace) List(selector labels.Selector) ([]runtime.Object, error) {
	found, err := o.GenericNamespaceLister.List(selector)
	sortByName(found)
	return found, err
}

var _ generic.Evaluator = mutating.PolicyEvaluator{}
