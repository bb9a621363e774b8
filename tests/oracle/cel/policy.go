package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
)

// policyRow is one line of the mode "policy". A line without "expression" sets the variables, the
// policy's variables, and the release for the lines after it. Without "values", the variables
// before it are retained.
type policyRow struct {
	Expression string           `json:"expression,omitempty"`
	Kind       string           `json:"kind,omitempty"`
	Values     map[string]any   `json:"values,omitempty"`
	Variables  []policyVariable `json:"variables,omitempty"`
	Release    string           `json:"release,omitempty"`
	Typed      bool             `json:"typed,omitempty"`
	Refused    []problem        `json:"refused,omitempty"`
	Error      string           `json:"error,omitempty"`
	Value      string           `json:"value,omitempty"`
	Type       string           `json:"type,omitempty"`
	Cost       int64            `json:"cost,omitempty"`
}

type policyVariable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

type problem struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

type accessor struct {
	name, expression string
	types            []*cel.Type
}

func (a *accessor) GetExpression() string    { return a.expression }
func (a *accessor) GetName() string          { return a.name }
func (a *accessor) ReturnTypes() []*cel.Type { return a.types }

var kinds = map[string][]*cel.Type{
	"":           {cel.AnyType},
	"validation": {cel.BoolType},
	"message":    {cel.StringType},
	"audit":      {cel.StringType, cel.NullType},
	"variable":   {cel.AnyType},
	"mutation":   {cel.AnyType},
	"apply":      {cel.ObjectType("Object")},
	"patch":      {cel.ListType(cel.ObjectType("JSONPatch"))},
}

type policy struct {
	compiler *plugincel.CompositedCompiler
	values   map[string]any
}

func newPolicy(r *policyRow, before *policy) *policy {
	release := r.Release
	if release == "" {
		release = "1.37"
	}
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MustParse(release)))
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range r.Variables {
		compiler.CompileAndStoreVariable(&accessor{v.Name, v.Expression, kinds["variable"]},
			plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true}, environment.NewExpressions)
	}
	if r.Values == nil && before != nil {
		return &policy{compiler, before.values}
	}
	values := map[string]any{}
	for name, value := range r.Values {
		if r.Typed && value != nil {
			value = typed(name, value)
		}
		values[name] = common.SchemalessTypedToVal(value)
	}
	return &policy{compiler, values}
}

// typed returns the value as the type of Go that kube-apiserver has for a Pod and a ConfigMap.
func typed(name string, value any) any {
	into := map[string]any{"object": &corev1.Pod{}, "oldObject": &corev1.Pod{}, "params": &corev1.ConfigMap{},
		"request": &admissionv1.AdmissionRequest{}, "namespaceObject": &corev1.Namespace{}}[name]
	raw, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return into
}

func (p *policy) answer(r *policyRow) {
	defer func() {
		if failure := recover(); failure != nil {
			r.Refused = []problem{{Message: fmt.Sprintf("panic: %v", failure)}}
		}
	}()
	options := plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true,
		HasPatchTypes: r.Kind == "apply" || r.Kind == "patch" || r.Kind == "mutation"}
	result := p.compiler.CompileCELExpression(&accessor{"", r.Expression, kinds[r.Kind]}, options, environment.NewExpressions)
	if result.Error != nil {
		r.Refused = problems(result.Error)
		return
	}
	r.Type = result.OutputType.String()
	compositionContext := p.compiler.CreateContext(context.Background())
	activation := &values{p.values, nil}
	activation.variables = compositionContext.Variables(activation)
	value, details, err := result.Program.ContextEval(compositionContext, activation)
	if details != nil && details.ActualCost() != nil {
		r.Cost = int64(*details.ActualCost())
	}
	r.Cost += compositionContext.GetAndResetCost()
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.Value = describe(value)
}

func problems(failure *apiservercel.Error) []problem {
	var compilation *apiservercel.CompilationError
	if !errors.As(failure, &compilation) {
		return []problem{{Message: failure.Detail}}
	}
	var found []problem
	for _, each := range compilation.Issues.Errors() {
		found = append(found, problem{each.Location.Line(), each.Location.Column() + 1, each.Message})
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].Line != found[j].Line {
			return found[i].Line < found[j].Line
		}
		return found[i].Column < found[j].Column
	})
	return found
}

type values struct {
	named     map[string]any
	variables any
}

func (v *values) ResolveName(name string) (any, bool) {
	if name == "variables" {
		return v.variables, true
	}
	value, found := v.named[name]
	return value, found || name == "object" || name == "oldObject" || name == "params" || name == "request" || name == "namespaceObject"
}

func (v *values) Parent() interpreter.Activation { return nil }

func answerPolicies() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 8<<20)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	var current *policy
	for input.Scan() {
		var r policyRow
		decoder := json.NewDecoder(strings.NewReader(input.Text()))
		decoder.UseNumber()
		if err := decoder.Decode(&r); err != nil {
			log.Fatalf("%s: %v", input.Text(), err)
		}
		if r.Expression == "" && r.Kind == "" {
			if r.Values != nil {
				r.Values = numbers(r.Values).(map[string]any)
			}
			current = newPolicy(&r, current)
		} else {
			current.answer(&r)
		}
		if err := output.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
}

// dump prints the functions, macros and variables of one release: all that the checker knows.
func dump(release string) {
	set := environment.MustBaseEnvSet(version.MustParse(release))
	for name, mode := range map[string]environment.Type{"new": environment.NewExpressions, "stored": environment.StoredExpressions} {
		env, err := set.Env(mode)
		if err != nil {
			log.Fatal(err)
		}
		var lines []string
		for _, function := range env.Functions() {
			for number, overload := range function.OverloadDecls() {
				var arguments []string
				for _, argument := range overload.ArgTypes() {
					arguments = append(arguments, argument.String())
				}
				lines = append(lines, fmt.Sprintf("%s\t%03d\t%t\t%s -> %s", function.Name(), number, overload.IsMemberFunction(), strings.Join(arguments, "; "), overload.ResultType().String()))
			}
		}
		for _, macro := range env.Macros() {
			lines = append(lines, "macro\t"+macro.MacroKey())
		}
		sort.Strings(lines)
		for _, line := range lines {
			fmt.Printf("%s\t%s\t%s\n", release, name, line)
		}
	}
}
