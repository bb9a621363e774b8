"""What a fleet file sets for a cluster: ``defaults``, groups, and clusters have the same keys.

Later keys win: ``defaults``, the groups by ``order`` and then by name, and the cluster. A list
replaces a list.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click
from msgspec import Struct

from podgraft.base.jsonvalue import Object
from podgraft.cli.failure import CommandError
from podgraft.cli.register import endpoint, mesh, namespace_choice, selectors, webhooks
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.register.webhooks import SECONDS, FailurePolicy, Registration
from podgraft.core.identifiers import DEFAULT_INJECTOR, is_injector
from podgraft.kube.document_reader import (
    Cursor,
    MappingReader,
    describe_choices,
    format_value,
    make_integer_parser,
    make_text_parser,
    parse_string,
    parse_strings,
)
from podgraft.service.store import sources

PUBLIC, PRIVATE = "public", "private"
PATH, HEADER, CERTIFICATE = "path", "header", "certificate"


class InjectorSettings(Struct, frozen=True):
    """The webhooks of one injector in a cluster, as options of ``podgraft register``."""

    name: str = DEFAULT_INJECTOR
    revision: str | None = None
    namespace_selector: str = ""
    object_selector: str = ""
    mutate: tuple[str, ...] = ()
    validate: tuple[str, ...] = ()


class ClusterSettings(Struct, frozen=True):
    """The settings of one cluster. Without a ``context``, nobody can register it from here."""

    groups: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    injectors: tuple[InjectorSettings, ...] = ()
    front: str = PUBLIC
    credential: str = PATH
    failure_policy: str = FailurePolicy.FAIL.value
    timeout_seconds: int = 10
    context: str = ""
    istio_cluster_id: str = ""
    istio_network: str = ""

    @property
    def is_registered_here(self) -> bool:
        """Whether ``fleet apply`` and ``fleet rotate`` register the cluster."""
        return bool(self.context and self.injectors) and self.credential == PATH

    @property
    def manual_reason(self) -> str:
        """Why no command of the fleet registers the cluster."""
        if self.credential != PATH:
            return f"its credential is {self.credential}"
        return "the fleet file has no injectors for it" if self.context else "it has no context"


def make_manifests(
    target: Endpoint, ca_bundle: str | None, settings: ClusterSettings, token: str | None
) -> list[Object]:
    """Return the registrations of a cluster; raises ``CommandError``."""
    manifests: list[Object | None] = []
    for injector in settings.injectors:
        registration = _make_registration(target, ca_bundle, settings, injector, token)
        webhooks.check_registration(registration)
        mutate, validate = (
            [webhooks.parse_rule(text) for text in rules]
            for rules in (injector.mutate, injector.validate)
        )
        manifests += (
            webhooks.make_mutating_configuration(registration, True, mutate),
            webhooks.make_validating_configuration(registration, validate),
        )
    return [each for each in manifests if each is not None]


def _make_registration(
    target: Endpoint,
    ca_bundle: str | None,
    settings: ClusterSettings,
    injector: InjectorSettings,
    token: str | None,
) -> Registration:
    own = endpoint.with_token(endpoint.with_injector(target, injector.name), token)
    variables = mesh.variables(settings.istio_cluster_id, settings.istio_network, ())
    return Registration(
        endpoint=endpoint.with_variables(own, variables),
        ca_bundle=ca_bundle,
        injector=own.injector,
        revision=injector.revision,
        namespaces=selectors.parse_selector(injector.namespace_selector),
        objects=selectors.parse_selector(injector.object_selector),
        failure_policy=FailurePolicy(settings.failure_policy),
        timeout_seconds=settings.timeout_seconds,
    )


def read_layer(keys: MappingReader, *, of_cluster: bool = False) -> dict[str, Any]:
    """Return the keys that ``defaults``, a group, or a cluster sets, by field."""
    layer = {**_LAYER, **_CLUSTER_LAYER} if of_cluster else _LAYER
    found = {field: keys.read_key(key, reader) for field, (key, reader) in layer.items()}
    return {field: value for field, value in found.items() if value is not None}


def merge_layers(cursor: Cursor, layers: Iterable[Mapping[str, Any]]) -> ClusterSettings:
    """Return the settings; adds an error for sources that the front cannot prove."""
    merged: dict[str, Any] = {}
    for layer in layers:
        merged |= layer
    settings = ClusterSettings(**merged)
    is_private = settings.front == PRIVATE
    for source in settings.sources:
        if source.startswith("vpc") != is_private:
            remedy = (
                "use vpce-… or vpc-…: private addresses repeat across VPCs"
                if is_private
                else "use a range such as 198.51.100.0/24, or set front: private"
            )
            problem = f"a {settings.front} front cannot see {format_value(source)}"
            cursor.add_key_error("sources", problem, remedy)
    return settings


def _parse_sources(cursor: Cursor) -> tuple[str, ...] | None:
    found = parse_strings(cursor)
    for index, source in enumerate(found or ()):
        if not sources.is_source(source):
            cursor.child(index, source).refuse(sources.REMEDY)
    return found


def _parse_choice(*choices: str) -> Callable[[Cursor], str | None]:
    return make_text_parser(choices.__contains__, describe_choices(choices))


def parse_number(numbers: range) -> Callable[[Cursor], int | None]:
    """Return the reader of an integer in a range."""
    low, high = numbers[0], numbers[-1]
    return make_integer_parser(low, high, f"use an integer from {low} to {high}")


def _parse_injectors(cursor: Cursor) -> tuple[InjectorSettings, ...] | None:
    items = cursor.items()
    if items is None:
        return None
    names: set[tuple[str, str | None]] = set()
    found: list[InjectorSettings] = []
    for each in items:
        injector = _parse_injector(each)
        if (injector.name, injector.revision) in names:
            each.add_error("duplicate of another injector", "set another name or revision")
        names.add((injector.name, injector.revision))
        found.append(injector)
    return tuple(found)


def _parse_injector(cursor: Cursor) -> InjectorSettings:
    keys = MappingReader(cursor)
    injector = InjectorSettings(
        name=keys.read_key("name", _parse_injector_name) or DEFAULT_INJECTOR,
        revision=keys.read_key("revision", parse_string),
        namespace_selector=keys.read_key("namespaceSelector", parse_string) or "",
        object_selector=keys.read_key("objectSelector", parse_string) or "",
        mutate=keys.read_key("mutate", parse_strings) or (),
        validate=keys.read_key("validate", parse_strings) or (),
    )
    keys.check_unknown_keys()
    _check_injector(cursor, injector)
    return injector


def _check_injector(cursor: Cursor, injector: InjectorSettings) -> None:
    # Of any cluster: the selectors and the rules are those of the injector.
    target, settings = Endpoint(host="a.example"), ClusterSettings(injectors=(injector,))
    try:
        make_manifests(target, None, settings, None)
        namespace_choice.check_namespace_choice(
            _make_registration(target, None, settings, injector, None),
            all_namespaces=False,
            injects=True,
            has_rules=bool(injector.mutate or injector.validate),
        )
    except CommandError as error:
        problem, _, remedy = str(error).rpartition("; ")
        cursor.add_error(problem or remedy, remedy if problem else "correct it")
    except click.UsageError:  # of options that a file does not have
        known = "namespaceSelector, or an objectSelector that requires a label"
        if injector.mutate or injector.validate:
            cursor.add_error("the selector of mutate and validate is missing", f"add {known}")
        else:
            cursor.add_error("the selector is missing", f"add revision, {known}")


_parse_injector_name = make_text_parser(is_injector, "use the name of an injector")
_LAYER: Mapping[str, tuple[str, Callable[[Cursor], Any]]] = {
    "sources": ("sources", _parse_sources),
    "injectors": ("injectors", _parse_injectors),
    "front": ("front", _parse_choice(PUBLIC, PRIVATE)),
    "credential": ("credential", _parse_choice(PATH, HEADER, CERTIFICATE)),
    "failure_policy": ("failurePolicy", _parse_choice(*(each.value for each in FailurePolicy))),
    "timeout_seconds": ("timeoutSeconds", parse_number(SECONDS)),
}
_CLUSTER_LAYER: Mapping[str, tuple[str, Callable[[Cursor], Any]]] = {
    "context": ("context", parse_string),
    "istio_cluster_id": ("istioClusterId", parse_string),
    "istio_network": ("istioNetwork", parse_string),
}
