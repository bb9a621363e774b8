"""Patches for JSON: pointers, differences, and the merges of Kubernetes.

``diff`` returns the difference of two values as JSON Patch (RFC 6902). ``strategic.merge`` merges a
partial object into a complete one as kube-apiserver does (k8s.io/apimachinery v0.37,
``strategicpatch``). ``merge_patch`` merges kinds without Go types (RFC 7386). ``pointer`` is RFC
6901. All functions are pure and copy on write: they never change an argument, and the result shares
the unchanged parts. ``apply`` imports the library ``jsonpatch``, and is for offline use.
"""

from . import pointer, strategic
from .differ import diff
from .merge import merge_patch
from .operations import Add, Operation, PatchError, Remove, Replace, apply

__all__ = [
    "Add",
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
