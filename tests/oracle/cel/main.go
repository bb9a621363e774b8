// Evaluates CEL expressions as kube-apiserver does, to record what podgraft.cel must answer.
//
// Reads JSON objects, one a line: first {"object": …, "params": …}, the variables of all that
// follow, then {"expression": …}. Writes them again with what Kubernetes makes of each: "fault"
// where the expression does not compile, else "error" or "value", with "type" and "cost".
// Values are written by describe, below.
//
// python expressions.py | go run . > ../../cel/fixtures/kubernetes.jsonl
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type row struct {
	Expression string          `json:"expression,omitempty"`
	Object     json.RawMessage `json:"object,omitempty"`
	Params     json.RawMessage `json:"params,omitempty"`
	Fault      string          `json:"fault,omitempty"`
	Error      string          `json:"error,omitempty"`
	Value      string          `json:"value,omitempty"`
	Type       string          `json:"type,omitempty"`
	Cost       uint64          `json:"cost,omitempty"`
}

func main() {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "dump":
		for _, release := range os.Args[2:] {
			dump(release)
		}
		return
	case len(os.Args) > 1 && os.Args[1] == "policy":
		answerPolicies()
		return
	}
	env := environmentOf(version.MajorMinor(1, 37))
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 8<<20)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	var variables map[string]any
	for input.Scan() {
		var r row
		if err := json.Unmarshal(input.Bytes(), &r); err != nil {
			log.Fatalf("%s: %v", input.Text(), err)
		}
		if r.Expression == "" {
			variables = map[string]any{"object": decode(r.Object), "params": decode(r.Params)}
		} else {
			answer(env, variables, &r)
		}
		if err := output.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
}

func environmentOf(release *version.Version) *cel.Env {
	set, err := environment.MustBaseEnvSet(release).Extend(
		environment.VersionedOptions{
			IntroducedVersion: version.MajorMinor(1, 0),
			EnvOptions: []cel.EnvOption{
				cel.Variable("object", cel.DynType),
				cel.Variable("params", cel.DynType),
			},
		},
		environment.StrictCostOpt,
	)
	if err != nil {
		log.Fatal(err)
	}
	env, err := set.Env(environment.StoredExpressions)
	if err != nil {
		log.Fatal(err)
	}
	return env
}

func answer(env *cel.Env, variables map[string]any, r *row) {
	ast, issues := env.Compile(r.Expression)
	if issues != nil && issues.Err() != nil {
		r.Fault = issues.String()
		return
	}
	r.Type = ast.OutputType().String()
	program, err := env.Program(ast)
	if err != nil {
		r.Fault = err.Error()
		return
	}
	value, details, err := program.Eval(variables)
	if details != nil && details.ActualCost() != nil {
		r.Cost = *details.ActualCost()
	}
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.Value = describe(value)
}

// decode reads JSON as the API machinery does: whole numbers become int64.
func decode(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	wrapped := map[string]any{}
	if err := runtimeDecode(append(append([]byte(`{"value":`), raw...), '}'), &wrapped); err != nil {
		log.Fatal(err)
	}
	return wrapped["value"]
}

func runtimeDecode(data []byte, into *map[string]any) error {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	*into = runtime.DeepCopyJSON(numbers(*into).(map[string]any))
	return nil
}

func numbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, element := range v {
			v[key] = numbers(element)
		}
	case []any:
		for index, element := range v {
			v[index] = numbers(element)
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		double, err := v.Float64()
		if err != nil {
			log.Fatal(err)
		}
		return double
	}
	return value
}

// describe writes a value with its type, map entries sorted: int(1), list[string("a")], …
func describe(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(v), 'g', -1, 64) + ")"
	case types.String:
		quoted, _ := json.Marshal(string(v))
		return "string(" + string(quoted) + ")"
	case types.Bytes:
		return "bytes(" + base64.StdEncoding.EncodeToString(v) + ")"
	case types.Duration:
		return fmt.Sprintf("duration(%d)", v.Duration.Nanoseconds())
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format(time.RFC3339Nano) + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "optional()"
		}
		return "optional(" + describe(v.GetValue()) + ")"
	case traits.Mapper:
		return "map{" + strings.Join(entries(v), ", ") + "}"
	case traits.Lister:
		return "list[" + strings.Join(elements(v), ", ") + "]"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case apiservercel.Quantity:
		return "kubernetes.Quantity(" + v.Quantity.String() + ")"
	case apiservercel.URL:
		return "kubernetes.URL(" + v.URL.String() + ")"
	case apiservercel.IP:
		return "net.IP(" + v.Addr.String() + ")"
	case apiservercel.CIDR:
		return "net.CIDR(" + v.Prefix.String() + ")"
	case apiservercel.Semver:
		return "kubernetes.Semver(" + v.Version.String() + ")"
	case apiservercel.Format:
		return "kubernetes.NamedFormat(" + v.Name + ")"
	default:
		return fmt.Sprintf("%s(%v)", value.Type().TypeName(), value.Value())
	}
}

func entries(m traits.Mapper) []string {
	var result []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		result = append(result, describe(key)+": "+describe(m.Get(key)))
	}
	sort.Strings(result)
	return result
}

func elements(l traits.Lister) []string {
	var result []string
	for it := l.Iterator(); it.HasNext() == types.True; {
		result = append(result, describe(it.Next()))
	}
	return result
}
