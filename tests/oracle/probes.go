package main

import (
	"errors"
	"fmt"
	"text/template"
)

// probes are functions with a parameter of each kind; each shows what it got.
var probes = template.FuncMap{
	"takesAny":       func(v any) string { return fmt.Sprintf("%T:%v", v, v) },
	"takesString":    func(v string) string { return fmt.Sprintf("%q", v) },
	"takesBool":      func(v bool) string { return fmt.Sprint(v) },
	"takesInt":       func(v int) string { return fmt.Sprint(v) },
	"takesInt8":      func(v int8) string { return fmt.Sprint(v) },
	"takesInt64":     func(v int64) string { return fmt.Sprint(v) },
	"takesUint":      func(v uint) string { return fmt.Sprint(v) },
	"takesUint8":     func(v uint8) string { return fmt.Sprint(v) },
	"takesFloat32":   func(v float32) string { return fmt.Sprint(v) },
	"takesFloat64":   func(v float64) string { return fmt.Sprint(v) },
	"takesComplex":   func(v complex128) string { return fmt.Sprint(v) },
	"takesWord":      func(v Word) string { return fmt.Sprintf("%T:%v", v, v) },
	"takesLevel":     func(v Level) string { return fmt.Sprintf("%T:%v", v, v) },
	"takesMap":       func(v map[string]any) string { return fmt.Sprintf("%#v", v) },
	"takesStringMap": func(v map[string]string) string { return fmt.Sprintf("%#v", v) },
	"takesLabels":    func(v Labels) string { return fmt.Sprintf("%v", v) },
	"takesList":      func(v []any) string { return fmt.Sprintf("%#v", v) },
	"takesStrings":   func(v []string) string { return fmt.Sprintf("%#v", v) },
	"takesThing":     func(v Thing) string { return v.Name },
	"takesThingPtr":  func(v *Thing) string { return v.GetName() },
	"takesSizePtr":   func(v *Size) string { return fmt.Sprint(v != nil) },
	"takesStringer":  func(v fmt.Stringer) string { return fmt.Sprint(v) },
	"takesTwo":       func(a string, b int) string { return fmt.Sprint(a, b) },
	"takesMany":      func(a string, rest ...int) string { return fmt.Sprint(a, rest) },
	"takesAnys":      func(v ...any) string { return fmt.Sprintf("%v", v) },
	"givesNil":       func() any { return nil },
	"givesAny":       func() any { return "any" },
	"givesMap":       func() map[string]any { return map[string]any{"k": "v", "n": nil} },
	"givesInt8":      func() int8 { return -8 },
	"givesNilMap":    func() map[string]any { return nil },
	"givesThing":     func() *Thing { return &Thing{Name: "given", Count: 3} },
	"givesLevel":     func() Level { return 2 },
	"fails":          func(v any) (string, error) { return "", errors.New("no " + fmt.Sprint(v)) },
}
