package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// The interpreter runs as much of a Go test as its tables need: literals, assignments, conditions,
// closures, and calls of hooks. Any other expression evaluates to unknown{}, and a
// condition on an unknown value runs neither branch.

type (
	unknown struct{}
	symbol  string // PACKAGE.NAME of something outside the test's package
	tuple   []any
	object  map[string]any // a struct or a map
	closure struct {
		code  *ast.FuncLit
		scope *scope
	}
	hook func(arguments []any) any
)

// mesh is a path in a mesh configuration; assignments to it are recorded.
type mesh struct {
	settings *settings
	changes  *[]change
	path     []string
}

type change struct {
	Op    string   `json:"op"`
	Path  []string `json:"path"`
	Value any      `json:"value"`
}

type scope struct {
	names map[string]any
	outer *scope
}

func (s *scope) find(name string) (any, *scope) {
	for at := s; at != nil; at = at.outer {
		if value, ok := at.names[name]; ok {
			return value, at
		}
	}
	return unknown{}, nil
}

type interpreter struct {
	functions map[string]*ast.FuncDecl
	constants map[string]ast.Expr
	types     map[string]ast.Expr
	hooks     map[string]hook
	assigned  func(name symbol, value any)    // to a variable of another package
	made      func(name string, value object) // a value of a named type
}

// returned ends the current function.
type returned struct{ values []any }

func (in *interpreter) block(statements []ast.Stmt, at *scope) *returned {
	for _, statement := range statements {
		if done := in.run(statement, at); done != nil {
			return done
		}
	}
	return nil
}

func (in *interpreter) run(statement ast.Stmt, at *scope) *returned {
	switch s := statement.(type) {
	case *ast.AssignStmt:
		in.assign(s, at)
	case *ast.ExprStmt:
		in.eval(s.X, at)
	case *ast.DeclStmt:
		in.declare(s, at)
	case *ast.BlockStmt:
		return in.block(s.List, &scope{map[string]any{}, at})
	case *ast.IfStmt:
		inner := &scope{map[string]any{}, at}
		if s.Init != nil {
			in.run(s.Init, inner)
		}
		switch in.eval(s.Cond, inner) {
		case true:
			return in.block(s.Body.List, inner)
		case false:
			if s.Else != nil {
				return in.run(s.Else, inner)
			}
		}
	case *ast.RangeStmt:
		return in.repeat(s, at)
	case *ast.ReturnStmt:
		values := []any{}
		for _, result := range s.Results {
			values = append(values, in.eval(result, at))
		}
		return &returned{values}
	}
	return nil
}

// repeat runs a loop over a list; a return ends the iteration, as in a subtest.
func (in *interpreter) repeat(s *ast.RangeStmt, at *scope) *returned {
	list, ok := in.eval(s.X, at).([]any)
	if !ok {
		return nil
	}
	for index, each := range list {
		inner := &scope{map[string]any{}, at}
		set := func(target ast.Expr, value any) {
			if name, ok := target.(*ast.Ident); ok && name.Name != "_" {
				inner.names[name.Name] = value
			}
		}
		set(s.Key, int64(index))
		set(s.Value, each)
		in.block(s.Body.List, inner)
	}
	return nil
}

func (in *interpreter) declare(s *ast.DeclStmt, at *scope) {
	declaration, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range declaration.Specs {
		switch d := spec.(type) {
		case *ast.TypeSpec:
			in.types[d.Name.Name] = d.Type
		case *ast.ValueSpec:
			for index, name := range d.Names {
				at.names[name.Name] = unknown{}
				if index < len(d.Values) {
					at.names[name.Name] = in.eval(d.Values[index], at)
				}
			}
		}
	}
}

func (in *interpreter) assign(s *ast.AssignStmt, at *scope) {
	values := []any{}
	for _, right := range s.Rhs {
		values = append(values, in.eval(right, at))
	}
	if several, ok := values[0].(tuple); ok && len(s.Lhs) > 1 && len(values) == 1 {
		values = several
	}
	for index, left := range s.Lhs {
		var value any = unknown{}
		if index < len(values) {
			value = values[index]
		}
		in.set(left, value, s.Tok == token.DEFINE, at)
	}
}

func (in *interpreter) set(left ast.Expr, value any, define bool, at *scope) {
	switch target := left.(type) {
	case *ast.Ident:
		_, home := at.find(target.Name)
		if define || home == nil {
			home = at
		}
		home.names[target.Name] = value
	case *ast.SelectorExpr:
		switch holder := in.eval(target.X, at).(type) {
		case object:
			holder[target.Sel.Name] = value
		case mesh:
			holder.child(camel(target.Sel.Name)).assign(value)
		case symbol:
			in.assigned(holder+symbol("."+target.Sel.Name), value)
		case unknown:
			if name, ok := target.X.(*ast.Ident); ok {
				in.assigned(symbol(name.Name+"."+target.Sel.Name), value)
			}
		}
	case *ast.IndexExpr:
		key, _ := in.eval(target.Index, at).(string)
		switch holder := in.eval(target.X, at).(type) {
		case object:
			holder[key] = value
		case mesh:
			holder.child(key).assign(value)
		}
	}
}

