"""The order of containers: who starts first decides who can use the network."""

from __future__ import annotations

from podgraft.injectors.istio.pod_builder import (
    CORE_DUMP,
    INIT,
    PROXY,
    VALIDATION,
    PodBuilder,
    find_by_name,
)
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import Object


def reorder_containers(profile: Profile, draft: PodBuilder, *, hold: bool) -> None:
    """Put the special containers where they belong; all others keep their order.

    ``hold`` starts the proxy first, so that the application finds its network ready.
    """
    draft.containers = (_move_first if hold else _move_last)(draft.containers, PROXY)
    if profile.native_sidecars and find_by_name(draft.init_containers, PROXY) is not None:
        moves = (
            (_move_first, CORE_DUMP),
            (_move_first, PROXY),
            (_move_first, VALIDATION),
            (_move_first, INIT),
        )
    else:
        moves = ((_move_first, VALIDATION), (_move_last, INIT), (_move_last, CORE_DUMP))
    for move, name in moves:
        draft.init_containers = move(draft.init_containers, name)


def _move_first(listed: list[Object], name: str) -> list[Object]:
    moved, others = _split_by_name(listed, name)
    return [*moved, *others]


def _move_last(listed: list[Object], name: str) -> list[Object]:
    moved, others = _split_by_name(listed, name)
    return [*others, *moved]


def _split_by_name(listed: list[Object], name: str) -> tuple[list[Object], list[Object]]:
    """The last one of that name (earlier ones are dropped, as in Istio), and all others."""
    return (
        [each for each in listed if each.get("name") == name][-1:],
        [each for each in listed if each.get("name") != name],
    )
