"""ValidatingAdmissionPolicyBinding: the scope, actions, and parameters of a policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from podgraft.base.jsonvalue import Object, object_at, strings_at
from podgraft.kube import document_reader, selectors
from podgraft.kube.document_reader import Cursor, MappingReader
from podgraft.kube.matching import constraints


class ValidationAction(StrEnum):
    """The action for a failed validation."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"


@dataclass(frozen=True, slots=True)
class ConfigMapIndex:
    """The ConfigMaps of a bundle, by namespace and name, and by namespace."""

    by_name: Mapping[tuple[str, str], Object]
    by_namespace: Mapping[str, Sequence[Object]]
    # At most one entry for each selector of a binding and namespace of the bundle.
    _selected: dict[tuple[selectors.Selector, str], Sequence[Object]] = field(
        default_factory=dict[tuple[selectors.Selector, str], Sequence[Object]],
        repr=False,
        compare=False,
    )

    @classmethod
    def build(cls, objects: Iterable[Object]) -> ConfigMapIndex:
        """Build the index; the pairs of namespace and name must be unique."""
        by_name: dict[tuple[str, str], Object] = {}
        by_namespace: dict[str, list[Object]] = {}
        for config_map in objects:
            metadata = object_at(config_map, "metadata")
            namespace = str(metadata.get("namespace", ""))
            by_name[namespace, str(metadata.get("name", ""))] = config_map
            by_namespace.setdefault(namespace, []).append(config_map)
        return cls(by_name, by_namespace)

    def select(self, selector: selectors.Selector, namespace: str) -> Sequence[Object]:
        """The ConfigMaps of a namespace that a selector matches."""
        candidates = self.by_namespace.get(namespace)
        if candidates is None:
            return ()
        selected = self._selected.get((selector, namespace))
        if selected is None:
            selected = tuple(each for each in candidates if selector.matches(_labels(each)))
            self._selected[selector, namespace] = selected
        return selected


def _labels(config_map: Object) -> Mapping[str, str]:
    return strings_at(object_at(config_map, "metadata"), "labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamRef:
    """The ConfigMaps that are the parameters: one by name, or those that a selector matches.

    Without a namespace, they are in the namespace of the request. ``is_required`` states that a
    request without parameters is denied (``parameterNotFoundAction: Deny``), not allowed.
    """

    name: str = ""
    namespace: str = ""
    selector: selectors.Selector | None = None
    is_required: bool = True

    def find(self, config_maps: ConfigMapIndex, namespace: str) -> Sequence[Object]:
        """Find the parameters for a request in ``namespace``."""
        param_namespace = self.namespace or namespace
        if self.selector is None:
            config_map = config_maps.by_name.get((param_namespace, self.name))
            return [] if config_map is None else [config_map]
        return config_maps.select(self.selector, param_namespace)

    def selects(self, config_map: Object) -> bool:
        """Whether a selector is set and matches a ConfigMap of any namespace."""
        return self.selector is not None and self.selector.matches(_labels(config_map))


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A binding of a policy; without ``name``, the implicit binding of an unbound policy."""

    policy: str
    name: str = ""
    actions: frozenset[ValidationAction] = frozenset({ValidationAction.DENY})
    constraints: constraints.MatchConstraints | None = None
    params: ParamRef | None = None


def group_by_policy(bindings: Iterable[Binding]) -> Mapping[str, Sequence[Binding]]:
    """Group bindings by policy, in the order of their names."""
    by_policy: dict[str, list[Binding]] = {}
    for binding in sorted(bindings, key=lambda binding: binding.name):
        by_policy.setdefault(binding.policy, []).append(binding)
    return by_policy


def parse_binding(cursor: Cursor, name: str) -> Binding:
    """Parse the ``spec`` of a binding; errors are collected by the cursor."""
    keys = MappingReader(cursor)
    binding = Binding(
        name=name,
        policy=keys.read_key("policyName", document_reader.parse_string) or "",
        actions=keys.read_key("validationActions", _parse_actions) or frozenset(),
        constraints=keys.read_key("matchResources", constraints.parse_constraints),
        params=keys.read_key("paramRef", _parse_param_ref),
    )
    keys.check_unknown_keys()
    spec = _raw_mapping(cursor)
    if not spec.get("policyName"):
        cursor.child("policyName", None).add_error(
            "is missing", "set the name of a ValidatingAdmissionPolicy"
        )
    if not spec.get("validationActions"):
        actions = ", ".join(ValidationAction)
        cursor.child("validationActions", None).add_error("is missing or empty", f"use {actions}")
    return binding


def _raw_mapping(cursor: Cursor) -> Object:
    """The mapping at a cursor, including invalid keys."""
    return cursor.value if isinstance(cursor.value, dict) else {}


def _parse_actions(cursor: Cursor) -> frozenset[ValidationAction] | None:
    names = document_reader.parse_strings(cursor)
    if names is None:
        return None
    for name in names:
        if name not in set(ValidationAction):
            cursor.add_error(f"got {name}", f"use {', '.join(ValidationAction)}")
    if {ValidationAction.DENY, ValidationAction.WARN} <= set(names):
        cursor.add_error("Deny and Warn both report the failure", "remove one of them")
    return frozenset(ValidationAction(name) for name in names if name in set(ValidationAction))


def _parse_param_ref(cursor: Cursor) -> ParamRef:
    keys = MappingReader(cursor)
    not_found_action = keys.read_key("parameterNotFoundAction", document_reader.parse_string)
    ref = ParamRef(
        name=keys.read_key("name", document_reader.parse_string) or "",
        namespace=keys.read_key("namespace", document_reader.parse_string) or "",
        selector=keys.read_key("selector", document_reader.parse_selector),
        is_required=not_found_action != "Allow",
    )
    keys.check_unknown_keys()
    if not_found_action not in {None, "Allow", "Deny"}:
        cursor.child("parameterNotFoundAction", not_found_action).add_error(
            f"got {not_found_action}", "use Allow or Deny"
        )
    if ("name" in _raw_mapping(cursor)) == ("selector" in _raw_mapping(cursor)):
        cursor.add_error("must have either name or selector", "set one of them")
    return ref
