"""Kubernetes' strategic merge patch: a partial object laid over a whole one, lists merged by key.

Equal to k8s.io/apimachinery v0.37.2, ``strategicpatch.StrategicMergePatch``, with its directives
(``$patch``, ``$retainKeys``, ``$setElementOrder/LIST``, ``$deleteFromPrimitiveList/LIST``), its
order of merged lists and its errors. Merge keys and strategies come from the Go type. Pure and copy
on write: the result shares with target and patch whatever came from them whole.

Deliberate differences:

- Where Go walks a map in random order, keys are walked sorted: of several errors the first is
  raised, and ``$deleteFromPrimitiveList/x`` acts before ``x``.
- Where Go panics (a map or list as merge key or as element to delete, a list that begins with
  null), ``MergeError`` is raised.
- A list of scalars that repeats an element *before* the merge is read as it was. Go's answer then
  depends on the spare capacity of the slice.
- An *empty* ``$setElementOrder/x`` beside a list ``x`` in the patch keeps the order that the list
  has without it. Go's comparison contradicts itself there.
- ``$patch`` in an element of the *target's* list is a field like any other.
"""

from .errors import MergeError
from .maps import merge

__all__ = ["MergeError", "merge"]
