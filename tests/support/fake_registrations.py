"""The webhook configurations of a cluster in memory, with the versions of an API server."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from podgraft.cli.live.api_errors import ApiError

Key = tuple[str, str]


@dataclass(slots=True)
class FakeRegistrations:
    """Objects by kind and name. ``before`` is called before each request, ``after`` each change."""

    objects: dict[Key, Any] = field(default_factory=dict[Key, Any])
    before: Callable[[str], None] = lambda _: None
    after: Callable[[], None] = lambda: None
    version: int = 0

    def read(self) -> list[Any]:
        self.before("read")
        return copy.deepcopy([*self.objects.values()])

    def create(self, manifest: Any) -> Any:
        self.before("create")
        if _key(manifest) in self.objects:
            raise ApiError("already exists")
        return self._store(manifest)

    def touch(self, live: Any) -> Any:
        self.before("touch")
        return self._store(self._check_version(live))

    def apply(self, manifest: Any) -> Any:
        self.before("apply")
        self._check_version(manifest)
        return self._store(manifest)

    def delete(self, live: Any) -> None:
        self.before("delete")
        self.objects.pop(_key(live), None)
        self.after()

    def _check_version(self, manifest: Any) -> Any:
        """Return the stored object; raises ``ApiError`` if it is not the version that was read."""
        stored = self.objects.get(_key(manifest))
        version = manifest["metadata"]["resourceVersion"]
        if stored is None or stored["metadata"]["resourceVersion"] != version:
            raise ApiError("the object has been modified")
        return stored

    def _store(self, manifest: Any) -> Any:
        self.version += 1
        stored = copy.deepcopy(manifest)
        stored["metadata"]["resourceVersion"] = str(self.version)
        self.objects[_key(manifest)] = stored
        self.after()
        return copy.deepcopy(stored)


def _key(manifest: Any) -> Key:
    return manifest["kind"], manifest["metadata"]["name"]
