"""The parser of ConfigMap ``istio-sidecar-injector``: its keys ``config`` and ``values``.

The parser collects all errors of both texts, with their locations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.errors import Diagnostic
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang import strings
from podgraft.golang.fmt import sprintf
from podgraft.kube import yaml
from podgraft.kube.document_reader import (
    Cursor,
    Diagnostics,
    MappingReader,
    make_map_parser,
    parse_bool,
    parse_mapping,
    parse_string,
    parse_strings,
)

T = TypeVar("T")

DEFAULT_TEMPLATES = ("sidecar",)

# The fields of Istio's Config (pkg/kube/inject/inject.go), and whether a release reads them.
KEYS: Mapping[str, Callable[[Profile], bool]] = {
    "policy": lambda _: True,
    "template": lambda profile: not profile.pod_templates,
    "templates": lambda profile: profile.pod_templates,
    "defaultTemplates": lambda profile: profile.pod_templates,
    "aliases": lambda profile: profile.pod_templates,
    "neverInjectSelector": lambda profile: profile.selectors,
    "alwaysInjectSelector": lambda profile: profile.selectors,
    "injectedAnnotations": lambda profile: profile.injected_annotations,
}


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
    found = Diagnostics()
    given = _parse_mapping(text, found)
    raw = {strings.fold_name(key): value for key, value in given.items()}
    members: Object = {key: raw.get(strings.fold_name(key)) for key in KEYS}
    keys = MappingReader(Cursor(members, "", found))
    config = Config(
        policy=keys.read_text("policy"),
        never=keys.read_key("neverInjectSelector", _parse_elements) or (),
        always=keys.read_key("alwaysInjectSelector", _parse_elements) or (),
        default_templates=keys.read_key("defaultTemplates", parse_strings) or DEFAULT_TEMPLATES,
        templates=_read_map(keys, "templates", parse_string, ""),
        aliases=_read_map(keys, "aliases", parse_strings, ()),
        injected_annotations=_read_map(keys, "injectedAnnotations", parse_string, ""),
        template=keys.read_text("template"),
        given=given,
    )
    errors += (replace(error, document="config") for error in found.errors)
    return config


def parse_values(text: str, errors: list[Diagnostic]) -> Values:
    """Parse the Helm values, in JSON or YAML."""
    found = Diagnostics()
    raw = {key: _convert_numbers(value) for key, value in _parse_mapping(text, found).items()}
    read = partial(_read_path, Cursor(raw, "", found))
    values = Values(
        raw=raw,
        hub=read(("global", "hub"), parse_string, ""),
        tag=read(("global", "tag"), _parse_string_or_number, ""),
        variant=read(("global", "variant"), parse_string, ""),
        proxy_image=read(("global", "proxy", "image"), parse_string, ""),
        proxy_init_image=read(("global", "proxy_init", "image"), parse_string, ""),
        network=read(("global", "network"), parse_string, ""),
        cluster_name=read(("global", "multiCluster", "clusterName"), parse_string, ""),
        hold_application=read(
            ("global", "proxy", "holdApplicationUntilProxyStarts"), parse_bool, False
        ),
        rewrite_probes=read(("sidecarInjectorWebhook", "rewriteAppHTTPProbe"), parse_bool, False),
    )
    # Each path reports the value that is no mapping.
    errors += (replace(error, document="values") for error in dict.fromkeys(found.errors))
    return values


def _parse_mapping(text: str, found: Diagnostics) -> Object:
    try:
        raw = yaml.load(text, strict=False)
    except yaml.NotYAMLError as error:
        Cursor(None, "", found).add_error(str(error), "correct the YAML at this position")
        return {}
    return {} if raw is None else parse_mapping(Cursor(raw, "", found)) or {}


def _read_map(
    keys: MappingReader, key: str, read: Callable[[Cursor], T | None], zero: T
) -> Mapping[str, T]:
    """Read a mapping, in which null is the zero value."""
    found = keys.read_key(key, make_map_parser(read)) or {}
    return {name: found.get(name, zero) for name in object_at(keys.raw, key)}


def _parse_elements(cursor: Cursor) -> tuple[JSON, ...] | None:
    """Read a list of any values, which the compiler checks."""
    items = cursor.items()
    return None if items is None else tuple(item.value for item in items)


def _parse_string_or_number(cursor: Cursor) -> str | None:
    """Read a string, or a number as Go prints it: 1.10 in YAML becomes 1.1."""
    value = cursor.value
    return sprintf.sprint(value) if isinstance(value, float) else parse_string(cursor)


def _read_path(
    cursor: Cursor, keys: tuple[str, ...], read: Callable[[Cursor], T | None], default: T
) -> T:
    for key in keys:
        mapping = parse_mapping(cursor)
        member = None if mapping is None else mapping.get(key)
        if member is None:
            return default
        cursor = cursor.child(key, member)
    value = read(cursor)
    return default if value is None else value


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
