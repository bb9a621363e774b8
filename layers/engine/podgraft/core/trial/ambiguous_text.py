"""Probes with names that YAML does not read as text, such as ``on``, ``1``, and ``1e3``.

A template that writes such a name without quotes produces a boolean, a number, or null instead of a
string. podgraft then rejects the pod with that name, although the template causes the error.
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at

from .outcome import Failure, Mutate, mutate_probe
from .probes import Probe

# Keys with values that Istio reads: they select templates, and most accept no free text.
_ISTIO_KEY = re.compile(r"(^|\.)istio\.io/")

# DNS labels that Kubernetes' YAML 1.1 reader does not resolve to a string.
AMBIGUOUS_NAMES = tuple("on off yes no y n true false null 1 123 00 0x1 0o7 0b1 1e3".split())  # noqa: SIM905
_AMBIGUOUS_VALUES = ("true", "1", "null")

# A string for YAML. If a template fails with it, the template does not expect text there.
_PLAIN_TEXT = "some-text"

REMEDY = "quote the action that writes it, such as {{ .Name | quote }}"

# Makes an object with a text in certain fields.
ObjectFactory = Callable[[str], Object]


def find_unquoted_text(
    change: Mutate, probe: Probe, describe: Callable[[Exception], str]
) -> Generator[None, None, str]:
    """Return the problem of a text of the probe that templates write without quotes, or nothing.

    Each step is one rendering. *describe* formats the error of a failure.
    """
    for description, texts, make_object in _make_variants(probe.object):
        for text in (_PLAIN_TEXT, *texts):
            variant = Probe(name=probe.name, object=make_object(text))
            result = mutate_probe(change, variant)
            yield
            if isinstance(result, Failure):
                if text == _PLAIN_TEXT:
                    break
                cause = describe(result.error)
                return f"fails for {probe.name} with {description} such as {text}: {cause}"
    return ""


def _make_variants(value: Object) -> Iterator[tuple[str, Sequence[str], ObjectFactory]]:
    """Return a description of each text, the values to try, and a factory of objects with them."""
    metadata, spec = object_at(value, "metadata"), object_at(value, "spec")
    template = object_at(spec, "template")

    def with_values(key: str) -> ObjectFactory:
        values = object_at(metadata, key)
        free_keys = [name for name in values if not _ISTIO_KEY.search(name)]
        return lambda text: {
            **value,
            "metadata": {**metadata, key: {**values, **dict.fromkeys(free_keys, text)}},
        }

    def with_name(text: str) -> Object:
        return {**value, "metadata": {**metadata, "name": text}}

    def with_names(text: str) -> Object:
        if template:
            pod = _rename_container(object_at(template, "spec"), text)
            return {**value, "spec": {**spec, "template": {**template, "spec": pod}}}
        return {**value, "spec": _rename_container(spec, text)}

    yield "values of labels", _AMBIGUOUS_VALUES, with_values("labels")
    yield "values of annotations", _AMBIGUOUS_VALUES, with_values("annotations")
    yield "a name", ("1", "true"), with_name
    yield "names of containers", AMBIGUOUS_NAMES, with_names


def _rename_container(spec: Object, name: str) -> Object:
    """Return the spec of a pod with another name of a container and of the service account."""
    container, *others = objects_at(spec, "containers") or [{}]
    containers: list[JSON] = [{**container, "name": name}, *others]
    return {**spec, "containers": containers, "serviceAccountName": name}
