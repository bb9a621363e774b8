"""The environment that the webhook's URL path carries for the proxies it injects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .releases import Profile

_NAMES = {"cluster": "ISTIO_META_CLUSTER_ID", "net": "ISTIO_META_NETWORK"}
_LEGACY_PREFIX = ":ENV:"


def parse_environment(profile: Profile, tail: str) -> Mapping[str, str]:
    """The variables in ``KEY/VALUE/…`` or, the older form, ``:ENV:KEY=VALUE…``.

    ``tail`` is what follows ``/inject/`` in the path.

    >>> from . import releases
    >>> parse_environment(releases.newest(), "cluster/c1/rootpage/--slash--foo")
    {'ISTIO_META_CLUSTER_ID': 'c1', 'ROOTPAGE': '/foo'}
    >>> parse_environment(releases.newest(), ":ENV:net=n1:ENV:rootpage=/foo")
    {'ISTIO_META_NETWORK': 'n1', 'ROOTPAGE': '/foo'}
    """
    if not profile.path_environment:
        return {}
    if not profile.path_pairs:
        return _parse_end(tail)
    said = tail.removesuffix("/")
    old = said.startswith(_LEGACY_PREFIX) and profile.env_paths
    pairs = _parse_legacy_pairs(said) if old else _parse_pairs(profile, said)
    return {_NAMES.get(key, key.upper()): value for key, value in pairs if key}


def _parse_end(tail: str) -> Mapping[str, str]:
    """Return cluster and network of a path that ends in ``CLUSTER/net/NETWORK``, as in 1.7."""
    words = tail.split("/")
    if len(words) < 3:  # noqa: PLR2004 - with "/inject" before them, five
        return {}
    return {_NAMES["cluster"]: words[-3], _NAMES["net"]: words[-1]}


def _parse_legacy_pairs(rest: str) -> Iterator[tuple[str, str]]:
    for piece in rest.split(_LEGACY_PREFIX)[1:]:
        key, equals, value = piece.partition("=")
        if equals:
            yield key, value


def _parse_pairs(profile: Profile, rest: str) -> Iterator[tuple[str, str]]:
    words = rest.split("/")
    for key, value in zip(words[::2], words[1::2], strict=False):
        yield key, value.replace("--slash--", "/") if profile.slash_paths else value
