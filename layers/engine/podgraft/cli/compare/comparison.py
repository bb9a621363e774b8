"""Differences between the pod that podgraft makes and the pod that runs."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, dump, names_at, object_at

from .normalization import normalize_pod
from .original_pods import OriginalPod
from .tolerance import tolerate_admission, tolerate_other_webhooks

MISSING = "(missing)"
HIDDEN = "(not printed)"

_LISTS = ("initContainers", "containers")
# Values of these can contain text of the pod's author, such as headers of probes.
_SECRET_VARIABLES = frozenset({"ISTIO_KUBE_APP_PROBERS", "ISTIO_PROMETHEUS_ANNOTATIONS"})
_SECRET_ANNOTATIONS = frozenset({"proxy.istio.io/overrides"})
_MAX_LENGTH = 200
_LIST_DEPTH = 2  # of spec.containers and metadata.labels

Path = tuple[str, ...]


class Difference(Struct, frozen=True, order=True):
    """A path with different values; values that are not injected are not part of it."""

    path: str
    runs: str
    podgraft: str


def compare_pods(
    original: OriginalPod, expected: Object, *, has_status: bool = True
) -> list[Difference]:
    """Return the differences of the live pod from *expected*, the original after injection.

    ``has_status`` is whether the status annotation of the pod lists what the injection added.
    """
    before, after = normalize_pod(original.pod), normalize_pod(expected)
    live = tolerate_admission(normalize_pod(original.live), after)
    injected = _find_added_names(before, after)
    if has_status:
        injected |= _recorded_names(live)
    if not original.is_template:
        injected |= _find_added_names(before, live)
    live = tolerate_other_webhooks(live, after, injected)
    pairs = [*_find_changes(after, live)]
    if original.is_template:
        changed = [path for path, _, _ in _find_changes(before, after)]
        pairs = [pair for pair in pairs if _is_injected(pair[0], changed, injected)]
    differences = [_make_difference(*pair, injected) for pair in pairs]
    return sorted([*differences, *_compare_order(original.live, expected, injected)])


def _find_added_names(before: Object, after: Object) -> frozenset[str]:
    """Return the names of the containers and volumes that only *after* has."""
    return frozenset(
        name
        for key in (*_LISTS, "volumes")
        for name in object_at(after, "spec", key)
        if name not in object_at(before, "spec", key)
    )


def _recorded_names(live: Object) -> frozenset[str]:
    """Return the names in the status annotation."""
    status = object_at(live, "metadata", "annotations", "sidecar.istio.io/status")
    lists = [value for value in status.values() if isinstance(value, list)]
    return frozenset(name for names in lists for name in names if isinstance(name, str))


def _find_changes(expected: JSON, live: JSON, path: Path = ()) -> Iterator[tuple[Path, JSON, JSON]]:
    """Yield each path with its two values; a missing value is None.

    A missing list of containers, or map of labels, is as an empty one.
    """
    if len(path) <= _LIST_DEPTH and (isinstance(expected, dict) or isinstance(live, dict)):
        expected, live = expected or {}, live or {}
    if isinstance(expected, dict) and isinstance(live, dict):
        for key in sorted({*expected, *live}):
            yield from _find_changes(expected.get(key), live.get(key), (*path, key))
    elif expected != live:
        yield path, expected, live


def _is_injected(path: Path, changed: Sequence[Path], injected: frozenset[str]) -> bool:
    """Whether injection changes the path, or adds the element that it belongs to."""
    if _element(path) in injected:
        return True
    return any(path[: len(each)] == each or each[: len(path)] == path for each in changed)


def _element(path: Path) -> str:
    """Return the name of the container or volume of a path; empty without one."""
    match path:
        case ("spec", "initContainers" | "containers" | "volumes", name, *_):
            return name
        case _:
            return ""


def _make_difference(
    path: Path, expected: JSON, live: JSON, injected: frozenset[str]
) -> Difference:
    text = format_path(path)
    if _is_private(path, injected):
        return Difference(text, *(MISSING if each is None else HIDDEN for each in (live, expected)))
    return Difference(text, _format_value(live), _format_value(expected))


def _is_private(path: Path, injected: frozenset[str]) -> bool:
    """Whether the values can be those of the author of the pod."""
    match path:
        case ("metadata", "annotations", name, *_):
            return name in _SECRET_ANNOTATIONS
        case ("spec", "initContainers" | "containers" | "volumes", name, *rest):
            return name not in injected or (
                rest[:1] == ["env"] and len(rest) > 1 and rest[1] in _SECRET_VARIABLES
            )
        case _:
            return False


def _format_value(value: JSON) -> str:
    if value is None:
        return MISSING
    text = value if isinstance(value, str) else dump(value)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def format_path(path: Path) -> str:
    """Format a path with names in brackets, such as ``spec.containers[app].image``."""
    match path:
        case ("metadata", "labels" | "annotations" as kind, name, *rest):
            return ".".join((f"metadata.{kind}[{name}]", *rest))
        case ("spec", "initContainers" | "containers" | "volumes" as kind, name, *rest):
            return f"spec.{kind}[{name}]{_format_rest(rest)}"
        case _:
            return ".".join(path)


def _format_rest(rest: Sequence[str]) -> str:
    match rest:
        case ["env" | "volumeMounts" | "ports" as kind, name, *further]:
            tail = "".join(f".{key}" for key in further)
            return f".{kind}[{name}]{tail}"
        case _:
            return "".join(f".{key}" for key in rest)


def _compare_order(
    live: Object, expected: Object, injected: frozenset[str]
) -> Iterator[Difference]:
    """Yield a difference for each list of containers in another order.

    Only lists with an injected container count, and only the containers that both pods have.
    """
    for key in _LISTS:
        expected_names, live_names = (names_at(each, "spec", key) for each in (expected, live))
        common = {*expected_names} & {*live_names}
        expected_order = [name for name in expected_names if name in common]
        live_order = [name for name in live_names if name in common]
        if expected_order != live_order and common & injected:
            yield Difference(f"spec.{key}: order", ", ".join(live_order), ", ".join(expected_order))
