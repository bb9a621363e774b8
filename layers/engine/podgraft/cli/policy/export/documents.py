"""The documents for kube-apiserver: policies, bindings, and parameters of a bundle."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import TypeAlias

from msgspec import Struct

from podgraft import kube
from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import JSON, Object, list_at, object_at, objects_at, string_at
from podgraft.cli.register import cel
from podgraft.cli.register.sidecar_check import decision_variables
from podgraft.core.bundle import Bundle, Manifest, PolicyMutator
from podgraft.core.bundle.manifests import KINDS
from podgraft.core.bundle.params import find_used
from podgraft.core.bundle.served_versions import is_served
from podgraft.core.bundle.validation import PolicyValidator
from podgraft.core.policy import Diagnostics, InjectionRules, Policy
from podgraft.core.policy.reader import Cursor
from podgraft.golang.reflect import GoType
from podgraft.kube import mutation, validation
from podgraft.kube.matching.constraints import guess_plural
from podgraft.kube.matching.go_values import FIRST_GO_VALUES
from podgraft.kube.matching.params import ParamRef
from podgraft.kube.structured.schema import OLDEST
from podgraft.kube.types import API_GROUPS, NEWEST

from . import operations, symbolic, tree
from .errors import ExportError
from .literals import choose
from .values import NONE

MUTATING, VALIDATING = "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"
_LABELS: Object = {"app.kubernetes.io/name": "podgraft"}
# Each can double the work.
_MAX_FACTS = 8
_REASONS: Mapping[str, str] = {
    "ConfigMap": "Istio's injection needs Go templates and the mesh configuration",
    "ProxyConfig": "Istio's injection needs Go templates and the mesh configuration",
    "Mesh": "App Mesh's injection needs a Go template",
}
_PARSERS = {MUTATING: mutation.parse_policy, VALIDATING: validation.parse_policy}


# An overlay, and its patches in their order.
_Translated: TypeAlias = tuple[Manifest, tuple[str, ...]]


def export_bundle(bundle: Bundle, policy: Policy, minor: int) -> Export:
    """Export a compiled bundle for Kubernetes 1.``minor``."""
    export = Export(bundle, policy, minor)
    export.run()
    return export


class Export(Struct, frozen=True):
    """The documents, and the reason for each part of the bundle that is not in them."""

    bundle: Bundle
    policy: Policy
    minor: int
    documents: list[Object] = []
    refused: list[Diagnostic] = []

    def run(self) -> None:
        """Export everything, parameters before the bindings that name them."""
        self._refuse_policy_keys()
        self._export_parameters()
        for kind in (VALIDATING, MUTATING):
            for manifest in self.bundle.manifests.of_kind(kind):
                self._export_policy(manifest, f"{kind}Binding")
        self._export_overlays()

    def _refuse_policy_keys(self) -> None:
        for key, value in (("rollout", self.policy.rollout), ("census", self.policy.census)):
            if value is not None:
                remedy = f"remove {key}, or keep it in podgraft"
                self._refuse("policy", f"/{key}", "needs the webhook", remedy)

    def _refuse_manifest(self, manifest: Manifest, reason: object) -> None:
        problem = f"{manifest.kind} {manifest.name}: {reason}"
        self._refuse(manifest.file, manifest.path, problem, "keep it in podgraft")

    def _refuse(self, document: str, pointer: str, problem: str, remedy: str) -> None:
        self.refused.append(Diagnostic(problem, remedy, document=document, pointer=pointer))

    def _export_parameters(self) -> None:
        manifests = self.bundle.manifests
        config_maps = manifests.of_kind("ConfigMap")
        used = [*find_used(config_maps, self._find_param_refs())]
        definitions = manifests.of_kind("CustomResourceDefinition")
        self.documents.extend(each.object for each in (*definitions, *used, *manifests.params))
        for kind, reason in _REASONS.items():
            for manifest in manifests.of_kind(kind):
                if manifest not in used:
                    self._refuse_manifest(manifest, reason)

    def _find_param_refs(self) -> Iterator[ParamRef | None]:
        for part in (*self.bundle.object_mutators, *self.bundle.validators):
            match part:
                case PolicyMutator(policies=policies) | PolicyValidator(rules=policies):
                    groups = policies.bindings.values()
                    yield from (binding.params for group in groups for binding in group)
                case _:
                    pass

    def _export_policy(self, manifest: Manifest, kind: str) -> None:
        """Export a policy of the bundle with its bindings."""
        bindings = [
            each
            for each in self.bundle.manifests.of_kind(kind)
            if object_at(each.object, "spec").get("policyName") == manifest.name
        ]
        spec = object_at(manifest.object, "spec")
        try:
            version = self._find_version(manifest.kind)
            if manifest.kind == MUTATING:
                spec = self._restrict(spec, objects_at(spec, "matchConditions"))
            self._check_features(manifest.kind, spec)
        except ExportError as error:
            self._refuse_manifest(manifest, error)
            return
        if manifest.kind == MUTATING and not bindings:
            return  # it changes nothing
        self.documents.append({**manifest.object, "apiVersion": version, "spec": spec})
        self.documents.extend({**binding.object, "apiVersion": version} for binding in bindings)
        if not bindings:
            deny: Object = {"policyName": manifest.name, "validationActions": ["Deny"]}
            self.documents.append(_make_document(version, kind, manifest.name, deny))

    @property
    def _reads_copies(self) -> bool:
        """Whether policies of the bundle can write parts of the object to a patch.

        From 1.37 on, they cannot after a match condition (``kube/matching/go_values.py``), so the
        export adds none.
        """
        return self.minor >= FIRST_GO_VALUES and bool(self.bundle.manifests.of_kind(MUTATING))

    def _restrict(self, spec: Object, own: Sequence[Object]) -> Object:
        """A policy that changes nothing where podgraft would not, with its own match conditions."""
        added = self._make_conditions(spec)
        if not self._reads_copies:
            conditions: list[JSON] = [*own, *added]
            return {**spec, "matchConditions": conditions} if conditions else spec
        tests = [str(each["expression"]) for each in added]
        mutations: list[JSON] = []
        for each in objects_at(spec, "mutations"):
            key = next(name for name in _NO_CHANGE if name in each)
            text = string_at(each, key, "expression")
            mutations.append({**each, key: {"expression": _guard(tests, text, _NO_CHANGE[key])}})
        return {**spec, "mutations": mutations}

    def _find_version(self, kind: str) -> str:
        """The API version that the release serves; raises ``ExportError``."""
        for version in KINDS[kind]:
            if is_served(version, kind, self.minor):
                return version
        first, version = next(
            (minor, version)
            for minor in range(OLDEST, NEWEST + 1)
            for version in KINDS[kind]
            if is_served(version, kind, minor)
        )
        raise ExportError(
            f"Kubernetes 1.{self.minor} does not serve {kind}; 1.{first} is the first release that "
            f"does, as {version.rpartition('/')[2]}"
        )

    def _check_features(self, kind: str, spec: Object) -> None:
        """Raise ``ExportError`` for an expression that only later releases accept."""
        found = Diagnostics()
        _PARSERS[kind](Cursor(spec, "/spec", found), "", self.minor)
        for problem in (*map(str, found.errors), *(each.problem for each in found.warnings)):
            raise ExportError(problem)

    def _make_conditions(self, spec: Object) -> list[Object]:
        """The match conditions that repeat the decision of podgraft about pods."""
        rules = objects_at(spec, "matchConstraints", "resourceRules")
        scopes = [_find_pod_scope(rule) for rule in rules]
        if not any(scopes):
            return []
        others = "" if all(scope == "only" for scope in scopes) else _OTHER_REQUESTS
        namespaces = cel.list_literal(sorted(self.bundle.rules.ignored_namespaces))
        conditions = {
            "not-ignored": "true"
            if namespaces == "[]"
            else f"!(request.namespace in {namespaces})",
            "own-network": "!object.spec.?hostNetwork.orValue(false)",
            "podgraft-policy": _expand_decision(self.bundle.rules),
        }
        return [
            {"name": name, "expression": f"{others}({text})" if others else text}
            for name, text in conditions.items()
            if text != "true"
        ]

    def _export_overlays(self) -> None:
        """Export overlays: those of the same objects are one policy, which keeps their order."""
        manifests = sorted(self.bundle.manifests.of_kind("Overlay"), key=lambda each: each.name)
        exported: list[_Translated] = []
        for manifest in manifests:
            try:
                exported.append((manifest, self._translate(manifest)))
            except ExportError as error:
                self._refuse_manifest(manifest, error)
        for _, group in groupby(exported, key=lambda each: _get_constraints(each[0])):
            self._export_group([*group])

    def _translate(self, manifest: Manifest) -> tuple[str, ...]:
        """The patches of an overlay in CEL; raises ``ExportError``."""
        self._find_version(MUTATING)
        spec = object_at(manifest.object, "spec")
        if_absent = [*map(str, list_at(spec, "setIfAbsent"))]
        rules = objects_at(spec, "matchConstraints", "resourceRules")
        expressions = {
            _make_expressions(spec, type_, if_absent, {})
            for rule in rules
            for type_ in _find_types(rule)
        }
        if len(expressions) != 1:
            raise ExportError("its patch depends on the kind; write one overlay for each kind")
        return tuple(each for each in expressions.pop() if each != NONE)

    def _export_group(self, group: list[_Translated]) -> None:
        version = self._find_version(MUTATING)
        first = group[0][0]
        spec: Object = {
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "matchConstraints": _get_constraints(first),
        }
        own = objects_at(first.object, "spec", "matchConditions")
        # Kubernetes gives match conditions no Namespace, but it does so for mutations.
        is_condition = (
            len(group) == 1 and "namespaceObject" not in str(own) and not self._reads_copies
        )
        spec["mutations"] = [
            {
                "patchType": "JSONPatch",
                "jsonPatch": {"expression": text if is_condition else _guard_patch(manifest, text)},
            }
            for manifest, texts in group
            for text in texts
        ]
        spec = self._restrict(spec, own if is_condition else ())
        try:
            self._check_features(MUTATING, spec)
        except ExportError as error:
            for manifest, _ in group:
                self._refuse_manifest(manifest, error)
            return
        names = [manifest.name for manifest, _ in group]
        name = "-".join(("podgraft", names[0], *names[1:][-1:]))
        binding: Object = {"policyName": name}
        self.documents.append(_make_document(version, MUTATING, name, spec))
        self.documents.append(_make_document(version, f"{MUTATING}Binding", name, binding))


# The expression of each kind of mutation that changes nothing.
_NO_CHANGE = {"jsonPatch": "[]", "applyConfiguration": "Object{}"}
# Also for an eviction, and for a custom resource of this name.
_OTHER_REQUESTS = (
    "request.resource.group != '' || request.resource.resource != 'pods' || "
    "has(request.subResource) || request.operation != 'CREATE' || "
)


def _find_pod_scope(rule: Object) -> str:
    """Whether a rule is for new pods only, for pods among others, or (empty) for no pods."""
    keys = ("apiGroups", "resources", "operations")
    groups, resources, operations = ([*map(str, list_at(rule, key))] for key in keys)
    if {"", "*"}.isdisjoint(groups) or {"pods", "*", "*/*"}.isdisjoint(resources):
        return ""
    is_only = (groups, resources, operations) == ([""], ["pods"], ["CREATE"])
    return "only" if is_only else "some"


def _expand_decision(rules: InjectionRules) -> str:
    """The decision about a pod in one expression: match conditions have no variables."""
    texts: dict[str, str] = {}
    for name, text in decision_variables(rules):
        texts[name] = re.sub(r"variables\.(\w+)", lambda found: f"({texts[found[1]]})", text)
    return texts["expectsSidecar"]


def _find_types(rule: Object) -> Iterator[GoType | None]:
    """The Go types of the objects that a rule matches; raises ``ExportError``."""
    types = {
        (group, guess_plural(kind.lower())): kube.types(NEWEST)[kind]
        for kind, group in API_GROUPS.items()
    }
    for group, resource in product(list_at(rule, "apiGroups"), list_at(rule, "resources")):
        if "*" in f"{group}{resource}" or "/" in str(resource):
            raise ExportError("it matches any kind or a subresource; name the resources")
        yield types.get((str(group), str(resource)))


def _make_expressions(
    spec: Object, type_: GoType | None, if_absent: Sequence[str], facts: Mapping[str, bool]
) -> tuple[str, ...]:
    """The patches of an overlay for objects for which conditions are known."""
    template, values = str(spec.get("template")), object_at(spec, "values")
    try:
        text = symbolic.execute(template, values, type_, facts)
    except symbolic.ForkError as fork:
        if len(facts) == _MAX_FACTS:
            raise ExportError("it chooses between too many constants") from fork
        cases = (
            _make_expressions(spec, type_, if_absent, {**facts, fork.condition: is_true})
            for is_true in (True, False)
        )
        return tuple(choose(fork.condition, *pair) for pair in zip(*cases, strict=True))
    return operations.make_expressions(tree.parse(text), text.reads, type_, if_absent)


def _get_constraints(manifest: Manifest) -> Object:
    return object_at(manifest.object, "spec", "matchConstraints")


def _guard_patch(manifest: Manifest, text: str) -> str:
    """The patch, if the conditions of the overlay are true for the object so far."""
    conditions = objects_at(manifest.object, "spec", "matchConditions")
    tests = [str(each.get("expression")).strip() for each in conditions]
    return _guard(tests, text, _NO_CHANGE["jsonPatch"])


def _guard(tests: Sequence[str], text: str, other: str) -> str:
    """An expression if all tests are true, or else another one."""
    return f"{' && '.join(f'({each})' for each in tests)} ?\n({text}) :\n{other}" if tests else text


def _make_document(version: str, kind: str, name: str, spec: Object) -> Object:
    metadata: Object = {"name": name, "labels": _LABELS}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def describe_documents(documents: Iterable[Object]) -> list[str]:
    """Kind and name of each document, such as ``ConfigMap-limits``."""
    return [f"{each.get('kind')}-{object_at(each, 'metadata').get('name')}" for each in documents]
