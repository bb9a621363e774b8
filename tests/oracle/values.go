package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// decode makes the Go value that typed JSON describes.
//
// Plain JSON is what encoding/json would make of it, except that a number without point and
// exponent is an int. {"$type": T, "value": V} is a value of type T, written as Go writes types. V is,
// by T's kind: a number (or "NaN", "+Inf", "-Inf", "-0"), a [real, imaginary] pair, a string (or
// {"hex": "…"}), a list, an object of fields, an object or a list of pairs for a map, the target
// of a pointer; null is T's zero value.
func decode(data json.RawMessage) (any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var raw any
	if err := decoder.Decode(&raw); err != nil {
		return nil, err
	}
	return natural(raw), nil
}

func natural(raw any) any {
	switch raw := raw.(type) {
	case json.Number:
		if strings.ContainsAny(raw.String(), ".eE") {
			return number(raw)
		}
		return int(integer(raw))
	case []any:
		list := make([]any, len(raw))
		for i, item := range raw {
			list[i] = natural(item)
		}
		return list
	case map[string]any:
		if name, ok := raw["$type"]; ok {
			return typed(parseType(name.(string)), raw["value"]).Interface()
		}
		object := make(map[string]any, len(raw))
		for key, item := range raw {
			object[key] = natural(item)
		}
		return object
	default:
		return raw
	}
}

func typed(t reflect.Type, raw any) reflect.Value {
	value := reflect.New(t).Elem()
	if raw == nil {
		return value
	}
	switch t.Kind() {
	case reflect.Bool:
		value.SetBool(raw.(bool))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		value.SetInt(integer(raw))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		parsed, err := strconv.ParseUint(raw.(json.Number).String(), 10, 64)
		check(err)
		value.SetUint(parsed)
	case reflect.Float32, reflect.Float64:
		value.SetFloat(number(raw))
	case reflect.Complex64, reflect.Complex128:
		pair := raw.([]any)
		value.SetComplex(complex(number(pair[0]), number(pair[1])))
	case reflect.String:
		value.SetString(characters(raw))
	case reflect.Interface:
		value.Set(reflect.ValueOf(natural(raw)))
	case reflect.Pointer:
		value.Set(reflect.New(t.Elem()))
		value.Elem().Set(typed(t.Elem(), raw))
	case reflect.Struct:
		for name, item := range raw.(map[string]any) {
			value.FieldByName(name).Set(typed(value.FieldByName(name).Type(), item))
		}
	case reflect.Array, reflect.Slice:
		setItems(value, raw.([]any))
	case reflect.Map:
		setPairs(value, raw)
	default:
		panic("no values of type " + t.String())
	}
	return value
}

func setItems(value reflect.Value, items []any) {
	if value.Kind() == reflect.Slice {
		value.Set(reflect.MakeSlice(value.Type(), len(items), len(items)))
	}
	for i, item := range items {
		value.Index(i).Set(typed(value.Type().Elem(), item))
	}
}

func setPairs(value reflect.Value, raw any) {
	t := value.Type()
	value.Set(reflect.MakeMap(t))
	switch raw := raw.(type) {
	case map[string]any:
		for key, item := range raw {
			value.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), typed(t.Elem(), item))
		}
	case []any:
		for _, pair := range raw {
			pair := pair.([]any)
			value.SetMapIndex(typed(t.Key(), pair[0]), typed(t.Elem(), pair[1]))
		}
	}
}

func integer(raw any) int64 {
	parsed, err := strconv.ParseInt(raw.(json.Number).String(), 10, 64)
	check(err)
	return parsed
}

func number(raw any) float64 {
	parsed, err := strconv.ParseFloat(fmt.Sprint(raw), 64)
	check(err)
	return parsed
}

func characters(raw any) string {
	if object, ok := raw.(map[string]any); ok {
		decoded, err := hex.DecodeString(object["hex"].(string))
		check(err)
		return string(decoded)
	}
	return raw.(string)
}

// parseType reads a type as Go prints it.
func parseType(name string) reflect.Type {
	switch {
	case strings.HasPrefix(name, "*"):
		return reflect.PointerTo(parseType(name[1:]))
	case strings.HasPrefix(name, "map["):
		end := strings.Index(name, "]")
		return reflect.MapOf(parseType(name[4:end]), parseType(name[end+1:]))
	case strings.HasPrefix(name, "[]"):
		return reflect.SliceOf(parseType(name[2:]))
	case strings.HasPrefix(name, "["):
		end := strings.Index(name, "]")
		length, err := strconv.Atoi(name[1:end])
		check(err)
		return reflect.ArrayOf(length, parseType(name[end+1:]))
	}
	if t, ok := types[name]; ok {
		return t
	}
	panic("no type " + name)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
