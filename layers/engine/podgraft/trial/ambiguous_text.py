"""Probes with names that YAML does not read as text, such as ``on``, ``1``, and ``1e3``.

A template that writes such a name without quotes gives a boolean, a number, or nothing where text
belongs. The pod of the author who chose the name is then refused, and the template is to blame.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from podgraft.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.lazy_re import lazy_compile

from .outcome import Change, Failure, attempt
from .probes import Probe

# Keys whose values Istio reads: they choose templates, and most take no free text.
_OF_ISTIO = lazy_compile(r"(^|\.)istio\.io/")

# DNS labels that YAML 1.1, as Kubernetes reads it, resolves to something else than text.
NAMES = tuple("on off yes no y n true false null 1 123 00 0x1 0o7 0b1 1e3".split())  # noqa: SIM905
_VALUES = ("true", "1", "null")

# A value that is text for YAML. Where a template fails with it, no text belongs there.
_PLAIN = "some-text"

REMEDY = "quote the action that writes it, such as {{ .Name | quote }}"

# Makes an object with a given text in certain places.
Make = Callable[[str], Object]


def find_unquoted(
    change: Change, probe: Probe
) -> Generator[None, None, tuple[str, Failure] | None]:
    """Return what of the probe the templates write without quotes, and how they fail with it.

    Each step is one rendering.
    """
    for what, words, make in _variants(probe.object):
        for word in (_PLAIN, *words):
            variant = Probe(name=probe.name, object=make(word))
            failed = [failure for failure in attempt(change, variant) if failure.error is not None]
            yield
            if failed and word == _PLAIN:
                break
            if failed:
                return f"{what} such as {word}", failed[0]
    return None


def _variants(value: Object) -> Iterator[tuple[str, Sequence[str], Make]]:
    """What to change, to which words, and how."""
    metadata, spec = object_at(value, "metadata"), object_at(value, "spec")
    template = object_at(spec, "template")

    def with_values(key: str) -> Make:
        entries = object_at(metadata, key)
        free = [name for name in entries if not _OF_ISTIO.search(name)]
        return lambda word: {
            **value,
            "metadata": {**metadata, key: {**entries, **dict.fromkeys(free, word)}},
        }

    def with_name(word: str) -> Object:
        return {**value, "metadata": {**metadata, "name": word}}

    def with_names(word: str) -> Object:
        if template:
            pod = _renamed(object_at(template, "spec"), word)
            return {**value, "spec": {**spec, "template": {**template, "spec": pod}}}
        return {**value, "spec": _renamed(spec, word)}

    yield "values of labels", _VALUES, with_values("labels")
    yield "values of annotations", _VALUES, with_values("annotations")
    yield "a name", ("1", "true"), with_name
    yield "names of containers", NAMES, with_names


def _renamed(spec: Object, word: str) -> Object:
    """A pod's spec with other names of a container and the service account."""
    first, *others = objects_at(spec, "containers") or [{}]
    listed: list[JSON] = [{**first, "name": word}, *others]
    return {**spec, "containers": listed, "serviceAccountName": word}
