"""Rendering of injection templates for a pod, and the origin of their errors.

A failure is an error of the pod's author only if the template works without the author's text:
first with all possible YAML syntax masked (``masking.py``), then without annotations and labels; or
if the function that fails received text of the pod. The message names the text.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.base.lru import LRUCache
from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.core.injectors.istio.config import proxyconfig
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.data import template_data
from podgraft.core.injectors.istio.data.template_data import (
    TemplateData,
    dot_type,
    find_origin,
    has_only_plain_fields,
    make_dot,
    make_dot_fields,
    opaque_types,
    pod_values,
    replace_author_texts,
)
from podgraft.core.injectors.istio.pod_builder import pod_annotations, pod_labels
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.plain_text import path_steps
from podgraft.core.injectors.structure_check import (
    CheckedTemplate,
    StructureError,
    find_breaking_key,
    find_breaking_text,
    find_failing_text,
    render_with_check,
)
from podgraft.golang.reflect import Pointer
from podgraft.golang.reflect.taint import Address, PlaceholderRegistry
from podgraft.golang.reflect.tainted_values import taint_json
from podgraft.golang.texttemplate import (
    OBSERVER,
    ExecError,
    LimitError,
    Limits,
    Program,
    Projection,
    SectionReuse,
    SectionText,
)
from podgraft.kube.yaml import IncrementalLoader, LoadedText, Path

from . import pod_overlay
from .pod_overlay import OverlayError

T = TypeVar("T")

# The longest cache key and rendered text that are cached: the annotations of a pod can be a quarter
# of a megabyte.
_MAX_CACHED_LENGTH = 32_768
# What differs between most workloads. Sections of a template that read none of it share their text.
_CHANGING = (
    ("DeploymentMeta",),
    ("ObjectMeta", "generateName"),
    ("ObjectMeta", "labels"),
    ("ObjectMeta", "name"),
    ("ObjectMeta", "namespace"),
    ("Spec", "containers"),
    ("Spec", "initContainers"),
    ("Spec", "volumes"),
    ("TypeMeta",),
)
_FAILURE_PREFIX = "failed to run injection template"


# Returns the result of a text with other scalars; ``None`` if a conversion can differ.
Editor: TypeAlias = Callable[[Sequence[tuple[Path, JSON]]], T | None]


class TemplateCache(Generic[T]):
    """The latest results of one injector's templates, by the fields that the templates can read.

    ``convert`` turns YAML into the result of a template, and ``make_editor`` into an editor of the
    result; both raise ``OverlayError``. A result implies that the structure of its text was
    checked, so the key of a result contains the origin of the texts.
    """

    def __init__(
        self,
        convert: Callable[[JSON], T],
        make_editor: Callable[[JSON], Editor[T]] | None = None,
    ) -> None:
        self.convert = convert
        self._make_editor = make_editor
        self._projections: dict[str, tuple[Projection, Projection | None]] = {}
        self._sections: LRUCache[bytes, Sequence[SectionText]] = LRUCache(limit=64)
        self._results: LRUCache[bytes, T] = LRUCache(limit=256)
        self._loader = IncrementalLoader()
        self._parsed: LRUCache[str, T] = LRUCache(limit=64)

    def projections(
        self, template: Program, profile: Profile
    ) -> tuple[Projection, Projection | None]:
        """The parts of its data that the template, and that its sections, can read."""
        projections = self._projections.get(template.source.name)
        if projections is None:
            types = dot_type(profile), opaque_types(profile)
            changing = None if template.mutates_data else _CHANGING
            projections = template.split(*types, changing)
            self._projections[template.source.name] = projections
        return projections

    def sections(self, key: bytes) -> SectionReuse:
        """The sections that were executed for data with a key; a rendering stores new ones."""
        if len(key) > _MAX_CACHED_LENGTH:
            return SectionReuse(None, lambda _: None)
        return SectionReuse(self._sections.get(key), partial(self._sections.__setitem__, key))

    def lookup(self, key: bytes) -> T | None:
        """The cached result under a key."""
        return self._results.get(key)

    def store(self, key: bytes, result: T) -> None:
        """Cache a result, unless the key is too long."""
        if len(key) <= _MAX_CACHED_LENGTH:
            self._results[key] = result

    def parse(self, text: str) -> T:
        """The result of a rendered text; raises ``OverlayError``."""
        return self._parse(text)[0]

    def parse_unique(self, text: str) -> T | None:
        """``parse``; ``None`` if a mapping has a key more than once."""
        parsed, has_duplicates = self._parse(text)
        return None if has_duplicates else parsed

    def _parse(self, text: str) -> tuple[T, bool]:
        """The result of a text, and whether a mapping in it has a key more than once."""
        parsed = self._parsed.get(text)
        if parsed is not None:
            return parsed, False
        is_long = len(text) > _MAX_CACHED_LENGTH
        loaded = pod_overlay.parse_similar(text, IncrementalLoader() if is_long else self._loader)
        parsed = self._edit_result(loaded) or self.convert(loaded.value)
        if not is_long and not loaded.has_duplicates:
            self._parsed[text] = parsed
        return parsed, loaded.has_duplicates

    def _edit_result(self, loaded: LoadedText) -> T | None:
        """The result of the previous text with the changes, if they change nothing else."""
        if not loaded.changes or self._make_editor is None:
            return None
        editor: Editor[T] | None = loaded.base.editor
        if editor is None:
            try:
                editor = self._make_editor(loaded.base.value)
            except OverlayError:  # of the previous text, which has no result
                editor = _edit_nothing
            loaded.base.editor = editor
        return editor(loaded.changes)


def _edit_nothing(_: object) -> None:
    """Take the place of the editor of a text without a result."""


class PodRenderer(msgspec.Struct, Generic[T], frozen=True):
    """Renders templates for one pod.

    A template receives only the fields that it can read; its result is cached under them, and under
    the origin of their texts.
    """

    cache: TemplateCache[T]
    template_data: TemplateData
    limits: Limits

    def render(self, template: Program) -> T:
        """Render a template for the pod.

        Raises ``UserError`` if the pod's text changes the structure or is the cause of a failure,
        ``OperatorError`` for any other failure of the template.
        """
        fields = self._project(template, self.template_data)
        key = self._make_key(template, fields, find_origin(self.template_data, fields))
        # An observer expects all renderings, also those of cached results.
        result = self.cache.lookup(key) if OBSERVER.get() is None else None
        if result is None:
            result = self._render_with_check(template, fields)
            self.cache.store(key, result)
        return result

    def _render_with_check(self, template: Program, fields: Message) -> T:
        is_safe = not template.can_create_syntax and has_only_plain_fields(
            self.template_data, fields
        )
        try:
            return render_with_check(
                self._make_checked_template(template, fields), is_harmless=is_safe
            )
        except StructureError as error:
            raise UserError(
                f"{self._describe_path(error.address)}: its text would change the structure that "
                f'template "{template.source.name}" gives the pod; leave out line breaks, quotes, '
                "brackets and other YAML syntax"
            ) from error
        except FAILURES as error:
            raise self._classify_error(template, fields, error) from error

    def _make_checked_template(self, template: Program, fields: Message) -> CheckedTemplate[T]:
        def taint_data(slots: PlaceholderRegistry) -> Pointer:
            return self._dot(template, self._replace_texts(fields, partial(taint_json, slots)))

        return CheckedTemplate(
            f"template {template.source.name}",
            template,
            partial(self._dot, template, fields),
            taint_data,
            self.cache.parse,
            self.cache.parse_unique,
            self.limits,
            self._find_sections(template, fields),
        )

    def _find_sections(self, template: Program, fields: Message) -> SectionReuse | None:
        _, projection = self.cache.projections(template, self.template_data.config.profile)
        if projection is None:
            return None
        return self.cache.sections(self._make_key(template, projection(fields)))

    def _dot(self, template: Program, fields: Message) -> Pointer:
        return make_dot(self.template_data.config, fields, mutates_data=template.mutates_data)

    def _replace_texts(self, fields: Message, change: Callable[[JSON, Address], Any]) -> Message:
        return replace_author_texts(self.template_data, fields, change)

    def _project(self, template: Program, data: TemplateData) -> Message:
        """The fields of the data, without what the template cannot read."""
        projection, _ = self.cache.projections(template, self.template_data.config.profile)
        return projection(make_dot_fields(data))

    def _make_key(self, template: Program, fields: Message, origin: JSON = None) -> bytes:
        """All that a rendering depends on, without what all pods of the injector share.

        Version 0 of the format encodes equal values of equal types as equal bytes.
        """
        values = pod_values(self.template_data, fields)
        return marshal.dumps((template.source.name, values, origin), 0)

    def _classify_error(
        self, template: Program, fields: Message, error: Exception
    ) -> InjectionError:
        """The error of the pod's author or of the operator, by the cause of the failure."""
        if not self.limits.finds_causes:
            return OperatorError(f'{_FAILURE_PREFIX} "{template.source.name}": {error}')
        return self.with_reduced_limits().classify_by_cause(template, fields, error)

    def with_reduced_limits(self) -> PodRenderer[T]:
        """The renderer for the search of a cause."""
        return replace(self, limits=self.limits.reduce())

    def classify_by_cause(
        self, template: Program, fields: Message, error: Exception
    ) -> InjectionError:
        """The error by the cause, as far as renderings within the limits show it."""
        address = find_breaking_text(
            lambda masker: self._replace_texts(fields, masker.mask),
            lambda masked: self._can_render(template, masked),
        )
        if address is None:
            address = find_failing_text(
                self._make_checked_template(template, fields), self._can_parse
            )
        if address is not None:
            return UserError(
                f'{self._describe_path(address)}: {_FAILURE_PREFIX} "{template.source.name}" '
                f"with it: {error}"
            )
        key = self.find_breaking_key(
            lambda data: self._can_render(template, self._project(template, data))
        )
        if key is not None:
            # The reason can quote another value: the key only decides that the template reads it.
            reason = _format_without_values(error)
            return UserError(f'{key}: {_FAILURE_PREFIX} "{template.source.name}" with it: {reason}')
        return OperatorError(f'{_FAILURE_PREFIX} "{template.source.name}": {error}')

    def _describe_path(self, address: Address) -> str:
        """The place as the pod's author addresses it."""
        proxy_config = proxyconfig.annotation_name(self.template_data.config.profile)
        match path_steps(address):
            case ("ProxyConfig", *_):
                return f"annotation {proxy_config}"
            case ("ProxyImage" | "ProxyInitImage", *_):
                return f"annotation {template_data.TYPE_ANNOTATION}"
            case ("EstimatedConcurrency", *_):
                return f"annotation {proxy_config} or sidecar.istio.io/proxyCPU"
            case ("ObjectMeta" | "DeploymentMeta", "annotations" | "labels" as kind, key, *_):
                return f"{kind.removesuffix('s')} {key}"
            case ("ObjectMeta" | "Spec" as part, *path):
                return "/".join(("", _PARTS[part], *map(str, path)))
            case _:
                return "the name or kind of the pod's owner"

    def find_breaking_key(self, works: Callable[[TemplateData], bool]) -> str | None:
        """The annotation or label without which something works, by the template data."""
        pod = self.template_data.pod
        keys = [("annotations", key) for key in pod_annotations(pod)]
        keys += [("labels", key) for key in pod_labels(pod)]

        proxy_annotation = proxyconfig.annotation_name(self.template_data.config.profile)

        def works_with(retained: Sequence[tuple[str, str]]) -> bool:
            return works(_restrict_keys(self.template_data, retained, proxy_annotation))

        breaking = find_breaking_key(keys, works_with)
        return None if breaking is None else f"{breaking[0].removesuffix('s')} {breaking[1]}"

    def render_without_check(self, template: Program, data: TemplateData) -> T:
        """Render a template to find the cause of an error; raises ``FAILURES``."""
        dot = self._dot(template, self._project(template, data))
        text = template.render(dot, limits=self.limits)
        return self.cache.convert(pod_overlay.parse(text))

    def _can_render(self, template: Program, fields: Message) -> bool:
        dot = self._dot(template, fields)
        try:
            return self._can_parse(template.render(dot, limits=self.limits))
        except (ExecError, LimitError):
            return False

    def _can_parse(self, text: str) -> bool:
        try:
            self.cache.convert(pod_overlay.parse(text))
        except OverlayError:
            return False
        return True


def _format_without_values(error: Exception) -> str:
    """The text of an error without a reason that can quote a value of the pod."""
    text = str(error)
    if isinstance(error, ExecError) and error.may_quote_data:
        return text.removesuffix(f": {error.reason}")
    return text


FAILURES = (ExecError, LimitError, OverlayError)


def _restrict_keys(
    data: TemplateData, retained: Sequence[tuple[str, str]], proxy_annotation: str
) -> TemplateData:
    """The data with only these of the pod's annotations and labels."""
    metadata = object_at(data.pod, "metadata")
    maps: Object = {
        kind: {key: metadata_map[key] for map_name, key in retained if map_name == kind}
        for kind in ("annotations", "labels")
        if (metadata_map := object_at(metadata, kind))
    }
    layer = data.pod_config if ("annotations", proxy_annotation) in retained else {}
    return replace(data, pod=data.pod | {"metadata": metadata | maps}, pod_config=layer)


_PARTS = {"ObjectMeta": "metadata", "Spec": "spec"}
