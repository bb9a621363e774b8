"""A bundle and a policy on this machine, checked as the function would check them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podgraft import bundle, kubeyaml, policy
from podgraft.bundle import Bundle, BundleError
from podgraft.cli import folders
from podgraft.cli.failure import CommandError
from podgraft.policy import Policy, PolicyError

from . import schema

# Parameter Store's limits on a value, in bytes, by tier.
STANDARD_BYTES = 4096
ADVANCED_BYTES = 8192

_BUNDLE_KEY = re.compile(r"^bundle:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A bundle and a policy that belong together and compile.

    ``document`` is the policy as it will be stored: the given text with the bundle's digest in it.
    """

    files: Mapping[str, bytes]
    digest: str
    document: str
    policy: Policy
    bundle: Bundle


def check(folder: Path, document_path: Path | None) -> Checked:
    """Read and compile both; raises ``CommandError`` with every fault of both at once.

    What a running function tolerates, such as a selector that selects nothing, is a fault here.
    """
    files = folders.files_of(folder)
    digest = bundle.digest(files)
    text = document_path.read_text() if document_path else ""
    place = str(document_path or "policy")
    findings = _size_faults(place, with_bundle(text, digest))
    read = _parsed(place, text, findings)
    compiled = _compiled(files, read or Policy(), findings)
    if compiled is not None:
        findings.extend(_overlay_faults(files))
    if findings or read is None or compiled is None:
        raise CommandError(*findings)
    document = with_bundle(text, digest)
    return Checked(
        files=files,
        digest=digest,
        document=document,
        policy=_stored(place, document, digest),
        bundle=compiled,
    )


def with_bundle(text: str, digest: str) -> str:
    """The policy document naming the bundle *digest*, all else as it was written."""
    line = f"bundle: {digest}"
    if _BUNDLE_KEY.search(text):
        return _BUNDLE_KEY.sub(line, text, count=1)
    # Last: the first line may be a comment for editors, or the --- of a document.
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}{line}\n"


def _stored(place: str, document: str, digest: str) -> Policy:
    """The policy as it will be stored; one in flow style takes no further line."""
    try:
        stored = policy.parse(document)
    except PolicyError:
        stored = Policy()
    if stored.bundle != digest:
        raise CommandError(f'{place}: takes no line "bundle: …"; write one key a line')
    return stored


def _parsed(place: str, text: str, findings: list[str]) -> Policy | None:
    read: Policy | None = None
    try:
        read = policy.parse(text)
        faults = read.tolerated
    except PolicyError as error:
        faults = error.faults
    findings.extend(f"{place} {fault}" for fault in faults)
    known = [fault.path for fault in faults]
    findings.extend(f"{place} {each}" for each in _schema_faults(text, known))
    return read


def _schema_faults(text: str, known: Sequence[str]) -> Iterator[str]:
    try:
        document = kubeyaml.load(text)
    except kubeyaml.NotYAMLError:
        return  # which is among the known faults
    yield from schema.findings("policy", document, known)


def _compiled(files: Mapping[str, bytes], read: Policy, findings: list[str]) -> Bundle | None:
    compiled: Bundle | None = None
    # A cluster that names a bundle of its own has nothing to do with these files.
    here = [each for each in read.clusters.values() if each.bundle == read.bundle]
    for each in (*here, read):
        try:
            compiled = bundle.compile_(files, each)
        except BundleError as error:
            findings.extend(text for text in map(str, error.faults) if text not in findings)
            return None
    if compiled is not None:
        findings.extend(map(str, compiled.tolerated))
    return compiled


def _overlay_faults(files: Mapping[str, bytes]) -> Iterator[str]:
    """What the schema of overlays finds in those that compile."""
    for path, content in sorted(files.items()):
        for document in kubeyaml.load_all(content.decode()):
            if isinstance(document, dict) and document.get("kind") == "Overlay":
                yield from (f"{path} {each}" for each in schema.findings("overlay", document))


def _size_faults(place: str, document: str) -> list[str]:
    size = len(document.encode())
    if size <= ADVANCED_BYTES:
        return []
    limit = f"Parameter Store takes {ADVANCED_BYTES}"
    return [f"{place}: {size} bytes, {limit}; move selectors into the bundle's configuration"]
