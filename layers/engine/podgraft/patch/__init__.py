"""Changing JSON: pointers, differences, and the merges that Kubernetes knows.

``diff`` tells two values apart as JSON Patch (RFC 6902), ``strategic.merge`` lays a partial object
over a whole one as kube-apiserver does (k8s.io/apimachinery v0.37, ``strategicpatch``), ``merge``
does so for kinds without Go types (RFC 7386), ``pointer`` is RFC 6901. All are pure and copy on
write: what goes in is never changed, and what comes out shares with it what stayed the same.
``apply`` needs the library ``jsonpatch``, which it imports when called: it is for offline use.
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
