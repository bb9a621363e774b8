"""The parameters of admission policies: ``paramKind``, ``paramRef``, and the objects of a bundle.

Source: k8s.io/apiserver 0.37, pkg/admission/plugin/policy/generic (policy_dispatcher.go).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from podgraft.base.jsonvalue import Object, string_at, strings_at
from podgraft.kube import document_reader, selectors
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.selectors import Operator


class ParamKind(NamedTuple):
    """The kind of the parameters of a policy."""

    api_version: str
    kind: str

    @property
    def group_kind(self) -> tuple[str, str]:
        """The group and the kind: kube-apiserver converts between versions."""
        return self.api_version.rpartition("/")[0], self.kind


CONFIG_MAP = ParamKind("v1", "ConfigMap")


class ParamError(Exception):
    """A binding whose parameters cannot be found; failurePolicy decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamRef:
    """The objects that are the parameters: one by name, or those that a selector matches.

    Without a namespace, they are in the namespace of the request. ``is_required`` states that a
    request without parameters is denied (``parameterNotFoundAction: Deny``), not allowed.
    """

    name: str = ""
    namespace: str = ""
    selector: selectors.Selector | None = None
    is_required: bool = True

    def selects(self, param: Object) -> bool:
        """Whether a selector is set and matches an object of any namespace."""
        return self.selector is not None and self.selector.matches(_labels(param))


# By namespace and name.
_Params: TypeAlias = Mapping[tuple[str, str], Object]


@dataclass(frozen=True, slots=True)
class ParamIndex:
    """The objects of a bundle that can be parameters, by kind, and by namespace and name.

    ``cluster_scoped`` has the groups and kinds without a namespace. ``by_label`` has the objects of
    a kind with a label; their name is that of the label without a key.
    """

    by_name: Mapping[tuple[str, str], _Params]
    cluster_scoped: frozenset[tuple[str, str]] = frozenset()
    by_label: Mapping[tuple[tuple[str, str], str, str], _Params] = field(
        default_factory=dict[tuple[tuple[str, str], str, str], _Params], repr=False
    )
    # At most one entry for each kind, selector of a binding, and namespace of the bundle.
    _selected: dict[tuple[ParamKind, selectors.Selector, str], Sequence[Object]] = field(
        default_factory=dict[tuple[ParamKind, selectors.Selector, str], Sequence[Object]],
        repr=False,
        compare=False,
    )

    @classmethod
    def build(
        cls, objects: Iterable[Object], cluster_scoped: Iterable[tuple[str, str]] = ()
    ) -> ParamIndex:
        """Build the index; the kinds, namespaces, and names of the objects must be unique."""
        by_name: dict[tuple[str, str], dict[tuple[str, str], Object]] = {}
        by_label: dict[tuple[tuple[str, str], str, str], dict[tuple[str, str], Object]] = {}
        for param in objects:
            kind = ParamKind(string_at(param, "apiVersion"), string_at(param, "kind")).group_kind
            key = string_at(param, "metadata", "namespace"), string_at(param, "metadata", "name")
            by_name.setdefault(kind, {})[key] = param
            for label in {**_labels(param), "": key[1]}.items():
                by_label.setdefault((kind, *label), {})[key] = param
        return cls(by_name, frozenset(cluster_scoped), by_label)

    def find(self, kind: ParamKind, ref: ParamRef, namespace: str) -> Sequence[Object]:
        """Find the parameters for a request in a namespace; raises ``ParamError``.

        Required parameters that are missing are an error, too.
        """
        param_namespace = ref.namespace or namespace
        if kind.group_kind in self.cluster_scoped:
            if ref.namespace:
                raise ParamError(
                    "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
                )
            param_namespace = ""
        elif not param_namespace:
            raise ParamError(
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped "
                "resources"
            )
        if ref.selector is not None:
            params = self._select(kind, ref.selector, param_namespace)
        else:
            param = self.by_name.get(kind.group_kind, {}).get((param_namespace, ref.name))
            params = [] if param is None else [param]
        if not params and ref.is_required:
            raise ParamError(
                "no params found for policy binding with `Deny` parameterNotFoundAction"
            )
        return params

    def can_find(self, kind: ParamKind, ref: ParamRef) -> bool:
        """Whether a request in some namespace has parameters."""
        if ref.selector is None:
            found = self.by_label.get((kind.group_kind, "", ref.name), {})
        else:
            found = self._find_selected(kind, ref.selector)
        return any(ref.namespace in {"", namespace} for namespace, _ in found)

    def _select(
        self, kind: ParamKind, selector: selectors.Selector, namespace: str
    ) -> Sequence[Object]:
        key = (kind, selector, namespace)
        selected = self._selected.get(key)
        if selected is None:
            found = sorted(self._find_selected(kind, selector).items(), key=lambda item: item[0])
            selected = tuple(param for name, param in found if name[0] == namespace)
            if selected:  # requests can have any namespace
                self._selected[key] = selected
        return selected

    def _find_selected(self, kind: ParamKind, selector: selectors.Selector) -> _Params:
        """The objects of all namespaces that a selector matches."""
        params = self.by_name.get(kind.group_kind, {})
        for each in selector.requirements:
            if each.operator in {Operator.EQUALS, Operator.IN}:
                found = (self.by_label.get((kind.group_kind, each.key, v), {}) for v in each.values)
                params = dict(item for group in found for item in group.items())
                break
        return {name: param for name, param in params.items() if selector.matches(_labels(param))}


def _labels(param: Object) -> Mapping[str, str]:
    return strings_at(param, "metadata", "labels")


def parse_param_kind(cursor: Cursor) -> ParamKind:
    """Parse ``paramKind``; adds errors to the diagnostics."""
    keys = MappingReader(cursor)
    kind = ParamKind(keys.read_text("apiVersion"), keys.read_text("kind"))
    keys.check_unknown_keys()
    for key, value in zip(("apiVersion", "kind"), kind, strict=True):
        if not value:
            cursor.add_key_error(key, "is missing", f"set the {key} of the parameters")
    return kind


def parse_param_ref(cursor: Cursor) -> ParamRef:
    """Parse ``paramRef``; adds errors to the diagnostics."""
    keys = MappingReader(cursor)
    not_found_action = keys.read_key("parameterNotFoundAction", document_reader.parse_string)
    ref = ParamRef(
        name=keys.read_text("name"),
        namespace=keys.read_text("namespace"),
        selector=keys.read_key("selector", document_reader.parse_selector),
        is_required=not_found_action != "Allow",
    )
    keys.check_unknown_keys()
    if not_found_action not in {None, "Allow", "Deny"}:
        cursor.child("parameterNotFoundAction", not_found_action).add_error(
            f"got {not_found_action}", "use Allow or Deny"
        )
    if ("name" in keys.raw) == ("selector" in keys.raw):
        cursor.add_error("must have either name or selector", "set one of them")
    return ref
