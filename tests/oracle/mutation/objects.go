package main

import (
	"bytes"
	"encoding/json"
	"log"
	"sort"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func init() { log.SetFlags(0) }

// decode returns an object of a registered version, with its defaults; nil for no object.
func decode(raw json.RawMessage) (runtime.Object, schema.GroupVersionKind) {
	if raw == nil {
		return nil, schema.GroupVersionKind{}
	}
	object, gvk, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	check(err)
	legacyscheme.Scheme.Default(object)
	object.GetObjectKind().SetGroupVersionKind(*gvk)
	return object, *gvk
}

// encode returns the JSON that kube-apiserver sends.
func encode(object runtime.Object, gvk schema.GroupVersionKind) json.RawMessage {
	object.GetObjectKind().SetGroupVersionKind(gvk)
	serializer := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, jsonserializer.SerializerOptions{})
	var out bytes.Buffer
	check(serializer.Encode(object, &out))
	return bytes.TrimSpace(out.Bytes())
}

func toInternal(object runtime.Object) runtime.Object {
	if object == nil {
		return nil
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	check(err)
	return internal
}

func sortByName(objects []runtime.Object) {
	name := func(object runtime.Object) string {
		accessor, err := meta.Accessor(object)
		check(err)
		return accessor.GetNamespace() + "/" + accessor.GetName()
	}
	sort.Slice(objects, func(i, j int) bool { return name(objects[i]) < name(objects[j]) })
}
