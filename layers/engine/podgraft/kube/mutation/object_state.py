"""An object while mutations change it: as expressions read it, and without new defaults.

kube-apiserver decodes the object after each mutation and sets defaults, which later expressions can
read. It also sets them after a webhook, so the patch of a webhook does not need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from podgraft import kube
from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object, string_at
from podgraft.kube.defaults import complete
from podgraft.kube.patch import FailedTestError, PatchError, apply
from podgraft.kube.structured import Schema, StructuredError, merge

from .errors import MutationDeniedError, MutationError
from .strict import StrictDecodingError, check_decodes


@dataclass(frozen=True, slots=True)
class ObjectState:
    """An object that kube-apiserver has completed, and the same without the defaults it added.

    ``ref`` is the type of its kind, which is empty for an unknown kind.
    """

    schema: Schema
    ref: str
    visible: Object
    plain: Object

    @classmethod
    def start(cls, schema: Schema, before: Object) -> ObjectState:
        """The state before all mutations."""
        version, kind = string_at(before, "apiVersion"), string_at(before, "kind")
        ref = schema.find_kind(version, kind) or ""
        visible = _complete(schema, ref, before, between_mutations=False)
        return cls(schema, ref, before if jsonvalue.equal(visible, before) else visible, before)

    def apply_configuration(self, patch: Object) -> ObjectState:
        """Merge an apply configuration; raises ``MutationError`` or ``MutationDeniedError``."""
        self._check_kind()
        head = {key: self.visible[key] for key in ("apiVersion", "kind") if key in self.visible}
        patch = {**patch, **head}
        try:
            visible = merge(self.schema, self.visible, patch, self.ref)
        except StructuredError as error:
            raise MutationError(f"error applying patch: {error}") from error
        plain = visible if self.plain is self.visible else self._merge_plain(patch, visible)
        return self._advance(visible, plain)

    def _merge_plain(self, patch: Object, visible: Object) -> Object:
        """The object without defaults after the merge; with them if the merge needs them."""
        try:
            return merge(self.schema, self.plain, patch, self.ref)
        except StructuredError:
            return visible

    def apply_operations(self, operations: Sequence[Object]) -> ObjectState:
        """Apply a JSON Patch; raises ``MutationError`` or ``MutationDeniedError``."""
        self._check_kind()
        try:
            patched = apply(self.visible, operations)
        except FailedTestError:
            return self
        except PatchError as error:
            raise MutationError(f"JSON Patch: {error}") from error
        try:
            visible = check_decodes(self.schema, self.visible, patched, self.ref)
        except StrictDecodingError as error:
            raise MutationDeniedError(
                f"Internal error occurred: {error}", HTTPStatus.INTERNAL_SERVER_ERROR
            ) from error
        plain = visible if self.plain is self.visible else self._patch_plain(operations, visible)
        return self._advance(visible, plain)

    def _patch_plain(self, operations: Sequence[Object], visible: Object) -> Object:
        """The object without defaults after the patch; with them if the patch needs them."""
        try:
            patched = apply(self.plain, operations)
        except PatchError:
            return visible
        return patched if isinstance(patched, dict) else visible

    def _check_kind(self) -> None:
        if not self.ref:
            version, kind = (string_at(self.visible, key) for key in ("apiVersion", "kind"))
            raise MutationDeniedError(
                f"Resource kind {version}, Kind={kind} not found. There can be a delay between "
                "when CustomResourceDefinitions are created and when they are available.",
                HTTPStatus.SERVICE_UNAVAILABLE,
            )

    def _advance(self, visible: Object, plain: Object) -> ObjectState:
        try:
            completed = _complete(self.schema, self.ref, visible)
        except kube.DecodeError as error:
            version, kind = (string_at(visible, key) for key in ("apiVersion", "kind"))
            name = f"{version if '/' in version else f'/{version}'}, Kind={kind}"
            text = f"unable to convert unstructured object to {name}: {error}"
            raise MutationError(text) from error
        is_plain = plain is visible or self._completes_to(plain, completed)
        return ObjectState(self.schema, self.ref, completed, plain if is_plain else completed)

    def _completes_to(self, plain: Object, completed: Object) -> bool:
        try:
            return jsonvalue.equal(_complete(self.schema, self.ref, plain), completed)
        except kube.DecodeError:
            return False


def _complete(schema: Schema, ref: str, value: Object, *, between_mutations: bool = True) -> Object:
    """The object as kube-apiserver has it: a custom resource gets the defaults of its schema."""
    if schema.is_custom(ref):
        return schema.set_custom_defaults(ref, value)
    if not ref:
        return value
    return complete(value, schema.minor, between_mutations=between_mutations)
