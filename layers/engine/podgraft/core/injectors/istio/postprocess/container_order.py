"""The order of containers, which determines when the proxy starts."""

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.istio.pod_builder import (
    CORE_DUMP,
    INIT,
    PROXY,
    VALIDATION,
    PodBuilder,
    find_by_name,
)
from podgraft.core.injectors.istio.releases import Profile


def reorder_containers(profile: Profile, builder: PodBuilder, *, hold: bool) -> None:
    """Move Istio's containers to their positions; all others keep their order.

    ``hold`` starts the proxy first, so the network is ready when the application starts.
    """
    builder.containers = (_move_first if hold else _move_last)(builder.containers, PROXY)
    if profile.native_sidecars and find_by_name(builder.init_containers, PROXY) is not None:
        moves = (
            (_move_first, CORE_DUMP),
            (_move_first, PROXY),
            (_move_first, VALIDATION),
            (_move_first, INIT),
        )
    else:
        moves = ((_move_first, VALIDATION), (_move_last, INIT), (_move_last, CORE_DUMP))
    for move, name in moves:
        builder.init_containers = move(builder.init_containers, name)


def _move_first(containers: list[Object], name: str) -> list[Object]:
    matches, others = _split_by_name(containers, name)
    return [*matches, *others]


def _move_last(containers: list[Object], name: str) -> list[Object]:
    matches, others = _split_by_name(containers, name)
    return [*others, *matches]


def _split_by_name(containers: list[Object], name: str) -> tuple[list[Object], list[Object]]:
    """Return the last container of the name (Istio drops earlier ones), and all others."""
    return (
        [container for container in containers if container.get("name") == name][-1:],
        [container for container in containers if container.get("name") != name],
    )
