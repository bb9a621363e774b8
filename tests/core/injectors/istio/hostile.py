"""Hostile values, and what it means to withstand them.

A value in an annotation is refused with a message that names the annotation, or it is harmless:
then the pod differs from one with a harmless value in nothing but strings that hold what the
author wrote.
"""

from __future__ import annotations

from collections.abc import Iterator

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import UserError
from podgraft.core.review_context import ReviewContext

from .pods import container, pod

PRIVILEGED = "securityContext: {privileged: true}"

VALUES = (
    # A field of the container
    "info\n    tty: true",
    "info\n    tty: true\n    args:\n    - x",
    f"info\n    {PRIVILEGED}",
    f"info\n    {PRIVILEGED}\n    args:\n    - x",
    "info\r\n    tty: true\r\n    args:\r\n    - x",
    "info\u2028    tty: true\u2028    args:\u2028    - x",
    "info\x85    tty: true\x85    args:\x85    - x",
    # An element of its list, a container, a volume
    "info\n    - --evil",
    "info\n  - name: evil\n    image: evil\n    args:\n    - x",
    "x\n- name: evil\n  hostPath: {path: /}",
    "x\n  - name: evil\n    hostPath: {path: /}",
    "x\n    optional: true",
    "x\n    items: []",
    # Out of double quotes
    'a/b"\n    tty: true\n    x: "',
    f'a/b"\n    {PRIVILEGED}\n    x: "',
    'a/b"\n  - name: evil\n    image: "evil',
    'a/b", "evil',
    'a/b", tty: true, x: "',
    'a/b" #',
    "a/b\\",
    'a/b\\" evil: "',
    "a/b\\n    tty: true",
    # Out of single quotes, into flow
    "a/b', evil: 'x",
    "a/b, evil: x",
    "a/b}, {evil: x",
    "a/b], evil: [x",
    "a/{b: c}",
    "a/[b, c]",
    # Other than a string
    "{a: b}",
    "[a, b]",
    "a: b",
    "- a",
    "? a",
    "null",
    "~",
    # Anchors, aliases, tags, block scalars, comments, directives, documents
    "&a b",
    "*a",
    "!!map {}",
    "!!null a",
    "|",
    ">-",
    "a/b # c",
    "%YAML 1.1",
    "---\nspec: {hostNetwork: true}",
    "a\n---\nspec: {hostNetwork: true}",
    "...",
    "<<: {tty: true}",
    # Directives of a merge
    "x\n    $patch: replace",
    "$patch",
    # Template syntax, characters that YAML does not allow
    "{{ .Values }}",
    "a/\x00b",
    "a/\ufeffb",
    "\t",
)

# What must be refused: well-formed YAML in the middle of a container.
MUST_BE_REFUSED = {value for value in VALUES if "\n    args:" in value}

# What Istio's 1.30 template writes as it is; our sample does so in the first.
ANNOTATIONS = (
    "sidecar.istio.io/logLevel",
    "sidecar.istio.io/componentLogLevel",
    "sidecar.istio.io/agentLogLevel",
    "sidecar.istio.io/proxyImage",
    "sidecar.istio.io/bootstrapOverride",
    "traffic.sidecar.istio.io/includeOutboundPorts",
)
# An image with a slash is taken as it is, one without names an image of the hub: branches of the
# template's author, so the harmless value is of the same kind.
HARMLESS = {True: "hub/harmless", False: "harmless"}


def find_structure_change(injector: istio.Injector, annotation: str, value: str) -> str | None:
    """What a hostile value does to the pod that it must not; ``None`` where it does nothing."""
    harmless = inject_pod(injector, app({annotation: HARMLESS["/" in value]}))
    try:
        hostile = inject_pod(injector, app({annotation: value}))
    except UserError as error:
        return None if annotation in str(error) else f"{error} names another culprit"
    for met, wanted in _differences(hostile, harmless):
        if not isinstance(met, str) or not isinstance(wanted, str) or "harmless" not in wanted:
            return f"{met!r} stands where {wanted!r} would"
    return None


def refused_values(injector: istio.Injector) -> set[str]:
    """The values that are refused as a log level."""
    return {value for value in VALUES if _is_refused(injector, value)}


def app(annotations: dict[str, JSON]) -> Object:
    """A pod of one container with these annotations."""
    ports: list[JSON] = [{"containerPort": 80}]
    return pod(container("app", image="app", ports=ports), annotations=annotations)


def inject_pod(injector: istio.Injector, given: Object) -> Object:
    """The pod as it comes out."""
    return injector.inject(given, ReviewContext(namespace="ns")).pod


def _is_refused(injector: istio.Injector, value: str) -> bool:
    try:
        inject_pod(injector, app({"sidecar.istio.io/logLevel": value}))
    except UserError:
        return True
    return False


def _differences(left: JSON, right: JSON) -> Iterator[tuple[JSON, JSON]]:
    """The values in which two objects of one structure differ; other structure differs whole."""
    match left, right:
        case dict(), dict() if left.keys() == right.keys():
            for key in left:
                yield from _differences(left[key], right[key])
        case list(), list() if len(left) == len(right):
            for one, other in zip(left, right, strict=True):
                yield from _differences(one, other)
        case _ if left != right:
            yield left, right
        case _:
            return
