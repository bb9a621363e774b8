"""What a result must not contain: missing values, and images that no node can pull."""

from __future__ import annotations

from collections.abc import Iterator

from podgraft.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.patch import pointer

# What Go prints for a value that is not there.
MISSING = ("<no value>", "<nil>")

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")

# github.com/distribution/reference, Regexp: an optional host, path, tag and digest.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE = lazy_compile(
    rf"(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*"
    r"(?::[0-9A-Za-z_][0-9A-Za-z_.-]{0,127})?"
    r"(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A value in the result that must not be there; ``image`` is set for an invalid image."""

    path: str
    problem: str
    remedy: str
    image: str | None = None


def flaws(before: Object, after: Object) -> Iterator[Flaw]:
    """Yield the flaws that ``after`` has and ``before`` did not have."""
    own = frozenset(text for _, text in _texts(before, ""))
    for path, text in _texts(after, ""):
        word = next((word for word in MISSING if word in text), None)
        if word and text not in own:
            yield Flaw(
                path=path,
                problem=f"renders {word} at {path}: a value that the template reads is missing",
                remedy="add the value, or give the template a default for it",
            )
    yield from _images(before, after)


def is_reference(image: str) -> bool:
    """Whether a container runtime accepts the text as an image.

    >>> is_reference("docker.io/istio/proxyv2:1.30.3"), is_reference("/proxyv2:1.30.3")
    (True, False)
    """
    return _REFERENCE.fullmatch(image) is not None


def _images(before: Object, after: Object) -> Iterator[Flaw]:
    for spec_path, spec in _specs(after):
        own = {_key(container) for container in _all_containers(_at(before, spec_path))}
        for path, container in _locate_containers(spec, spec_path):
            if _key(container) in own:
                continue
            image = container.get("image")
            text = image if isinstance(image, str) else ""
            name = container.get("name")
            if not is_reference(text) and not any(word in text for word in MISSING):
                yield Flaw(
                    path=f"{path}/image",
                    problem=f'gives container {name} the invalid image "{text}"',
                    remedy="write it as registry/name:tag",
                    image=text,
                )


def _key(container: Object) -> tuple[JSON, JSON]:
    name, image = container.get("name"), container.get("image")
    return str(name), image if isinstance(image, str) else None


def _specs(value: Object) -> Iterator[tuple[str, Object]]:
    """The pod specs in an object: of a pod, or of the template of a workload."""
    spec = object_at(value, "spec")
    match value.get("kind"):
        case "Pod":
            yield "/spec", spec
        case "CronJob":
            yield (
                "/spec/jobTemplate/spec/template/spec",
                _at(value, "/spec/jobTemplate/spec/template/spec"),
            )
        case _ if isinstance(spec.get("template"), dict):
            yield "/spec/template/spec", _at(value, "/spec/template/spec")
        case _:
            pass


def _at(value: Object, path: str) -> Object:
    for key in path.split("/")[1:]:
        value = object_at(value, key)
    return value


def _locate_containers(spec: Object, path: str) -> Iterator[tuple[str, Object]]:
    for kind in _CONTAINERS:
        for index, container in enumerate(objects_at(spec, kind)):
            yield f"{path}/{kind}/{index}", container


def _all_containers(spec: Object) -> Iterator[Object]:
    for _, container in _locate_containers(spec, ""):
        yield container


def _texts(value: JSON, path: str) -> Iterator[tuple[str, str]]:
    """All texts of a value, keys included, each with its JSON Pointer."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, member in value.items():
                place = f"{path}/{pointer.escape(key)}"
                yield place, key
                yield from _texts(member, place)
        case list():
            for index, element in enumerate(value):
                yield from _texts(element, f"{path}/{index}")
        case _:
            pass
