"""YAML as Kubernetes reads and writes it: sigs.k8s.io/yaml v1.6 over go.yaml.in/yaml/v2 v2.4.

Text goes in and JSON comes out, or the other way; nothing else passes. ``load`` is YAMLToJSON
(``strict``: YAMLToJSONStrict), ``load_all`` the document reader of kubectl, ``dump`` Marshal, byte
for byte. So ``yes`` is true, ``0o17`` is 15, ``1e3`` is 1000, ``12:30:45`` and dates are strings,
keys become strings, and a float that has no fraction is an integer, as its JSON text says.

Differences, each a row of tests/yaml/test_differences.py:

- Two keys of one map that become the same string (``1`` and ``"1"``) are a repeated key. In Go the
  winner changes from run to run. So does the order of keys that ``dump`` finds in a circle.
- Values nest at most ``jsonvalue.MAX_DEPTH`` deep; go-yaml's limit is 10,000.
- ``dump`` writes what Marshal fails on or damages (DEL, U+0080 to U+009F, very long keys) so that
  ``load`` gives it back.
- The scanner is libyaml's, which go-yaml v2 was once translated from. They part over colons and
  question marks inside words of flow lists, odd signs in tags, ``%YAML 1.2`` and escaped slashes.
"""

from .decoder import load
from .documents import load_all
from .emitter import dump
from .errors import NotYAMLError
from .incremental import IncrementalLoader

__all__ = ["IncrementalLoader", "NotYAMLError", "dump", "load", "load_all"]
