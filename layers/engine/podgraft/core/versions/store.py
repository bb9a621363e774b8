"""The interface of a store of versions; ``service/store`` implements it."""

from typing import Protocol

from podgraft.base.deadline import Deadline

from .snapshot import Snapshot


class Store(Protocol):
    """A store of policies and bundles."""

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        """Return the snapshot in force, within the deadline; raises ``StoreError``.

        *groups* are those of the cluster in the registry of callers.
        """
        ...

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """Return the names of all stored injectors, within the deadline; raises ``StoreError``."""
        ...
