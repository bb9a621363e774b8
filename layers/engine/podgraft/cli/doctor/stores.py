"""What is stored outside a cluster: callers, the fleet file, and the policies of each region."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from podgraft.base import jsonvalue, system
from podgraft.base.jsonvalue import JSON
from podgraft.cli.aws_options import make_session
from podgraft.cli.config_source import ConfigSource
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.fleet.changes import ChangeKind, find_changes
from podgraft.cli.fleet.file import OVERLAP_DAYS, Fleet
from podgraft.cli.stacks import aws_errors, lookup_stack
from podgraft.cli.tokens.storage import Location
from podgraft.cli.tokens.storage_factory import open_repository
from podgraft.kube import yaml
from podgraft.service.store.caller_document import Callers, TokenHash, hash_token
from podgraft.service.store.registry_document import POINTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is stored outside the clusters; None for what no option names."""

    callers: Mapping[str, Callers] | None = None
    fleet: Fleet | None = None
    regions: tuple[Finding, ...] | None = None


def read_callers(source: ConfigSource) -> Mapping[str, Callers]:
    """Return the callers of a stack, or of a folder of podgraft serve."""
    store = "aws" if source.folder is None else f"file:{source.folder}"
    return open_repository(Location(store, source.stack)).read_all()


def find_drift(stores: Stores, cluster: str) -> Iterator[Finding]:
    """Yield what differs between the fleet file and the callers of a cluster."""
    if stores.fleet is None or stores.callers is None:
        return
    for change in find_changes(stores.fleet, stores.callers):
        if change.cluster == cluster:
            is_command = change.kind in {ChangeKind.ROTATE, ChangeKind.RETIRE}
            word = change.kind if is_command else "apply"
            remedy = f"podgraft fleet {word}"
            problem = f"{change.kind}: {change.detail}"
            yield Finding(Fault.DRIFT, f"cluster {cluster}", problem, remedy, breaks=False)


def find_open_rotations(
    callers: Mapping[str, Callers] | None, cluster: str, token: str
) -> Iterator[Finding]:
    """Yield that a cluster has two tokens for longer than a rotation takes."""
    tokens = sorted((callers or {}).get(cluster, Callers()).tokens, key=lambda each: each.created)
    if len(tokens) < 2 or not _is_old(tokens[-1]):  # noqa: PLR2004
        return
    older, newer = tokens[0], tokens[-1]
    is_older = older.sha256 == hash_token(token) if token else False
    registered = "older" if is_older else "newer"
    remedy = (
        f"register the token {newer.identity}, then revoke {older.identity}"
        if is_older
        else f"revoke the older one: podgraft tokens revoke --cluster {cluster} {older.identity}"
    )
    problem = (
        f"two tokens for more than {OVERLAP_DAYS} days; the registration has the {registered} one"
    )
    yield Finding(Fault.ROTATION, f"cluster {cluster}", problem, remedy, breaks=False)


def _is_old(token: TokenHash) -> bool:
    try:
        created = datetime.fromisoformat(token.created)
    except ValueError:
        return False
    return system.now() - created > timedelta(days=OVERLAP_DAYS)


def compare_regions(stack: str, regions: Sequence[str]) -> Iterator[Finding]:
    """Yield the policies, and the registry, that differ between the first region and another."""
    prefix = lookup_stack(stack).parameter_prefix
    session = make_session()
    first, *others = [_read_region(session, prefix, each or None) for each in regions]
    for region, documents in zip(regions[1:], others, strict=True):
        for name in sorted(first.keys() | documents.keys()):
            here, there = first.get(name), documents.get(name)
            if not jsonvalue.equal(here, there):
                detail = "is missing" if there is None else _describe_bundles(here, there)
                remedy = "podgraft push in both regions, or podgraft fleet apply"
                problem = f"{name.removeprefix(prefix)}: {detail}"
                yield Finding(Fault.REGIONS, f"region {region}", problem, remedy, breaks=False)


def _describe_bundles(here: JSON, there: JSON) -> str:
    bundles = [each.get("bundle") if isinstance(each, dict) else None for each in (here, there)]
    if bundles[0] == bundles[1]:
        return "differs"
    return f"has bundle {bundles[1]}, and the first region {bundles[0]}"


def _read_region(session: Any, prefix: str, region: str | None) -> Mapping[str, JSON]:
    """Return the policies by the name of the parameter, and the digest of the registry."""
    client = session.client("ssm", region_name=region)
    documents: dict[str, JSON] = {}
    with aws_errors(f"parameters {prefix}"):
        pages = client.get_paginator("get_parameters_by_path").paginate(Path=prefix, Recursive=True)
        for parameter in (each for page in pages for each in page["Parameters"]):
            name, text = parameter["Name"], parameter["Value"]
            if name.endswith("/policy"):
                documents[name] = yaml.load_document(text)
            elif name == f"{prefix}/{POINTER}":
                # The serial differs: each region counts its own versions.
                pointer = yaml.load_document(text)
                documents[name] = pointer.get("callers") if isinstance(pointer, dict) else None
    return documents
