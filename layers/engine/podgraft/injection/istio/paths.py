"""The environment that the webhook's URL path carries for the proxies it injects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .releases import Profile

_NAMES = {"cluster": "ISTIO_META_CLUSTER_ID", "net": "ISTIO_META_NETWORK"}
_OLD = ":ENV:"


def environment(profile: Profile, path: str) -> Mapping[str, str]:
    """The variables in ``/inject/KEY/VALUE/…`` or, the older form, ``/inject/:ENV:KEY=VALUE…``.

    >>> from . import releases
    >>> environment(releases.newest(), "/inject/cluster/c1/rootpage/--slash--foo")
    {'ISTIO_META_CLUSTER_ID': 'c1', 'ROOTPAGE': '/foo'}
    >>> environment(releases.newest(), "/inject/:ENV:net=n1:ENV:rootpage=/foo")
    {'ISTIO_META_NETWORK': 'n1', 'ROOTPAGE': '/foo'}
    """
    parts = path.removesuffix("/").split("/", 2)
    if len(parts) < 3 or not profile.path_environment:  # noqa: PLR2004 - "", "inject", the rest
        return {}
    rest = parts[2]
    old = rest.startswith(_OLD) and profile.env_paths
    pairs = _old_pairs(rest) if old else _pairs(profile, rest)
    return {_NAMES.get(key, key.upper()): value for key, value in pairs if key}


def _old_pairs(rest: str) -> Iterator[tuple[str, str]]:
    for piece in rest.split(_OLD)[1:]:
        key, equals, value = piece.partition("=")
        if equals:
            yield key, value


def _pairs(profile: Profile, rest: str) -> Iterator[tuple[str, str]]:
    words = rest.split("/")
    for key, value in zip(words[::2], words[1::2], strict=False):
        yield key, value.replace("--slash--", "/") if profile.slash_paths else value
