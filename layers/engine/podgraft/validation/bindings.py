"""ValidatingAdmissionPolicyBinding: where a policy is in force, how, and with which parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from podgraft.jsonvalue import JSON, Object
from podgraft.kube import selectors
from podgraft.policy import Keys, Spot, constraints, reading


class Action(StrEnum):
    """What a broken rule does."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"


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

    def find(self, config_maps: Sequence[Object], namespace: str) -> list[Object]:
        """The parameters for a request in ``namespace``."""
        wanted = self.namespace or namespace
        return [each for each in config_maps if self._is(each, wanted)]

    def _is(self, config_map: Object, namespace: str) -> bool:
        metadata = config_map.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("namespace", "") != namespace:
            return False
        if self.selector is None:
            return metadata.get("name") == self.name
        return self.selector.matches(_strings(metadata.get("labels")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A policy in force; without ``name`` it stands for the binding that nobody wrote."""

    policy: str
    name: str = ""
    actions: frozenset[Action] = frozenset({Action.DENY})
    constraints: constraints.MatchConstraints | None = None
    params: ParamRef | None = None


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


def _strings(value: JSON) -> dict[str, str]:
    labels = value if isinstance(value, dict) else {}
    return {key: label for key, label in labels.items() if isinstance(label, str)}
