"""The parameters of policies in a bundle: ConfigMaps, and objects of any kind.

A CustomResourceDefinition in the bundle decides whether its kind has namespaces, sets defaults, and
checks the types of the parameters.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from podgraft.kube.matching.params import CONFIG_MAP, ParamIndex, ParamRef
from podgraft.kube.structured import FieldError
from podgraft.kube.structured.custom_resources import (
    KIND,
    CustomKind,
    make_schema,
    parse_definition,
)
from podgraft.kube.structured.validation import Validator
from podgraft.kube.types import NEWEST

from .errors import Diagnostic
from .manifests import Manifest, Manifests


class BundleParams(Struct, frozen=True):
    """The objects that can be parameters, and the kinds of CustomResourceDefinitions."""

    index: ParamIndex
    custom_kinds: tuple[CustomKind, ...]
    errors: tuple[Diagnostic, ...]


def parse_params(manifests: Manifests) -> BundleParams:
    """Parse the parameters of a bundle; objects that do not fit their definition are errors."""
    custom_kinds = tuple(parse_definition(manifest.object) for manifest in manifests.of_kind(KIND))
    by_kind = {(kind.group, kind.kind): kind for kind in custom_kinds}
    objects: list[Manifest] = list(manifests.of_kind(CONFIG_MAP.kind))
    for manifest in manifests.params:
        kind = by_kind.get((manifest.group, manifest.kind))
        completed = manifest.object if kind is None else kind.fill_defaults(manifest.object)
        objects.append(replace(manifest, object=completed))
    return BundleParams(
        ParamIndex.build(
            (manifest.object for manifest in objects),
            _find_cluster_scoped(manifests.params, custom_kinds),
        ),
        custom_kinds,
        tuple(_find_errors(manifests.params, custom_kinds)),
    )


def _find_cluster_scoped(
    params: Iterable[Manifest], custom_kinds: Iterable[CustomKind]
) -> Iterator[tuple[str, str]]:
    """The kinds without namespaces: by their definition, or because their objects have none."""
    scopes = {(kind.group, kind.kind): kind.is_namespaced for kind in custom_kinds}
    namespaced = {(each.group, each.kind) for each in params if each.namespace}
    for kind in {(each.group, each.kind) for each in params} | scopes.keys():
        if not scopes.get(kind, kind in namespaced):
            yield kind


def _find_errors(
    params: Iterable[Manifest], custom_kinds: tuple[CustomKind, ...]
) -> Iterator[Diagnostic]:
    schema = make_schema(NEWEST, custom_kinds)
    for manifest in params:
        ref = schema.find_kind(manifest.api_version, manifest.kind)
        if ref is None or not schema.is_custom(ref):
            continue
        for error in Validator(schema).check(manifest.object, ref):
            yield manifest.make_diagnostic(
                _to_pointer(error), error.message, f"correct it by the {KIND} of {manifest.kind}"
            )


def _to_pointer(error: FieldError) -> str:
    """A JSON Pointer for the path of an error; the keys of list elements remain as they are."""
    return error.path.replace("/", "~1").replace(".", "/")


def find_used(manifests: Iterable[Manifest], refs: Iterable[ParamRef | None]) -> Iterator[Manifest]:
    """The ConfigMaps that a reference can select; without a namespace, for any request."""
    used = [ref for ref in refs if ref is not None]
    names = {(ref.namespace, ref.name) for ref in used if ref.selector is None}
    selectors = [ref for ref in used if ref.selector is not None]
    for manifest in manifests:
        if not names.isdisjoint({(manifest.namespace, manifest.name), ("", manifest.name)}) or any(
            ref.namespace in {"", manifest.namespace} and ref.selects(manifest.object)
            for ref in selectors
        ):
            yield manifest
