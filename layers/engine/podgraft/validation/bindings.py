"""ValidatingAdmissionPolicyBinding: where a policy is in force, how, and with which parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from podgraft.jsonvalue import Object, object_at, texts_at
from podgraft.kube import selectors
from podgraft.policy import Keys, Spot, constraints, reading


class Action(StrEnum):
    """What a broken rule does."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"


@dataclass(frozen=True, slots=True)
class ConfigMaps:
    """The ConfigMaps of a bundle, by namespace and name, and by namespace: reviews look often."""

    named: Mapping[tuple[str, str], Object]
    within: Mapping[str, Sequence[Object]]

    @classmethod
    def of(cls, objects: Iterable[Object]) -> ConfigMaps:
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

    def find(self, config_maps: ConfigMaps, namespace: str) -> Sequence[Object]:
        """The parameters for a request in ``namespace``."""
        wanted = self.namespace or namespace
        if self.selector is None:
            found = config_maps.named.get((wanted, self.name))
            return [] if found is None else [found]
        return [each for each in config_maps.within.get(wanted, ()) if self.selects(each)]

    def selects(self, config_map: Object) -> bool:
        """Whether a selector is given and selects a ConfigMap, wherever it is."""
        if self.selector is None:
            return False
        return self.selector.matches(texts_at(object_at(config_map, "metadata"), "labels"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A policy in force; without ``name`` it stands for the binding that nobody wrote."""

    policy: str
    name: str = ""
    actions: frozenset[Action] = frozenset({Action.DENY})
    constraints: constraints.MatchConstraints | None = None
    params: ParamRef | None = None


def by_policy(bindings: Iterable[Binding]) -> Mapping[str, Sequence[Binding]]:
    """The bindings of each policy that has some, in the order of their names."""
    found: dict[str, list[Binding]] = {}
    for binding in sorted(bindings, key=lambda binding: binding.name):
        found.setdefault(binding.policy, []).append(binding)
    return found


def read_binding(spot: Spot, name: str) -> Binding:
    """Read a binding's ``spec``; faults are noted."""
    keys = Keys(spot)
    binding = Binding(
        name=name,
        policy=keys.read("policyName", reading.text) or "",
        actions=keys.read("validationActions", _actions) or frozenset(),
        constraints=keys.read("matchResources", constraints.read),
        params=keys.read("paramRef", _param_ref),
    )
    keys.close()
    given = _given(spot)
    if not given.get("policyName"):
        spot.under("policyName", None).fault("is missing", "name a ValidatingAdmissionPolicy")
    if not given.get("validationActions"):
        words = ", ".join(Action)
        spot.under("validationActions", None).fault("is missing or empty", f"use {words}")
    return binding


def _given(spot: Spot) -> Object:
    """The keys as they are written, readable or not."""
    return spot.value if isinstance(spot.value, dict) else {}


def _actions(spot: Spot) -> frozenset[Action] | None:
    words = reading.texts(spot)
    if words is None:
        return None
    for word in words:
        if word not in set(Action):
            spot.fault(f"got {word}", f"use {', '.join(Action)}")
    if {Action.DENY, Action.WARN} <= set(words):
        spot.fault("Deny and Warn would say the same thing twice", "keep one")
    return frozenset(Action(word) for word in words if word in set(Action))


def _param_ref(spot: Spot) -> ParamRef:
    keys = Keys(spot)
    missing = keys.read("parameterNotFoundAction", reading.text)
    ref = ParamRef(
        name=keys.read("name", reading.text) or "",
        namespace=keys.read("namespace", reading.text) or "",
        selector=keys.read("selector", reading.selector),
        required=missing != "Allow",
    )
    keys.close()
    if missing not in {None, "Allow", "Deny"}:
        spot.under("parameterNotFoundAction", missing).fault(f"got {missing}", "use Allow or Deny")
    if ("name" in _given(spot)) == ("selector" in _given(spot)):
        spot.fault("has both name and selector, or neither", "give one of them")
    return ref
