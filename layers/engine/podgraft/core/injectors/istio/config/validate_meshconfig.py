"""Validation of names in the mesh configuration (ValidateMeshConfig, since 1.8)."""

import re
from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON, Object, list_at, objects_at
from podgraft.core.injectors.istio.releases import Profile

from .protojson import Message

_LABEL = re.compile(r"[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?")
MAX_NAME_LENGTH = 255  # characters of a fully qualified name, RFC 1035

Problem = tuple[str, str, str]


def validate_names(profile: Profile, config: Message) -> Iterator[Problem]:
    """Yield path, problem, and remedy for each invalid name."""
    if not profile.checks_mesh_names:
        return
    yield from _validate_trust_domain("/trustDomain", config.get("trustDomain", ""))
    for index, alias in enumerate(list_at(config, "trustDomainAliases")):
        yield from _validate_trust_domain(f"/trustDomainAliases/{index}", alias)
    for index, settings in enumerate(objects_at(config, "serviceSettings")):
        yield from _validate_hosts(f"/serviceSettings/{index}/hosts", settings)


def is_dns_name(domain: str) -> bool:
    """Whether istiod accepts a DNS name or a trust domain; the last label can be empty.

    >>> is_dns_name("cluster.local"), is_dns_name("td."), is_dns_name("")
    (True, True, False)
    """
    labels = domain.removesuffix(".").split(".")
    return all(_LABEL.fullmatch(label) for label in labels)


def _validate_trust_domain(path: str, domain: JSON) -> Iterator[Problem]:
    if not isinstance(domain, str) or not is_dns_name(domain):
        problem = f'invalid trust domain "{domain}"' if domain else "must not be empty"
        yield path, problem, "use a DNS name, such as cluster.local"


def _validate_hosts(path: str, settings: Object) -> Iterator[Problem]:
    for index, host in enumerate(list_at(settings, "hosts")):
        if not isinstance(host, str) or not _is_wildcard_domain(host):
            remedy = "use a DNS name, or one that begins with *."
            yield f"{path}/{index}", f'invalid host "{host}"', remedy


def _is_wildcard_domain(host: str) -> bool:
    """Whether a host is a DNS name, optionally with a wildcard at the start of its first label."""
    first, _, rest = host.partition(".")
    bare = first.removeprefix("*").removeprefix("-") if first.startswith("*") else first
    return (
        0 < len(host) <= MAX_NAME_LENGTH
        and (first == "*" or _LABEL.fullmatch(bare) is not None)
        and (not rest or is_dns_name(rest))
    )
