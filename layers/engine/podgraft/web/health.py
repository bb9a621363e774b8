"""Readiness: whether this instance can serve reviews, and with which versions."""

from podgraft.jsonvalue import Object
from podgraft.store import DEFAULT_INJECTOR, Store


def check_readiness(store: Store) -> Object:
    """Return policy and bundle of every injector; raises ``StoreError`` if one does not load.

    If no injector is loaded yet, this loads the default injector.
    """
    names = store.injectors() or (DEFAULT_INJECTOR,)
    return {name: _versions(store, name) for name in names}


def _versions(store: Store, injector: str) -> Object:
    snapshot = store.snapshot(injector, None)
    versions: Object = {"policy": snapshot.policy_version, "bundle": snapshot.bundle.digest}
    if snapshot.stale:
        versions["stale"] = snapshot.stale.reason
    return versions
