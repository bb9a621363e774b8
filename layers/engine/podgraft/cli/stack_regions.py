"""What differs between the regions of a stack: policies, deny list, brakes, and callers."""

from collections.abc import Iterator, Mapping, Sequence

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.cli.policy.document_text import load_mapping, strip_signature
from podgraft.core.versions.brake import parse_brakes
from podgraft.service.store.names import BRAKE, CALLERS, DENIED, POLICY
from podgraft.service.store.registry_document import POINTER

from .aws_options import use_region
from .endpoint_check.faults import Fault, Finding
from .failure import CommandError
from .stacks import aws_errors, lookup_stack, make_client

# What makes a document equal; for a policy, a push.
_COMMANDS: Mapping[str, str] = {
    POINTER: "fleet apply",
    DENIED: "policy deny",
    BRAKE: "policy rollout abort",
}


def compare_regions(stack: str, regions: Sequence[str]) -> Iterator[Finding]:
    """Yield the documents that differ between the first region and another."""
    with use_region(regions[0]):
        prefix = lookup_stack(stack).parameter_prefix
    first, *others = [_read_region(prefix, each) for each in regions]
    for region, documents in zip(regions[1:], others, strict=True):
        for name in sorted(first.keys() | documents.keys()):
            here, there = first.get(name), documents.get(name)
            if not jsonvalue.equal(here, there):
                detail = "is missing" if there is None else _describe_bundles(here, there)
                folder, _, last = name.rpartition("/")
                command = _COMMANDS.get(last, "push")
                if folder == f"{prefix}/{CALLERS}":
                    command = f"tokens rotate or revoke --cluster {last}"
                remedy = f"podgraft {command} with --regions"
                problem = f"{name.removeprefix(prefix)}: {detail}"
                yield Finding(Fault.REGIONS, f"region {region}", problem, remedy, breaks=False)


def _describe_bundles(here: JSON, there: JSON) -> str:
    bundles = [each.get("bundle") if isinstance(each, dict) else None for each in (here, there)]
    if bundles[0] == bundles[1]:
        return "differs"
    return f"has bundle {bundles[1]}, and the first region {bundles[0]}"


def _read_region(prefix: str, region: str) -> Mapping[str, JSON]:
    """Return policies, the deny list, what brakes stop, and callers or the registry's digest."""
    client = make_client("ssm", region)
    callers: dict[str, JSON] = {}
    documents: dict[str, JSON] = {}
    with aws_errors(f"region {region}: parameters {prefix}"):
        pages = client.get_paginator("get_parameters_by_path").paginate(
            Path=prefix, Recursive=True, WithDecryption=True
        )
        for parameter in (each for page in pages for each in page["Parameters"]):
            name, text = parameter["Name"], parameter["Value"]
            if name.startswith(f"{prefix}/{CALLERS}/"):
                if not name.endswith("/lock"):
                    callers[name] = _read_document(text)
            elif name.endswith(f"/{POLICY}") or name == f"{prefix}/{DENIED}":
                # Each region signs its own versions.
                documents[name] = _read_document(text)
            elif name.endswith(f"/{BRAKE}"):
                # The guard of each region has its own time and reason.
                documents[name] = [*parse_brakes([text])]
            elif name == f"{prefix}/{POINTER}":
                # The serial differs: each region counts its own versions.
                pointer = _read_document(text)
                documents[name] = pointer.get("callers") if isinstance(pointer, dict) else None
    # With a registry, they are its copies.
    return documents if documents.get(f"{prefix}/{POINTER}") else {**documents, **callers}


def _read_document(text: str) -> JSON:
    """Return the keys of a document; its text if it does not load."""
    try:
        return load_mapping(strip_signature(text))
    except CommandError:
        return text
