"""The environment variables for proxies in the URL path of the webhook."""

from collections.abc import Iterator, Mapping

from podgraft.golang import strings

from .releases import Profile

_NAMES = {"cluster": "ISTIO_META_CLUSTER_ID", "net": "ISTIO_META_NETWORK"}
_LEGACY_PREFIX = ":ENV:"


def parse_environment(profile: Profile, tail: str) -> Mapping[str, str]:
    """Parse the variables in ``KEY/VALUE/…`` or, in the older form, ``:ENV:KEY=VALUE…``.

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
        return _parse_old_path(tail)
    text = tail.removesuffix("/")
    is_legacy = text.startswith(_LEGACY_PREFIX) and profile.env_paths
    pairs = _parse_legacy_pairs(text) if is_legacy else _parse_pairs(profile, text)
    return {_NAMES.get(key) or strings.to_upper(key): value for key, value in pairs if key}


def _parse_old_path(tail: str) -> Mapping[str, str]:
    """Return cluster and network of a path that ends in ``CLUSTER/net/NETWORK``, as in 1.7."""
    segments = tail.split("/")
    if len(segments) < 3:  # noqa: PLR2004 - with "/inject" before them, five
        return {}
    return {_NAMES["cluster"]: segments[-3], _NAMES["net"]: segments[-1]}


def _parse_legacy_pairs(text: str) -> Iterator[tuple[str, str]]:
    for piece in text.split(_LEGACY_PREFIX)[1:]:
        key, separator, value = piece.partition("=")
        if separator:
            yield key, value


def _parse_pairs(profile: Profile, text: str) -> Iterator[tuple[str, str]]:
    parts = text.split("/")
    for key, value in zip(parts[::2], parts[1::2], strict=False):
        yield key, value.replace("--slash--", "/") if profile.slash_paths else value
