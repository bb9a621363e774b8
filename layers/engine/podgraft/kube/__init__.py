"""Kubernetes objects as Kubernetes' Go code sees them: types, decoding, selectors, workloads.

In go raw JSON objects, as ``jsonvalue`` and ``kubeyaml`` read them; out come Go types and values
for templates, canonical JSON, and answers. Objects are never changed in place. The types are those
of k8s.io/api 0.37, and of any older release down to 0.10 by ``types``; decoding is that of
encoding/json, whose words errors use. Pure: no I/O, no clock.
"""

from . import identity, quantity, selectors, workload
from .decoding import check, decode
from .encoding import encode
from .errors import KubeError, QuantityError, SelectorError, WorkloadError
from .faults import DecodeError, Fault
from .identity import Identity, OwnerRules
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
    Types,
    types,
)

__all__ = [
    "CONTAINER",
    "LABEL_SELECTOR",
    "NAMESPACE",
    "NEWEST",
    "OBJECT_META",
    "POD",
    "POD_SPEC",
    "POD_TEMPLATE",
    "TYPES",
    "DecodeError",
    "Fault",
    "Identity",
    "KubeError",
    "OwnerRules",
    "Quantity",
    "QuantityError",
    "SelectorError",
    "Types",
    "WorkloadError",
    "check",
    "decode",
    "encode",
    "identity",
    "quantity",
    "selectors",
    "types",
    "workload",
]
