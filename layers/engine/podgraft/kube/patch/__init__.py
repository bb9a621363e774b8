"""Patches for JSON: pointers, differences, and the merges of Kubernetes.

``diff`` returns the difference of two values as JSON Patch (RFC 6902). ``strategic.merge`` merges a
partial object into a complete one as kube-apiserver does (k8s.io/apimachinery v0.37,
``strategicpatch``). ``merge_patch`` merges kinds without Go types (RFC 7386). ``pointer`` is RFC
6901. All functions are pure and copy on write: they never change an argument, and the result shares
the unchanged parts. ``apply`` applies a JSON Patch as kube-apiserver does.
"""

from . import pointer, strategic
from .application import ExplicitNull, FailedTestError, PatchError, apply
from .differ import Add, Operation, Remove, Replace, diff
from .merge import merge_patch

__all__ = [
    "Add",
    "ExplicitNull",
    "FailedTestError",
    "Operation",
    "PatchError",
    "Remove",
    "Replace",
    "apply",
    "diff",
    "merge_patch",
    "pointer",
    "strategic",
]
