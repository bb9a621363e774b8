"""Kubernetes objects as Kubernetes' Go code sees them: types, decoding, selectors, workloads.

In go raw JSON objects, as ``jsonvalue`` and ``yaml`` read them; out come Go types and values
for templates, canonical JSON, and answers. Objects are never changed in place. Pure: no I/O, no
clock.

It equals k8s.io/api and k8s.io/apimachinery 0.37 (``types`` also knows older releases) and Go
1.26's encoding/json, whose words its errors use. Deliberately different:

- JSON's ``80.0`` is read as the integer 80, because YAML's is; Go refuses it in JSON alone.
- Structs are without the String methods that protobuf generated, so that a template that prints a
  whole struct sees fmt's form (``{web …}``, ``<nil>``), not ``&Container{…}`` and ``nil``.
- What ``quantity`` says of numbers beyond 64 bits.
"""

from . import quantity, selectors, workload, workload_owner
from .decode_errors import DecodeError, FieldError
from .decoding import check, decode
from .encoding import encode
from .errors import KubeError, QuantityError, SelectorError, WorkloadError
from .json_codecs import SELF_MARSHALING
from .object_type import object_type
from .quantity import Quantity
from .types import (
    CONTAINER,
    LABEL_SELECTOR,
    NAMESPACE,
    NEWEST,
    OBJECT_META,
    POD,
    POD_SPEC,
    POD_TEMPLATE,
    TYPES,
    KubeTypes,
    types,
)
from .workload_owner import OwnerRules, WorkloadRef

__all__ = [
    "CONTAINER",
    "LABEL_SELECTOR",
    "NAMESPACE",
    "NEWEST",
    "OBJECT_META",
    "POD",
    "POD_SPEC",
    "POD_TEMPLATE",
    "SELF_MARSHALING",
    "TYPES",
    "DecodeError",
    "FieldError",
    "KubeError",
    "KubeTypes",
    "OwnerRules",
    "Quantity",
    "QuantityError",
    "SelectorError",
    "WorkloadError",
    "WorkloadRef",
    "check",
    "decode",
    "encode",
    "object_type",
    "quantity",
    "selectors",
    "types",
    "workload",
    "workload_owner",
]
