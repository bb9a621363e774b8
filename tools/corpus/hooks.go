package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// hooks are the functions that the interpreter does not run: they load, compare, or switch.
func (r *reader) hooks() map[string]hook {
	identity := func(arguments []any) any { return arguments[0] }
	duration := func(arguments []any) any {
		if nanoseconds, ok := at(arguments, 0).(int64); ok {
			return seconds(nanoseconds)
		}
		return unknown{}
	}
	switched := func(arguments []any) any {
		r.set(at(arguments, len(arguments)-2), at(arguments, len(arguments)-1))
		return unknown{}
	}
	return map[string]hook{
		"append": appended, "len": length, "int": identity, "Duration": identity, "uint32": identity, "uint64": identity, "FormatBool": textOf, "Itoa": textOf,
		"Join": join, "New": duration, "DurationProto": duration,
		"SetForTest": switched, "SetBoolForTest": switched, "SetStringForTest": switched,
		"SetEnvForTest": switched, "Setenv": switched,
		"Run":                        r.subtest,
		"DefaultMeshConfig":          func([]any) any { return r.mesh(nil) },
		"DeepCopyMeshConfig":         r.copyMesh,
		"GenerateTemplateFromParams": r.parameters,
		"loadSidecarTemplate":        r.template,
		"getValues":                  func(arguments []any) any { return r.values(at(arguments, 0)) },
		"loadInjectionConfigMap":     r.operator, "loadInjectionSettings": r.operator, "getInjectionSettings": r.operator,
		"readInjectionSettings": r.operatorOfRow,
		"Open":                  r.note("input"),
		"ReadGoldenFile":        r.note("golden"),
		"IntoResourceFile":      r.kubeInject,
		"splitYamlFile": func([]any) any {
			r.row.webhook = true
			return unknown{}
		},
	}
}

func at(arguments []any, index int) any {
	if index < 0 || index >= len(arguments) {
		return unknown{}
	}
	return arguments[index]
}

func appended(arguments []any) any {
	switch list := at(arguments, 0).(type) {
	case []any:
		return append(append([]any{}, list...), arguments[1:]...)
	case mesh:
		return appendage{at(arguments, 1)}
	}
	return unknown{}
}

func length(arguments []any) any {
	switch value := at(arguments, 0).(type) {
	case []any:
		return int64(len(value))
	case string:
		return int64(len(value))
	case nil:
		return int64(0)
	}
	return unknown{}
}

func textOf(arguments []any) any { return text(at(arguments, 0)) }

func join(arguments []any) any {
	list, ok := at(arguments, 0).([]any)
	if !ok {
		return unknown{}
	}
	parts := []string{}
	for _, each := range list {
		parts = append(parts, text(each))
	}
	return strings.Join(parts, text(at(arguments, 1)))
}

func (r *reader) subtest(arguments []any) any {
	if code, ok := at(arguments, len(arguments)-1).(closure); ok {
		r.in.enter(code.code.Type, code.code.Body, nil, code.scope)
	}
	return unknown{}
}

func (r *reader) mesh(rendered *settings) mesh { return mesh{rendered, &r.row.changes, nil} }

func (r *reader) copyMesh(arguments []any) any {
	if from, ok := at(arguments, 0).(mesh); ok {
		return tuple{r.mesh(from.settings), nil}
	}
	return unknown{}
}

func (r *reader) note(key string) hook {
	return func(arguments []any) any {
		for _, each := range arguments {
			if path, ok := each.(string); ok {
				r.row.files[key] = path
			}
		}
		return unknown{}
	}
}

// failed records the error of a case without settings.
func (r *reader) failed(err error) any {
	r.row.problem = err
	return unknown{}
}

func (r *reader) parameters(arguments []any) any {
	parameters, ok := at(arguments, 0).(object)
	pattern, known := r.in.identifier("parameterizedTemplate", nil).(string)
	if !ok || !known {
		return r.failed(errors.New("parameters that could not be read"))
	}
	made, err := fromParameters(pattern, parameters)
	if err != nil {
		return r.failed(err)
	}
	return tuple{made, nil}
}

