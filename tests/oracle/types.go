package main

import (
	"errors"
	"fmt"
	"reflect"
)

// The types that typed JSON may name; tests/oracle/universe.py tells the engine of the same ones.
var types = map[string]reflect.Type{
	"interface {}": reflect.TypeFor[any](),
	"bool":         reflect.TypeFor[bool](),
	"int":          reflect.TypeFor[int](),
	"int8":         reflect.TypeFor[int8](),
	"int16":        reflect.TypeFor[int16](),
	"int32":        reflect.TypeFor[int32](),
	"int64":        reflect.TypeFor[int64](),
	"uint":         reflect.TypeFor[uint](),
	"uint8":        reflect.TypeFor[uint8](),
	"uint16":       reflect.TypeFor[uint16](),
	"uint32":       reflect.TypeFor[uint32](),
	"uint64":       reflect.TypeFor[uint64](),
	"uintptr":      reflect.TypeFor[uintptr](),
	"float32":      reflect.TypeFor[float32](),
	"float64":      reflect.TypeFor[float64](),
	"complex64":    reflect.TypeFor[complex64](),
	"complex128":   reflect.TypeFor[complex128](),
	"string":       reflect.TypeFor[string](),
	"main.Word":    reflect.TypeFor[Word](),
	"main.Flag":    reflect.TypeFor[Flag](),
	"main.Level":   reflect.TypeFor[Level](),
	"main.Ratio":   reflect.TypeFor[Ratio](),
	"main.Labels":  reflect.TypeFor[Labels](),
	"main.Path":    reflect.TypeFor[Path](),
	"main.Size":    reflect.TypeFor[Size](),
	"main.Fault":   reflect.TypeFor[Fault](),
	"main.Syntax":  reflect.TypeFor[Syntax](),
	"main.Angry":   reflect.TypeFor[Angry](),
	"main.Point":   reflect.TypeFor[Point](),
	"main.Box":     reflect.TypeFor[Box](),
	"main.Base":    reflect.TypeFor[Base](),
	"main.Extra":   reflect.TypeFor[Extra](),
	"main.Thing":   reflect.TypeFor[Thing](),
}

type (
	// Word, Flag and Ratio are named scalars, Labels and Path named collections, without methods.
	Word   string
	Flag   bool
	Ratio  float32
	Labels map[string]string
	Path   []string

	// Level prints itself, as the enums of protocol buffers do.
	Level int32
	// Size prints itself through a pointer only, as resource.Quantity does.
	Size struct{ Bytes int64 }
	// Fault is an error.
	Fault struct{ Reason string }
	// Syntax has its own Go syntax.
	Syntax struct{ Text string }
	// Angry panics when it is printed.
	Angry struct{ Reason string }

	// Point is comparable.
	Point struct{ X, Y int }

	// Box is comparable, unless what is in it is not.
	Box struct{ V any }

	// Base and Extra are embedded in Thing.
	Base struct {
		ID   string
		Kind string
	}
	// Extra is embedded by pointer.
	Extra struct {
		Note string
		Kind string
	}

	// Thing has a field of every shape worth testing.
	Thing struct {
		Base
		*Extra
		Name    string
		Count   int
		Small   int8
		Big     uint64
		Part    float64
		On      bool
		Word    Word
		Level   Level
		Size    Size
		SizePtr *Size
		Point   Point
		Any     any
		Tags    []string
		Points  []Point
		Things  []*Thing
		Labels  map[string]string
		Sizes   map[string]Size
		Next    *Thing
		secret  int
	}
)

func (l Level) String() string { return fmt.Sprintf("LEVEL_%d", int32(l)) }

// Above has a parameter.
func (l Level) Above(other Level) bool { return l > other }

func (s *Size) String() string { return fmt.Sprintf("%dB", s.Bytes) }

func (f Fault) Error() string { return "fault: " + f.Reason }

func (s Syntax) GoString() string { return "syntax(" + s.Text + ")" }

func (a Angry) String() string { panic(a.Reason) }

// Title is promoted to Thing.
func (b Base) Title() string { return "base " + b.ID }

// Remark is promoted to Thing, through a pointer.
func (e *Extra) Remark() string { return "extra " + e.Note }

// Greet has one parameter.
func (t Thing) Greet(who string) string { return t.Name + " greets " + who }

// Sum is variadic.
func (t Thing) Sum(first int, rest ...int8) int {
	for _, n := range rest {
		first += int(n)
	}
	return first
}

// Echo takes anything.
func (t Thing) Echo(value any) any { return value }

// Fail fails.
func (t Thing) Fail() (string, error) { return "", errors.New("told to fail") }

// Nothing is nil.
func (t Thing) Nothing() any { return nil }

// Self is a pointer to a copy.
func (t Thing) Self() *Thing { return &t }

// GetName is safe on nil, as the getters of protocol buffers are.
func (t *Thing) GetName() string {
	if t == nil {
		return ""
	}
	return t.Name
}

// GetNext is safe on nil.
func (t *Thing) GetNext() *Thing {
	if t == nil {
		return nil
	}
	return t.Next
}
