"""ValidatingAdmissionPolicyBinding: where a policy is in force, how, and with which parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from podgraft import document_reader
from podgraft.jsonvalue import Object, object_at, strings_at
from podgraft.kube import selectors
from podgraft.matching import constraints
from podgraft.policy import Cursor, MappingReader


class ValidationAction(StrEnum):
    """What a broken rule does."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"


@dataclass(frozen=True, slots=True)
class ConfigMapIndex:
    """The ConfigMaps of a bundle, by namespace and name, and by namespace: reviews look often."""

    by_name: Mapping[tuple[str, str], Object]
    by_namespace: Mapping[str, Sequence[Object]]

    @classmethod
    def build(cls, objects: Iterable[Object]) -> ConfigMapIndex:
        """An index of them; no two have both namespace and name in common."""
        named: dict[tuple[str, str], Object] = {}
        within: dict[str, list[Object]] = {}
        for each in objects:
            metadata = object_at(each, "metadata")
            namespace = str(metadata.get("namespace", ""))
            named[namespace, str(metadata.get("name", ""))] = each
            within.setdefault(namespace, []).append(each)
        return cls(named, within)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamRef:
    """Which ConfigMaps are the parameters: one by name, or those that a selector selects.

    Without a namespace it is the request's. ``required`` says that a request which finds none
    fails (``parameterNotFoundAction: Deny``), where else the policy passes it.
    """

    name: str = ""
    namespace: str = ""
    selector: selectors.Selector | None = None
    required: bool = True

    def find(self, config_maps: ConfigMapIndex, namespace: str) -> Sequence[Object]:
        """The parameters for a request in ``namespace``."""
        wanted = self.namespace or namespace
        if self.selector is None:
            found = config_maps.by_name.get((wanted, self.name))
            return [] if found is None else [found]
        return [each for each in config_maps.by_namespace.get(wanted, ()) if self.selects(each)]

    def selects(self, config_map: Object) -> bool:
        """Whether a selector is given and selects a ConfigMap, wherever it is."""
        if self.selector is None:
            return False
        return self.selector.matches(strings_at(object_at(config_map, "metadata"), "labels"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A policy in force; without ``name`` it stands for the binding that nobody wrote."""

    policy: str
    name: str = ""
    actions: frozenset[ValidationAction] = frozenset({ValidationAction.DENY})
    constraints: constraints.MatchConstraints | None = None
    params: ParamRef | None = None


def group_by_policy(bindings: Iterable[Binding]) -> Mapping[str, Sequence[Binding]]:
    """The bindings of each policy that has some, in the order of their names."""
    found: dict[str, list[Binding]] = {}
    for binding in sorted(bindings, key=lambda binding: binding.name):
        found.setdefault(binding.policy, []).append(binding)
    return found


def parse_binding(spot: Cursor, name: str) -> Binding:
    """Read a binding's ``spec``; faults are noted."""
    keys = MappingReader(spot)
    binding = Binding(
        name=name,
        policy=keys.read_key("policyName", document_reader.parse_string) or "",
        actions=keys.read_key("validationActions", _parse_actions) or frozenset(),
        constraints=keys.read_key("matchResources", constraints.parse_constraints),
        params=keys.read_key("paramRef", _parse_param_ref),
    )
    keys.check_unknown_keys()
    given = _raw_mapping(spot)
    if not given.get("policyName"):
        spot.child("policyName", None).add_error("is missing", "name a ValidatingAdmissionPolicy")
    if not given.get("validationActions"):
        words = ", ".join(ValidationAction)
        spot.child("validationActions", None).add_error("is missing or empty", f"use {words}")
    return binding


def _raw_mapping(spot: Cursor) -> Object:
    """The keys as they are written, readable or not."""
    return spot.value if isinstance(spot.value, dict) else {}


def _parse_actions(spot: Cursor) -> frozenset[ValidationAction] | None:
    words = document_reader.parse_strings(spot)
    if words is None:
        return None
    for word in words:
        if word not in set(ValidationAction):
            spot.add_error(f"got {word}", f"use {', '.join(ValidationAction)}")
    if {ValidationAction.DENY, ValidationAction.WARN} <= set(words):
        spot.add_error("Deny and Warn would say the same thing twice", "keep one")
    return frozenset(ValidationAction(word) for word in words if word in set(ValidationAction))


def _parse_param_ref(spot: Cursor) -> ParamRef:
    keys = MappingReader(spot)
    missing = keys.read_key("parameterNotFoundAction", document_reader.parse_string)
    ref = ParamRef(
        name=keys.read_key("name", document_reader.parse_string) or "",
        namespace=keys.read_key("namespace", document_reader.parse_string) or "",
        selector=keys.read_key("selector", document_reader.parse_selector),
        required=missing != "Allow",
    )
    keys.check_unknown_keys()
    if missing not in {None, "Allow", "Deny"}:
        spot.child("parameterNotFoundAction", missing).add_error(
            f"got {missing}", "use Allow or Deny"
        )
    if ("name" in _raw_mapping(spot)) == ("selector" in _raw_mapping(spot)):
        spot.add_error("has both name and selector, or neither", "give one of them")
    return ref