// template returns the template of the chart, before values are set.
func (r *reader) template([]any) any {
	file, ok := r.in.identifier("injectorConfig", nil).(string)
	if !ok {
		return r.failed(errors.New("constant injectorConfig not found"))
	}
	raw, err := os.ReadFile(filepath.Join(r.tests, file))
	if err != nil {
		return r.failed(err)
	}
	return &settings{config: string(raw)}
}

const chartOfPilot = "install/kubernetes/helm/istio"

func (r *reader) values(parameters any) any {
	set := map[string]any{}
	if given, ok := parameters.(object); ok {
		set = r.setOf(given)
	}
	made, err := chartValues(filepath.Join(r.source, chartOfPilot), set, r.typed())
	if err != nil {
		return r.failed(err)
	}
	return made
}

// setOf returns the result of the method intoHelmValues for parameters.
func (r *reader) setOf(parameters object) map[string]any {
	method := r.in.functions["intoHelmValues"]
	if method == nil {
		return nil
	}
	receiver := &scope{map[string]any{method.Recv.List[0].Names[0].Name: parameters}, nil}
	made, _ := r.in.enter(method.Type, method.Body, nil, receiver).(object)
	return made
}

func (r *reader) typed() bool {
	return !strings.Contains(r.code["mergeParamsIntoHelmValues"], "ParseIntoString")
}

// operator renders the settings of a spec: flags, and a file's name or text.
func (r *reader) operator(arguments []any) any {
	flags, file := []string{}, ""
	list, _ := at(arguments, 1).([]any)
	for _, each := range list {
		flags = append(flags, text(each))
	}
	if inline, ok := at(arguments, 1).(string); ok {
		file = inline
	}
	if name := text(at(arguments, 2)); name != "" {
		raw, err := os.ReadFile(filepath.Join(r.tests, "testdata/inject", name))
		if err != nil {
			return r.failed(err)
		}
		file = string(raw)
	}
	made, err := r.rendered(flags, file)
	if err != nil {
		return r.failed(err)
	}
	return tuple{made, made, r.mesh(made)}
}

// operatorOfRow renders the files of some releases, which have the name of the case.
func (r *reader) operatorOfRow([]any) any {
	return r.operator([]any{unknown{}, r.row.variables["setFlags"], r.row.variables["inFilePath"]})
}

// rendered caches the settings by flags and files.
func (r *reader) rendered(flags []string, file string) (*settings, error) {
	key := strings.Join(append(flags, file), "\x00")
	if known, ok := r.memory[key]; ok {
		return known, nil
	}
	if !strings.Contains(r.code["defaultInstallPackageDir"], "data-snapshot") {
		if err := os.RemoveAll(filepath.Join(r.source, snapshot)); err != nil {
			return nil, err
		}
	}
	made, err := fromOperator(r.source, flags, file)
	if err == nil {
		r.memory[key] = made
	}
	return made, err
}

// kubeInject records the settings that a test passes to IntoResourceFile.
func (r *reader) kubeInject(arguments []any) any {
	r.row.kubeInject = true
	var used *settings
	defaults := false
	for index, each := range arguments {
		switch value := each.(type) {
		case *settings:
			if used == nil {
				used = value
			}
		case string:
			if used != nil && used.values == "" && used.source == nil && index == 1 {
				made, err := fromText(used.config, value, map[string]any{"values": value})
				if err != nil {
					return r.failed(err)
				}
				used = made
			}
		case mesh:
			defaults = value.settings == nil
		}
	}
	if used == nil {
		return r.failed(errors.New("no settings were found"))
	}
	r.row.settings = used
	if defaults {
		r.row.settings = r.withDefaultMesh(used)
	}
	return unknown{}
}

// withDefaultMesh returns the settings without a mesh configuration. In test mode, 1.6 has no path to SDS.
func (r *reader) withDefaultMesh(s *settings) *settings {
	text := "{}\n"
	if r.testMode {
		text = "sdsUdsPath: \"\"\n"
	}
	origin := map[string]any{"mesh": "default"}
	for key, value := range s.source {
		origin[key] = value
	}
	return &settings{s.config, s.values, text, origin}
}
