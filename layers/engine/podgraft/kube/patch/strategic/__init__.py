"""Kubernetes' strategic merge patch: merge a partial object into a complete one, lists by key.

Equal to k8s.io/apimachinery v0.37.2, ``strategicpatch.StrategicMergePatch``, including its
directives (``$patch``, ``$retainKeys``, ``$setElementOrder/LIST``,
``$deleteFromPrimitiveList/LIST``), the order of merged lists, and its errors. The Go type defines
merge keys and strategies.

The hazards of this algorithm:

- *Sharing.* The result shares unchanged parts with the target and the patch. Go merges in place;
  here, each function copies an object before it changes the object. A function that changes an
  argument would corrupt the cached bundle, and so the next review.
- *Order.* The order of containers is visible: kubelet starts them in this order. Two sorted lists
  are interleaved (``lists.interleave``), and both keep their own order. Sorting the union by one of
  the orders gives another result.
- *In-place deletion.* For ``$setElementOrder``, Go reads the live order from an array that the
  merge has already changed. ``order.py`` reproduces that array.
- *Null.* In a patch, null deletes a member, but only if the target has the object to delete it
  from. Otherwise, nulls and directives must be stripped (``schema.py``), or they would reach
  the pod.

Intended differences:

- Go visits maps in random order; here, keys are sorted. The first of several errors is raised, and
  ``$deleteFromPrimitiveList/x`` is applied before ``x``.
- If Go panics (a map or list as merge key or as element to delete, a list that starts with null),
  ``MergeError`` is raised.
- For a list of scalars with duplicates *before* the merge, Go's result depends on the capacity of
  the slice. Here, it does not.
- An *empty* ``$setElementOrder/x`` with a list ``x`` in the patch does not change the order. Go's
  comparison is inconsistent in this case.
- ``$patch`` in an element of the *target's* list is a normal field.
"""

from .errors import MergeError
from .maps import merge
from .order import DIRECTIVE as ELEMENT_ORDER
from .schema import PATCH

__all__ = ["ELEMENT_ORDER", "PATCH", "MergeError", "merge"]
