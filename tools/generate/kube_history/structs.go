package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Field is one struct field, in the words of go-types.json.
type Field struct {
	Go            string `json:"go"`
	Type          string `json:"type"`
	Embedded      bool   `json:"embedded,omitempty"`
	JSON          string `json:"json"`
	Omitempty     bool   `json:"omitempty"`
	PatchStrategy string `json:"patchStrategy,omitempty"`
	PatchMergeKey string `json:"patchMergeKey,omitempty"`

	omitzero bool
}

// Types are the declarations of some packages: structs by name, and what other names stand for.
type Types struct {
	structs map[string][]Field
	scalars map[string]string
}

// read parses the types.go of each package folder.
func read(folders ...string) (Types, error) {
	types := Types{map[string][]Field{}, map[string]string{}}
	for _, folder := range folders {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, "types.go"), nil, 0)
		if err != nil {
			return types, err
		}
		pkg := filepath.Base(folder)
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok {
				types.add(pkg, spec)
			}
			return true
		})
	}
	return types, nil
}

func (t Types) add(pkg string, spec *ast.TypeSpec) {
	name := typeName(pkg, spec.Name)
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		t.scalars[name] = typeName(pkg, spec.Type)
		return
	}
	fields := []Field{}
	for _, declared := range body.Fields.List {
		fields = append(fields, fieldsOf(pkg, declared)...)
	}
	t.structs[name] = fields
}

func fieldsOf(pkg string, declared *ast.Field) []Field {
	field := Field{Type: typeName(pkg, declared.Type)}
	if declared.Tag != nil {
		tag := reflect.StructTag(strings.Trim(declared.Tag.Value, "`"))
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		field.JSON = name
		field.Omitempty = slices.Contains(strings.Split(options, ","), "omitempty")
		field.omitzero = slices.Contains(strings.Split(options, ","), "omitzero")
		field.PatchStrategy = tag.Get("patchStrategy")
		field.PatchMergeKey = tag.Get("patchMergeKey")
	}
	if len(declared.Names) == 0 {
		field.Go, field.Embedded = field.Type, true
		return []Field{field}
	}
	named := []Field{}
	for _, name := range declared.Names {
		field.Go = name.Name
		named = append(named, field)
	}
	return named
}

// typeName spells a type as Go prints it, but without the package where that is a v1: no two of
// them share a type name.
func typeName(pkg string, expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		if pkg == "v1" || !e.IsExported() {
			return e.Name
		}
		return pkg + "." + e.Name
	case *ast.StarExpr:
		return "*" + typeName(pkg, e.X)
	case *ast.ArrayType:
		return "[]" + typeName(pkg, e.Elt)
	case *ast.MapType:
		return "map[" + typeName(pkg, e.Key) + "]" + typeName(pkg, e.Value)
	case *ast.SelectorExpr:
		switch imported := e.X.(*ast.Ident).Name; imported {
		case "metav1", "corev1":
			return e.Sel.Name
		case "schedulingv1alpha3":
			return typeName("v1alpha3", e.Sel)
		default:
			return typeName(imported, e.Sel)
		}
	}
	return "?"
}

// base is the named type inside pointers, lists and maps.
func base(name string) string {
	return name[strings.LastIndexAny(name, "]*")+1:]
}
