"""The diff of a push: policy keys, the files of the bundle, and the patches of sample pods."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff

from podgraft import jsonvalue, yaml
from podgraft.cli import offline
from podgraft.jsonvalue import Object
from podgraft.review import ReviewResponse
from podgraft.store import Snapshot


@dataclass(frozen=True, slots=True)
class Sample:
    """A pod to review with both versions."""

    name: str
    pod: Object
    namespace: str


def policy_lines(before: str, after: str) -> Iterator[str]:
    """Return a line per changed key: ``policy: "enabled" → "disabled"``."""
    old, new = _parse_document(before), _parse_document(after)
    for key in sorted(old.keys() | new.keys()):
        if not jsonvalue.equal(old.get(key), new.get(key)):
            yield f"{key}: {_format_value(old, key)} → {_format_value(new, key)}"


def file_lines(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    """Return a unified diff of the changed files."""
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, b""), after.get(path, b"")
        if old != new:
            yield from unified_diff(
                _split_lines(old), _split_lines(new), f"live/{path}", f"local/{path}", "", ""
            )


def patch_lines(sample: Sample, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Return a unified diff of the patch operations for one pod."""
    old, new = _review_lines(sample, before), _review_lines(sample, after)
    name = sample.name
    yield from unified_diff(old, new, f"live/{name}", f"local/{name}", "", "", n=1)


def _parse_document(text: str) -> Object:
    read = yaml.load(text)
    return read if isinstance(read, dict) else {}


def _format_value(document: Object, key: str) -> str:
    return jsonvalue.dump(document[key]) if key in document else "not set"


def _split_lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()


def _review_lines(sample: Sample, snapshot: Snapshot) -> list[str]:
    """Return the decision and the operations, one per line."""
    outcome = offline.review_pod(sample.pod, sample.namespace, snapshot)
    lines = [offline.describe_outcome(outcome)]
    if isinstance(outcome, ReviewResponse) and outcome.response.patch:
        operations = jsonvalue.load(outcome.response.patch)
        lines.extend(map(jsonvalue.dump, operations if isinstance(operations, list) else []))
    return lines
