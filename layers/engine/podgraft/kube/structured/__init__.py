"""Structured merge: an apply configuration merged into an object, as kube-apiserver does it.

``Schema`` has the types of the fields, by Kubernetes release; ``merge`` merges a patch. This is the
merge of server-side apply and of MutatingAdmissionPolicy (structured-merge-diff v6, kube-openapi's
schemaconv), without the ownership of fields. It differs from strategic merge: nothing is removed,
and lists, maps, and structs that are one value cannot be part of a patch.
"""

from podgraft.base.jsonvalue import Object

from .errors import FieldError, StructuredError
from .merge import NilList, merge_values
from .schema import Schema, release_schema
from .validation import Validator, find_atomics

__all__ = ["FieldError", "NilList", "Schema", "StructuredError", "merge", "release_schema"]


def merge(schema: Schema, live: Object, patch: Object, ref: str) -> Object:
    """Merge an apply configuration into an object of the type *ref*; raises ``StructuredError``.

    Source: ApplyStructuredMergeDiff of k8s.io/apiserver 0.37 (policy/mutating/patch/smd.go).
    """
    errors = [*Validator(schema).check(patch, ref)]
    if errors:
        raise StructuredError("failed to convert patch object to typed object", errors)
    atomics = [*find_atomics(schema, patch, ref)]
    if atomics:
        problem = f"may not mutate atomic arrays, maps or structs: {', '.join(atomics)}"
        raise StructuredError(f"invalid ApplyConfiguration: {problem}")
    errors = [*Validator(schema, is_live=True).check(live, ref)]
    if errors:
        raise StructuredError("failed to convert original object to typed object", errors)
    return merge_values(schema, live, patch, ref)
