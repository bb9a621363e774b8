"""The injector's settings: the texts of ConfigMap ``istio-sidecar-injector`` as values.

Every fault in both texts is collected, with its place, before anything is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from podgraft import jsonvalue, kubeyaml
from podgraft.gotemplate import printing
from podgraft.injection.errors import Fault
from podgraft.jsonvalue import JSON, Object
from podgraft.patch import pointer
from podgraft.records import dataclass

T = TypeVar("T")

DEFAULT_TEMPLATES = ("sidecar",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The key ``config``: what to inject, and whether. ``given`` are all its keys as written."""

    policy: str
    never: tuple[JSON, ...]
    always: tuple[JSON, ...]
    default_templates: tuple[str, ...]
    templates: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]]
    injected_annotations: Mapping[str, str]
    template: str
    given: Mapping[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """The key ``values``: ``raw`` is what templates see, all numbers floats as in Go.

    The rest is what the injector itself reads.
    """

    raw: Object
    hub: str
    tag: str
    variant: str
    proxy_image: str
    proxy_init_image: str
    network: str
    cluster_name: str
    hold_application: bool
    rewrite_probes: bool


def read_config(text: str, faults: list[Fault]) -> Config:
    """The configuration; keys are matched as encoding/json does, whatever their case."""
    reading = Reading("config", faults)
    given = reading.document(text)
    raw = {key.lower(): value for key, value in given.items()}
    templates = reading.list_of(reading.text, raw, "defaultTemplates")
    return Config(
        policy=reading.text(raw.get("policy"), "/policy"),
        never=reading.list_of(reading.anything, raw, "neverInjectSelector"),
        always=reading.list_of(reading.anything, raw, "alwaysInjectSelector"),
        default_templates=templates or DEFAULT_TEMPLATES,
        templates=reading.map_of(reading.text, raw, "templates"),
        aliases=reading.map_of(reading.texts, raw, "aliases"),
        injected_annotations=reading.map_of(reading.text, raw, "injectedAnnotations"),
        template=reading.text(raw.get("template"), "/template"),
        given=given,
    )


def read_values(text: str, faults: list[Fault]) -> Values:
    """The Helm values, JSON or YAML."""
    reading = Reading("values", faults)
    raw = {key: _floats(value) for key, value in reading.document(text).items()}
    at = reading.inside(raw)
    return Values(
        raw=raw,
        hub=reading.text(*at("global", "hub")),
        tag=reading.text_or_number(*at("global", "tag")),
        variant=reading.text(*at("global", "variant")),
        proxy_image=reading.text(*at("global", "proxy", "image")),
        proxy_init_image=reading.text(*at("global", "proxy_init", "image")),
        network=reading.text(*at("global", "network")),
        cluster_name=reading.text(*at("global", "multiCluster", "clusterName")),
        hold_application=reading.truth(*at("global", "proxy", "holdApplicationUntilProxyStarts")),
        rewrite_probes=reading.truth(*at("sidecarInjectorWebhook", "rewriteAppHTTPProbe")),
    )


class Reading:
    """Reads parts of one document; what is not as it should be becomes a fault, and empty."""

    def __init__(self, document: str, faults: list[Fault]) -> None:
        self._document = document
        self._faults = faults

    def document(self, text: str) -> Object:
        """The whole text, which must be a map."""
        try:
            raw = kubeyaml.load(text, strict=False)
        except kubeyaml.NotYAMLError as error:
            remedy = "correct that place of the text"
            fault = Fault(document=self._document, path="", problem=str(error), remedy=remedy)
            self._faults.append(fault)
            return {}
        return self._map(raw, "")

    def inside(self, raw: Object) -> Callable[..., tuple[JSON, str]]:
        """A function from keys to what stands under them and its path."""

        def at(*keys: str) -> tuple[JSON, str]:
            value: JSON = raw
            path = ""
            for key in keys:
                value = self._map(value, path).get(key)
                path = f"{path}/{key}"
            return value, path

        return at

    def text(self, raw: JSON, path: str) -> str:
        """A string; nothing is an empty one."""
        if raw is None or isinstance(raw, str):
            return raw or ""
        return self._fault(path, "a string", raw, "")

    def text_or_number(self, raw: JSON, path: str) -> str:
        """A string, or a number as Go prints it: YAML's 1.10 is 1.1."""
        return printing.sprint(raw) if isinstance(raw, float) else self.text(raw, path)

    def truth(self, raw: JSON, path: str) -> bool:
        """A bool; nothing is false."""
        if raw is None or isinstance(raw, bool):
            return bool(raw)
        return self._fault(path, "true or false", raw, False)

    def texts(self, raw: JSON, path: str) -> tuple[str, ...]:
        """A list of strings."""
        if raw is None:
            return ()
        if not isinstance(raw, list):
            return self._fault(path, "a list of strings", raw, ())
        return tuple(self.text(each, f"{path}/{index}") for index, each in enumerate(raw))

    def anything(self, raw: JSON, _path: str) -> JSON:
        """Whatever stands there; others judge it."""
        return raw

    def list_of(self, read: Callable[[JSON, str], T], raw: Object, key: str) -> tuple[T, ...]:
        """The list under ``key`` (lower-cased in ``raw``)."""
        found = raw.get(key.lower()) or []
        if not isinstance(found, list):
            return self._fault(f"/{key}", "a list", found, ())
        return tuple(read(each, f"/{key}/{index}") for index, each in enumerate(found))

    def map_of(self, read: Callable[[JSON, str], T], raw: Object, key: str) -> Mapping[str, T]:
        """The map under ``key`` (lower-cased in ``raw``)."""
        found = self._map(raw.get(key.lower()), f"/{key}")
        return {name: read(each, f"/{key}/{pointer.escape(name)}") for name, each in found.items()}

    def _map(self, raw: JSON, path: str) -> Object:
        if raw is None or isinstance(raw, dict):
            return raw or {}
        return self._fault(path, "a mapping", raw, {})

    def _fault(self, path: str, wanted: str, met: JSON, instead: T) -> T:
        # Without the value: it may be a secret, in the wrong form.
        problem = f"expected {wanted}, got {jsonvalue.kind(met)}"
        remedy = f"write {wanted}, or nothing"
        fault = Fault(document=self._document, path=path, problem=problem, remedy=remedy)
        if fault not in self._faults:
            self._faults.append(fault)
        return instead


def _floats(value: JSON) -> JSON:
    """The value with all numbers as float64, which is how Go reads JSON of no type."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case list():
            return [_floats(each) for each in value]
        case dict():
            return {key: _floats(each) for key, each in value.items()}
        case _:
            return value