func (m mesh) child(name string) mesh {
	return mesh{m.settings, m.changes, append(append([]string{}, m.path...), name)}
}

func (m mesh) assign(value any) {
	if appended, ok := value.(appendage); ok {
		*m.changes = append(*m.changes, change{"append", m.path, message(appended.value)})
		return
	}
	*m.changes = append(*m.changes, change{"set", m.path, message(value)})
}

// appendage is what append adds to a list in a mesh configuration.
type appendage struct{ value any }

func (in *interpreter) eval(expression ast.Expr, at *scope) any {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.ParenExpr:
		return in.eval(e.X, at)
	case *ast.StarExpr:
		return in.eval(e.X, at)
	case *ast.Ident:
		return in.identifier(e.Name, at)
	case *ast.FuncLit:
		return closure{e, at}
	case *ast.CompositeLit:
		return in.composite(e, e.Type, at)
	case *ast.UnaryExpr:
		value := in.eval(e.X, at)
		if flag, ok := value.(bool); ok && e.Op == token.NOT {
			return !flag
		}
		return value
	case *ast.BinaryExpr:
		return in.binary(e, at)
	case *ast.SelectorExpr:
		return in.selector(e, at)
	case *ast.IndexExpr:
		if holder, ok := in.eval(e.X, at).(object); ok {
			if key, ok := in.eval(e.Index, at).(string); ok {
				return holder[key]
			}
		}
	case *ast.CallExpr:
		return in.call(e, at)
	}
	return unknown{}
}

func literal(e *ast.BasicLit) any {
	switch e.Kind {
	case token.STRING:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case token.INT:
		if number, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
			return number
		}
	}
	return unknown{}
}

func (in *interpreter) identifier(name string, at *scope) any {
	switch name {
	case "true":
		return true
	case "false":
		return false
	case "nil":
		return nil
	}
	if value, home := at.find(name); home != nil {
		return value
	}
	if constant, ok := in.constants[name]; ok {
		return in.eval(constant, &scope{map[string]any{}, nil})
	}
	return unknown{}
}

// composite is a list, or an object with zero values for omitted fields.
func (in *interpreter) composite(e *ast.CompositeLit, shape ast.Expr, at *scope) any {
	shape = in.resolve(shape)
	if list, ok := shape.(*ast.ArrayType); ok {
		values := []any{}
		for _, each := range e.Elts {
			if inner, ok := each.(*ast.CompositeLit); ok && inner.Type == nil {
				values = append(values, in.composite(inner, list.Elt, at))
			} else {
				values = append(values, in.eval(each, at))
			}
		}
		return values
	}
	made := object{}
	defer func() { in.made(typeName(e.Type), made) }()
	if described, ok := shape.(*ast.StructType); ok {
		for _, field := range described.Fields.List {
			for _, name := range field.Names {
				made[name.Name] = zero(field.Type)
			}
		}
	}
	for _, each := range e.Elts {
		pair, ok := each.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key := ""
		if name, ok := pair.Key.(*ast.Ident); ok {
			key = name.Name
		} else {
			key = text(in.eval(pair.Key, at))
		}
		made[key] = in.eval(pair.Value, at)
	}
	return made
}

func typeName(shape ast.Expr) string {
	switch named := shape.(type) {
	case *ast.Ident:
		return named.Name
	case *ast.SelectorExpr:
		return named.Sel.Name
	}
	return ""
}

func (in *interpreter) resolve(shape ast.Expr) ast.Expr {
	if star, ok := shape.(*ast.StarExpr); ok {
		shape = star.X
	}
	if name, ok := shape.(*ast.Ident); ok {
		if known, ok := in.types[name.Name]; ok {
			return known
		}
	}
	return shape
}

func zero(shape ast.Expr) any {
	if name, ok := shape.(*ast.Ident); ok {
		switch name.Name {
		case "string":
			return ""
		case "bool":
			return false
		case "int", "int32", "int64", "uint16", "uint32", "uint64":
			return int64(0)
		}
	}
	if selected, ok := shape.(*ast.SelectorExpr); ok && selected.Sel.Name == "Duration" {
		return int64(0)
	}
	return nil
}

func (in *interpreter) selector(e *ast.SelectorExpr, at *scope) any {
	switch holder := in.eval(e.X, at).(type) {
	case object:
		if value, ok := holder[e.Sel.Name]; ok {
			return value
		}
	case mesh:
		return holder.child(camel(e.Sel.Name))
	case symbol:
		return holder + symbol("."+e.Sel.Name)
	case *settings:
		return holder
	}
	if name, ok := e.X.(*ast.Ident); ok {
		if _, home := at.find(name.Name); home == nil {
			return symbol(name.Name + "." + e.Sel.Name)
		}
	}
	return unknown{}
}

