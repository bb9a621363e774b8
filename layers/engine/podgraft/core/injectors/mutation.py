"""The result of a mutation: the object, its patch, and the warnings."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.kube.patch import Operation, diff


class Mutation(Struct, frozen=True, kw_only=True):
    """An object after a mutation; the object before it is not changed.

    The patch consists of ``operations``, which lead to ``patch_base``, and of the difference from
    ``patch_base`` to ``object``. Without operations, ``patch_base`` is the object before the
    mutation with what the original injector adds to it before it computes its patch. A patch from
    there applies to the object before the mutation as well.
    """

    object: Object
    patch_base: Object
    is_changed: bool
    warnings: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()

    @classmethod
    def from_unchanged(cls, subject: Object) -> Mutation:
        """The mutation that leaves the object as it is."""
        return cls(object=subject, patch_base=subject, is_changed=False)

    @classmethod
    def from_objects(cls, before: Object, after: Object) -> Mutation:
        """The mutation from one object to another."""
        return cls(object=after, patch_base=before, is_changed=True)

    @property
    def patch(self) -> tuple[Operation, ...]:
        """The JSON Patch of the mutation."""
        return (*self.operations, *diff(self.patch_base, self.object))

    def then(self, later: Mutation) -> Mutation:
        """One mutation for this one and a later one of its object, with one patch."""
        warnings = (*self.warnings, *later.warnings)
        if not self.is_changed:
            return replace(later, warnings=warnings)
        return replace(self, object=later.object, warnings=warnings)
