package main

import "slices"

// Past is a field that a struct had up to the release Until, standing before the field Before.
type Past struct {
	Field
	Before string `json:"before,omitempty"`
	Since  int    `json:"since,omitempty"`
	Until  int    `json:"until"`
}

// History dates what go-types.json holds, by the minor of the Kubernetes release.
type History struct {
	About    string             `json:"_about"`
	Since    map[string]int     `json:"since"`
	Omitzero []string           `json:"omitzero"`
	Past     map[string][]Past  `json:"past"`
	Structs  map[string][]Field `json:"structs"`
}

func history(table Types, releases map[int]Types) History {
	found := History{
		About: "When the fields of go-types.json came, by Kubernetes minor (since: later than their struct), and fields of older releases that it lacks. " +
			"From the sources of k8s.io/api 0.17 to 0.37. Made by kube_history.",
		Since: map[string]int{}, Past: map[string][]Past{}, Structs: map[string][]Field{},
	}
	for name, fields := range table.structs {
		found.date(name, fields, releases)
		found.recall(name, releases)
	}
	slices.Sort(found.Omitzero)
	return found
}

// date notes the current fields that the struct lacked, or had otherwise, in the first release that has the struct.
func (h *History) date(name string, fields []Field, releases map[int]Types) {
	for _, field := range fields {
		since := last
		for since > first && has(releases[since-1].structs[name], field, releases[last].structs[name]) {
			since--
		}
		if _, older := releases[since-1].structs[name]; older {
			h.Since[name+"."+field.Go] = since
		}
		if current := find(releases[last].structs[name], field.Go); current.omitzero {
			h.Omitzero = append(h.Omitzero, name+"."+field.Go)
		}
	}
}

// has tells whether the older form of a struct has the field as the newest has it.
func has(older []Field, field Field, newest []Field) bool {
	return find(older, field.Go) == find(newest, field.Go)
}

func find(fields []Field, name string) Field {
	at := slices.IndexFunc(fields, func(f Field) bool { return f.Go == name })
	if at < 0 {
		return Field{}
	}
	return fields[at]
}

// recall notes the fields that later releases dropped or changed, and the structs that only these reach.
func (h *History) recall(name string, releases map[int]Types) {
	for minor := first; minor < last; minor++ {
		fields := releases[minor].structs[name]
		for at, field := range fields {
			if has(releases[minor+1].structs[name], field, fields) {
				continue
			}
			since := minor
			for since > first && has(releases[since-1].structs[name], field, fields) {
				since--
			}
			past := Past{Field: field, Since: since, Until: minor, Before: before(fields[at:], releases[last].structs[name])}
			if _, older := releases[since-1].structs[name]; !older {
				past.Since = 0
			}
			h.Past[name] = append(h.Past[name], past)
			h.keep(base(field.Type), releases[minor], releases[last])
		}
	}
}

// before is the first of the fields that the newest release has too.
func before(fields, newest []Field) string {
	for _, field := range fields {
		if find(newest, field.Go) != (Field{}) {
			return field.Go
		}
	}
	return ""
}

// keep notes a struct that the newest release does not have any more.
func (h *History) keep(name string, release, newest Types) {
	fields, isStruct := release.structs[name]
	if _, current := newest.structs[name]; !isStruct || current || h.Structs[name] != nil {
		return
	}
	h.Structs[name] = fields
	for _, field := range fields {
		h.keep(base(field.Type), release, newest)
	}
}
