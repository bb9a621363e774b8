"""The order of containers: who starts first decides who can use the network."""

from __future__ import annotations

from podgraft.jsonvalue import Object

from .draft import CORE_DUMP, INIT, PROXY, VALIDATION, Draft, named
from .releases import Profile


def reorder(profile: Profile, draft: Draft, *, hold: bool) -> None:
    """Put the special containers where they belong; all others keep their order.

    ``hold`` starts the proxy first, so that the application finds its network ready.
    """
    draft.containers = (_first if hold else _last)(draft.containers, PROXY)
    if profile.native_sidecars and named(draft.init_containers, PROXY) is not None:
        moves = ((_first, CORE_DUMP), (_first, PROXY), (_first, VALIDATION), (_first, INIT))
    else:
        moves = ((_first, VALIDATION), (_last, INIT), (_last, CORE_DUMP))
    for move, name in moves:
        draft.init_containers = move(draft.init_containers, name)


def _first(listed: list[Object], name: str) -> list[Object]:
    moved, others = _split(listed, name)
    return [*moved, *others]


def _last(listed: list[Object], name: str) -> list[Object]:
    moved, others = _split(listed, name)
    return [*others, *moved]


def _split(listed: list[Object], name: str) -> tuple[list[Object], list[Object]]:
    """The last one of that name (earlier ones are dropped, as in Istio), and all others."""
    return (
        [each for each in listed if each.get("name") == name][-1:],
        [each for each in listed if each.get("name") != name],
    )
