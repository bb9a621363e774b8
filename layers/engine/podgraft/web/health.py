"""Whether this instance can answer reviews, and from which versions."""

from podgraft.jsonvalue import Object
from podgraft.store import DEFAULT_INJECTOR, Store


def check_readiness(store: Store) -> Object:
    """Policy and bundle of every injector; raises ``StoreError`` where one does not load.

    A store that knows of none yet is asked for the default.
    """
    names = store.injectors() or (DEFAULT_INJECTOR,)
    return {name: _versions(store, name) for name in names}


def _versions(store: Store, injector: str) -> Object:
    snapshot = store.snapshot(injector, None)
    versions: Object = {"policy": snapshot.policy_version, "bundle": snapshot.bundle.digest}
    if snapshot.stale:
        versions["stale"] = snapshot.stale.reason
    return versions
