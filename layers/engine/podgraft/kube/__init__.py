"""Kubernetes objects as in the Go code of Kubernetes: types, decoding, selectors, workloads.

The input are JSON objects of ``jsonvalue`` and ``yaml``. The output are Go types and values for
templates, canonical JSON, and results of selectors. No function changes an object in place, does
I/O, or reads a clock.

The package equals k8s.io/api and k8s.io/apimachinery 0.37 (``types`` also contains older releases)
and encoding/json of Go 1.26, including its error texts. Intended differences:

- ``80.0`` in JSON is the integer 80, as in YAML. Go rejects it in JSON only.
- Structs do not have the String methods of protobuf. A template that prints a complete struct gets
  the format of fmt (``{web …}``, ``<nil>``), not ``&Container{…}`` and ``nil``.
- The errors of ``quantity`` for numbers above 64 bits.
"""

from . import quantity, selectors, workload, workload_owner
from .decode_errors import DecodeError
from .decoding import check, check_patched, decode, decode_additions, decode_patch
from .encoding import encode
from .errors import QuantityError, SelectorError, WorkloadError
from .json_codecs import SELF_MARSHALING
from .quantity import Quantity
from .types import CONTAINER, NAMESPACE, OBJECT_META, POD, TYPES, object_type, types

__all__ = [
    "CONTAINER",
    "NAMESPACE",
    "OBJECT_META",
    "POD",
    "SELF_MARSHALING",
    "TYPES",
    "DecodeError",
    "Quantity",
    "QuantityError",
    "SelectorError",
    "WorkloadError",
    "check",
    "check_patched",
    "decode",
    "decode_additions",
    "decode_patch",
    "encode",
    "object_type",
    "quantity",
    "selectors",
    "types",
    "workload",
    "workload_owner",
]