func (in *interpreter) binary(e *ast.BinaryExpr, at *scope) any {
	left := in.eval(e.X, at)
	if flag, ok := left.(bool); ok {
		switch {
		case e.Op == token.LAND && !flag, e.Op == token.LOR && flag:
			return flag
		case e.Op == token.LAND, e.Op == token.LOR:
			return in.eval(e.Y, at)
		}
	}
	right := in.eval(e.Y, at)
	switch e.Op {
	case token.ADD:
		if text, ok := left.(string); ok {
			if other, ok := right.(string); ok {
				return text + other
			}
		}
	case token.MUL:
		return product(left, right)
	case token.EQL:
		return same(left, right)
	case token.NEQ:
		if equal, ok := same(left, right).(bool); ok {
			return !equal
		}
	}
	return unknown{}
}

// product multiplies numbers and units of time; durations are counted in nanoseconds.
func product(left, right any) any {
	number := func(value any) (int64, bool) {
		units := map[symbol]int64{"time.Second": 1e9, "time.Millisecond": 1e6, "time.Minute": 60e9, "time.Hour": 3600e9}
		if name, ok := value.(symbol); ok {
			unit, known := units[name]
			return unit, known
		}
		whole, ok := value.(int64)
		return whole, ok
	}
	one, first := number(left)
	other, second := number(right)
	if !first || !second {
		return unknown{}
	}
	return one * other
}

// same compares scalars, and anything with nil. Whether a path in a mesh is set is always unknown.
func same(left, right any) any {
	if left == nil || right == nil {
		for _, value := range []any{left, right} {
			switch value.(type) {
			case unknown:
				return unknown{}
			case mesh:
				return unknown{}
			}
		}
		return left == nil && right == nil
	}
	switch left.(type) {
	case string, bool, int64, symbol:
		switch right.(type) {
		case string, bool, int64, symbol:
			return left == right
		}
	}
	return unknown{}
}

func (in *interpreter) call(e *ast.CallExpr, at *scope) any {
	name := ""
	switch called := e.Fun.(type) {
	case *ast.Ident:
		name = called.Name
	case *ast.SelectorExpr:
		name = called.Sel.Name
	}
	arguments := []any{}
	for _, each := range e.Args {
		arguments = append(arguments, in.eval(each, at))
	}
	if known, ok := in.hooks[name]; ok {
		return known(arguments)
	}
	if code, ok := in.eval(e.Fun, at).(closure); ok {
		return in.enter(code.code.Type, code.code.Body, arguments, code.scope)
	}
	if declared, ok := in.functions[name]; ok {
		if _, plain := e.Fun.(*ast.Ident); plain {
			return in.enter(declared.Type, declared.Body, arguments, nil)
		}
	}
	return unknown{}
}

func (in *interpreter) enter(shape *ast.FuncType, body *ast.BlockStmt, arguments []any, outer *scope) any {
	inner, index := &scope{map[string]any{}, outer}, 0
	for _, field := range shape.Params.List {
		for _, name := range field.Names {
			inner.names[name.Name] = any(unknown{})
			if index < len(arguments) {
				inner.names[name.Name] = arguments[index]
			}
			index++
		}
	}
	done := in.block(body.List, inner)
	switch {
	case done == nil || len(done.values) == 0:
		return unknown{}
	case len(done.values) == 1:
		return done.values[0]
	}
	return tuple(done.values)
}

// message is a value in protobuf's JSON: names in camel case, enums without their prefix, and no
// wrapper of a oneof.
func message(value any) any {
	switch v := value.(type) {
	case object:
		made := map[string]any{}
		for key, each := range v {
			inner := message(each)
			if wrapped, ok := inner.(map[string]any); ok && key == "Provider" {
				for name, one := range wrapped {
					made[name] = one
				}
				continue
			}
			made[camel(key)] = inner
		}
		return made
	case []any:
		made := []any{}
		for _, each := range v {
			made = append(made, message(each))
		}
		return made
	case symbol:
		return enum(string(v))
	case int64:
		return v
	}
	return value
}

// enum is the name of an enum value, without the name of its type.
func enum(name string) string {
	parts := strings.Split(name[strings.LastIndex(name, ".")+1:], "_")
	first := len(parts)
	for first > 0 && parts[first-1] == strings.ToUpper(parts[first-1]) {
		first--
	}
	return strings.Join(parts[first:], "_")
}

func camel(name string) string {
	if name == "" {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}

func seconds(nanoseconds int64) string {
	return strconv.FormatFloat(float64(nanoseconds)/1e9, 'f', -1, 64) + "s"
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case nil, unknown:
		return ""
	}
	return fmt.Sprint(value)
}
