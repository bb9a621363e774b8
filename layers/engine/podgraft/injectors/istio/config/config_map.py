"""The injector's settings: the texts of ConfigMap ``istio-sidecar-injector`` as values.

Every fault in both texts is collected, with its place, before anything is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from podgraft import jsonvalue, yaml
from podgraft.go.fmt import sprintf
from podgraft.injectors.errors import Diagnostic
from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import pointer

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


def parse_config(text: str, faults: list[Diagnostic]) -> Config:
    """The configuration; keys are matched as encoding/json does, whatever their case."""
    reading = ConfigReader("config", faults)
    given = reading.parse_document(text)
    raw = {key.lower(): value for key, value in given.items()}
    templates = reading.read_list(reading.read_string, raw, "defaultTemplates")
    return Config(
        policy=reading.read_string(raw.get("policy"), "/policy"),
        never=reading.read_list(reading.read_any, raw, "neverInjectSelector"),
        always=reading.read_list(reading.read_any, raw, "alwaysInjectSelector"),
        default_templates=templates or DEFAULT_TEMPLATES,
        templates=reading.read_map(reading.read_string, raw, "templates"),
        aliases=reading.read_map(reading.read_strings, raw, "aliases"),
        injected_annotations=reading.read_map(reading.read_string, raw, "injectedAnnotations"),
        template=reading.read_string(raw.get("template"), "/template"),
        given=given,
    )


def parse_values(text: str, faults: list[Diagnostic]) -> Values:
    """The Helm values, JSON or YAML."""
    reading = ConfigReader("values", faults)
    raw = {key: _convert_numbers(value) for key, value in reading.parse_document(text).items()}
    at = reading.path_reader(raw)
    return Values(
        raw=raw,
        hub=reading.read_string(*at("global", "hub")),
        tag=reading.read_string_or_number(*at("global", "tag")),
        variant=reading.read_string(*at("global", "variant")),
        proxy_image=reading.read_string(*at("global", "proxy", "image")),
        proxy_init_image=reading.read_string(*at("global", "proxy_init", "image")),
        network=reading.read_string(*at("global", "network")),
        cluster_name=reading.read_string(*at("global", "multiCluster", "clusterName")),
        hold_application=reading.read_bool(
            *at("global", "proxy", "holdApplicationUntilProxyStarts")
        ),
        rewrite_probes=reading.read_bool(*at("sidecarInjectorWebhook", "rewriteAppHTTPProbe")),
    )


class ConfigReader:
    """Reads parts of one document; what is not as it should be becomes a fault, and empty."""

    def __init__(self, document: str, faults: list[Diagnostic]) -> None:
        self._document = document
        self._faults = faults

    def parse_document(self, text: str) -> Object:
        """The whole text, which must be a map."""
        try:
            raw = yaml.load(text, strict=False)
        except yaml.NotYAMLError as error:
            remedy = "correct that place of the text"
            fault = Diagnostic(
                document=self._document, pointer="", problem=str(error), remedy=remedy
            )
            self._faults.append(fault)
            return {}
        return self._check_map(raw, "")

    def path_reader(self, raw: Object) -> Callable[..., tuple[JSON, str]]:
        """A function from keys to what stands under them and its path."""

        def read_path(*keys: str) -> tuple[JSON, str]:
            value: JSON = raw
            path = ""
            for key in keys:
                value = self._check_map(value, path).get(key)
                path = f"{path}/{key}"
            return value, path

        return read_path

    def read_string(self, raw: JSON, path: str) -> str:
        """A string; nothing is an empty one."""
        if raw is None or isinstance(raw, str):
            return raw or ""
        return self._add_error(path, "a string", raw, "")

    def read_string_or_number(self, raw: JSON, path: str) -> str:
        """A string, or a number as Go prints it: YAML's 1.10 is 1.1."""
        return sprintf.sprint(raw) if isinstance(raw, float) else self.read_string(raw, path)

    def read_bool(self, raw: JSON, path: str) -> bool:
        """A bool; nothing is false."""
        if raw is None or isinstance(raw, bool):
            return bool(raw)
        return self._add_error(path, "true or false", raw, False)

    def read_strings(self, raw: JSON, path: str) -> tuple[str, ...]:
        """A list of strings."""
        if raw is None:
            return ()
        if not isinstance(raw, list):
            return self._add_error(path, "a list of strings", raw, ())
        return tuple(self.read_string(each, f"{path}/{index}") for index, each in enumerate(raw))

    def read_any(self, raw: JSON, _path: str) -> JSON:
        """Whatever stands there; others judge it."""
        return raw

    def read_list(self, read: Callable[[JSON, str], T], raw: Object, key: str) -> tuple[T, ...]:
        """The list under ``key`` (lower-cased in ``raw``)."""
        found = raw.get(key.lower()) or []
        if not isinstance(found, list):
            return self._add_error(f"/{key}", "a list", found, ())
        return tuple(read(each, f"/{key}/{index}") for index, each in enumerate(found))

    def read_map(self, read: Callable[[JSON, str], T], raw: Object, key: str) -> Mapping[str, T]:
        """The map under ``key`` (lower-cased in ``raw``)."""
        found = self._check_map(raw.get(key.lower()), f"/{key}")
        return {name: read(each, f"/{key}/{pointer.escape(name)}") for name, each in found.items()}

    def _check_map(self, raw: JSON, path: str) -> Object:
        if raw is None or isinstance(raw, dict):
            return raw or {}
        return self._add_error(path, "a mapping", raw, {})

    def _add_error(self, path: str, wanted: str, met: JSON, instead: T) -> T:
        # Without the value: it may be a secret, in the wrong form.
        problem = f"expected {wanted}, got {jsonvalue.describe_type(met)}"
        remedy = f"write {wanted}, or nothing"
        fault = Diagnostic(document=self._document, pointer=path, problem=problem, remedy=remedy)
        if fault not in self._faults:
            self._faults.append(fault)
        return instead


def _convert_numbers(value: JSON) -> JSON:
    """The value with all numbers as float64, which is how Go reads JSON of no type."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case list():
            return [_convert_numbers(each) for each in value]
        case dict():
            return {key: _convert_numbers(each) for key, each in value.items()}
        case _:
            return value
