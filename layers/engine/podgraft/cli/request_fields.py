"""The fields of an admission request that its object does not set: operation, old object, user."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.admission import AdmissionRequest, Operation


class RequestFields(Struct, frozen=True, kw_only=True):
    """The fields of a request; the default is the creation of an object by no user.

    ``user`` is the field ``userInfo``: ``username``, ``uid``, ``groups``, and ``extra``.
    """

    operation: Operation = Operation.CREATE
    old_object: Object | None = None
    user: Mapping[str, JSON] = {}
    sub_resource: str = ""
    dry_run: bool = False

    @property
    def is_delete(self) -> bool:
        """Whether the request deletes the object."""
        return self.operation is Operation.DELETE

    def apply_to(self, request: AdmissionRequest) -> AdmissionRequest:
        """Return the request with these fields. The request to delete has only an old object."""
        if self == _CREATE:
            return request
        value = None if self.is_delete else request.object
        old_object = request.object if self.is_delete else self.old_object
        raw: Object = {
            **request.raw,
            "operation": str(self.operation),
            "userInfo": dict(self.user),
            "dryRun": self.dry_run,
        }
        if self.sub_resource:
            raw["subResource"] = self.sub_resource
        return replace(
            request,
            operation=self.operation,
            object=value,
            old_object=old_object,
            sub_resource=self.sub_resource,
            dry_run=self.dry_run,
            raw=raw,
        )


_CREATE = RequestFields()
