"""The parser of ConfigMap ``istio-sidecar-injector``: its keys ``config`` and ``values``.

The parser collects all errors of both texts, with their locations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import Diagnostic
from podgraft.golang import strings
from podgraft.golang.fmt import sprintf
from podgraft.kube import yaml
from podgraft.kube.patch import pointer

T = TypeVar("T")

DEFAULT_TEMPLATES = ("sidecar",)


class Config(Struct, frozen=True, kw_only=True):
    """The key ``config``: templates and rules. ``given`` has all keys as written."""

    policy: str
    never: tuple[JSON, ...]
    always: tuple[JSON, ...]
    default_templates: tuple[str, ...]
    templates: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]]
    injected_annotations: Mapping[str, str]
    template: str
    given: Mapping[str, JSON]


class Values(Struct, frozen=True, kw_only=True):
    """The key ``values``; ``raw`` is the data for templates, with all numbers as floats, as in Go.

    The other fields are the values that the injector reads.
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


def parse_config(text: str, errors: list[Diagnostic]) -> Config:
    """Parse the configuration; as in encoding/json, keys are not case-sensitive."""
    reader = ConfigReader("config", errors)
    keys_as_written = reader.parse_document(text)
    raw = {strings.fold_name(key): value for key, value in keys_as_written.items()}
    templates = reader.read_list(reader.read_string, raw, "defaultTemplates")
    return Config(
        policy=reader.read_string(raw.get("policy"), "/policy"),
        never=reader.read_list(reader.read_any, raw, "neverInjectSelector"),
        always=reader.read_list(reader.read_any, raw, "alwaysInjectSelector"),
        default_templates=templates or DEFAULT_TEMPLATES,
        templates=reader.read_map(reader.read_string, raw, "templates"),
        aliases=reader.read_map(reader.read_strings, raw, "aliases"),
        injected_annotations=reader.read_map(reader.read_string, raw, "injectedAnnotations"),
        template=reader.read_string(raw.get("template"), "/template"),
        given=keys_as_written,
    )


def parse_values(text: str, errors: list[Diagnostic]) -> Values:
    """Parse the Helm values, in JSON or YAML."""
    reader = ConfigReader("values", errors)
    raw = {key: _convert_numbers(value) for key, value in reader.parse_document(text).items()}
    read_path = reader.path_reader(raw)
    return Values(
        raw=raw,
        hub=reader.read_string(*read_path("global", "hub")),
        tag=reader.read_string_or_number(*read_path("global", "tag")),
        variant=reader.read_string(*read_path("global", "variant")),
        proxy_image=reader.read_string(*read_path("global", "proxy", "image")),
        proxy_init_image=reader.read_string(*read_path("global", "proxy_init", "image")),
        network=reader.read_string(*read_path("global", "network")),
        cluster_name=reader.read_string(*read_path("global", "multiCluster", "clusterName")),
        hold_application=reader.read_bool(
            *read_path("global", "proxy", "holdApplicationUntilProxyStarts")
        ),
        rewrite_probes=reader.read_bool(
            *read_path("sidecarInjectorWebhook", "rewriteAppHTTPProbe")
        ),
    )


class ConfigReader:
    """Reads values of one document; an invalid value becomes an error and an empty value."""

    def __init__(self, document: str, errors: list[Diagnostic]) -> None:
        self._document = document
        self._errors = errors

    def parse_document(self, text: str) -> Object:
        """Parse the text, which must be a mapping."""
        try:
            raw = yaml.load(text, strict=False)
        except yaml.NotYAMLError as error:
            remedy = "correct the YAML at this position"
            diagnostic = Diagnostic(
                document=self._document, pointer="", problem=str(error), remedy=remedy
            )
            self._errors.append(diagnostic)
            return {}
        return self._check_map(raw, "")

    def path_reader(self, raw: Object) -> Callable[..., tuple[JSON, str]]:
        """Return a function that returns the value at a list of keys, and its path."""

        def read_path(*keys: str) -> tuple[JSON, str]:
            value: JSON = raw
            path = ""
            for key in keys:
                value = self._check_map(value, path).get(key)
                path = f"{path}/{key}"
            return value, path

        return read_path

    def read_string(self, raw: JSON, path: str) -> str:
        """Read a string; a missing value is empty."""
        if raw is None or isinstance(raw, str):
            return raw or ""
        return self._add_error(path, "a string", raw, "")

    def read_string_or_number(self, raw: JSON, path: str) -> str:
        """Read a string, or a number as Go prints it: 1.10 in YAML becomes 1.1."""
        return sprintf.sprint(raw) if isinstance(raw, float) else self.read_string(raw, path)

    def read_bool(self, raw: JSON, path: str) -> bool:
        """Read a boolean; a missing value is false."""
        if raw is None or isinstance(raw, bool):
            return bool(raw)
        return self._add_error(path, "true or false", raw, False)

    def read_strings(self, raw: JSON, path: str) -> tuple[str, ...]:
        """Read a list of strings."""
        if raw is None:
            return ()
        if not isinstance(raw, list):
            return self._add_error(path, "a list of strings", raw, ())
        return tuple(
            self.read_string(element, f"{path}/{index}") for index, element in enumerate(raw)
        )

    def read_any(self, raw: JSON, _path: str) -> JSON:
        """Read a value of any type; the caller checks it."""
        return raw

    def read_list(self, read: Callable[[JSON, str], T], raw: Object, key: str) -> tuple[T, ...]:
        """Read the list of ``key`` (lowercase in ``raw``)."""
        elements = raw.get(strings.fold_name(key)) or []
        if not isinstance(elements, list):
            return self._add_error(f"/{key}", "a list", elements, ())
        return tuple(read(element, f"/{key}/{index}") for index, element in enumerate(elements))

    def read_map(self, read: Callable[[JSON, str], T], raw: Object, key: str) -> Mapping[str, T]:
        """Read the mapping of ``key`` (lowercase in ``raw``)."""
        mapping = self._check_map(raw.get(strings.fold_name(key)), f"/{key}")
        return {
            name: read(member, f"/{key}/{pointer.escape(name)}") for name, member in mapping.items()
        }

    def _check_map(self, raw: JSON, path: str) -> Object:
        if raw is None or isinstance(raw, dict):
            return raw or {}
        return self._add_error(path, "a mapping", raw, {})

    def _add_error(self, path: str, expected: str, actual: JSON, default: T) -> T:
        # Without the value, which can be a secret in the wrong field.
        problem = f"expected {expected}, got {jsonvalue.describe_type(actual)}"
        remedy = f"write {expected}, or remove it"
        diagnostic = Diagnostic(
            document=self._document, pointer=path, problem=problem, remedy=remedy
        )
        if diagnostic not in self._errors:
            self._errors.append(diagnostic)
        return default


def _convert_numbers(value: JSON) -> JSON:
    """Convert all numbers to float64, as Go decodes untyped JSON."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case list():
            return [_convert_numbers(member) for member in value]
        case dict():
            return {key: _convert_numbers(member) for key, member in value.items()}
        case _:
            return value
