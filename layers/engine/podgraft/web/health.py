"""Whether this instance can answer reviews, and from which versions."""

from podgraft.jsonvalue import Object
from podgraft.store import NotLoadedError, Store


def readiness(store: Store) -> Object:
    """Policy and bundle of every injector; raises ``StoreError`` where one does not load."""
    names = store.injectors()
    if not names:
        raise NotLoadedError("no injector is stored")
    return {name: _versions(store, name) for name in names}


def _versions(store: Store, injector: str) -> Object:
    snapshot = store.snapshot(injector, None)
    versions: Object = {"policy": snapshot.policy_version, "bundle": snapshot.bundle.digest}
    if snapshot.stale:
        versions["stale"] = snapshot.stale.why
    return versions
