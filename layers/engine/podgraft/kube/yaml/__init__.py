"""YAML as in Kubernetes: sigs.k8s.io/yaml v1.6 with go.yaml.in/yaml/v2 v2.4.

This package converts YAML text to JSON values, and back. ``load`` is YAMLToJSON (``strict``:
YAMLToJSONStrict), ``load_document`` reads podgraft's own documents, ``load_all`` is the document
reader of kubectl, and ``dump`` is Marshal, byte for
byte. ``yes`` is true, ``0o17`` is 15, ``1e3`` is 1000, ``12:30:45`` and dates are strings, keys are
strings, and a float without a fraction is an integer, as in JSON text.

Differences, each a row of tests/kube/yaml/test_differences.py:

- Two keys of one map that become the same string (``1`` and ``"1"``) are a duplicate key. In Go,
  the result is random. The same applies to the order of keys if go-yaml's order has a cycle.
- Values nest at most ``jsonvalue.MAX_DEPTH`` deep; go-yaml's limit is 10,000.
- ``dump`` writes values that Marshal cannot write or corrupts (DEL, U+0080 to U+009F, very long
  keys) so ``load`` returns the same value.
- The scanner is libyaml's, from which go-yaml v2 derives. They differ in colons and question marks
  inside words of flow lists, unusual characters in tags, and escaped slashes.
"""

from .decoder import load, load_all, load_document
from .emitter import dump
from .errors import NotYAMLError
from .incremental import IncrementalLoader, LoadedText, Path, replace_scalars

__all__ = [
    "IncrementalLoader",
    "LoadedText",
    "NotYAMLError",
    "Path",
    "dump",
    "load",
    "load_all",
    "load_document",
    "replace_scalars",
]
