"""Policies and CustomResourceDefinitions that podgraft accepts, and the API of Kubernetes refuses.

Only the commands check this: a version in force with such a document stays valid.
Source: k8s.io/kubernetes 1.37, pkg/apis/admissionregistration/validation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from podgraft import kube
from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import JSON, Object, list_at, object_at, objects_at, string_at
from podgraft.kube.names import label_key_problem, object_name_problem
from podgraft.kube.patch import pointer
from podgraft.kube.structured import custom_resources, definition_rules

from .manifests import Manifest, Manifests

_MAX_CONDITIONS = 64
_POLICIES = frozenset({"MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"})
_BINDINGS = frozenset({f"{kind}Binding" for kind in _POLICIES})
# The path of a part of the document, the problem, and the remedy.
_Found: TypeAlias = tuple[Sequence[str | int], str, str]


def find_errors(manifests: Manifests) -> Iterator[Diagnostic]:
    """Yield an error for each part of a document that kube-apiserver refuses."""
    for manifest in manifests.manifests:
        if manifest.kind in _POLICIES | _BINDINGS | {custom_resources.KIND}:
            for path, problem, remedy in _check_document(manifest):
                text = "".join(f"/{pointer.escape(str(part))}" for part in path)
                yield manifest.make_diagnostic(text, problem, remedy)


def _check_document(manifest: Manifest) -> Iterator[_Found]:
    yield from _check_metadata(manifest.metadata)
    if manifest.kind == custom_resources.KIND:
        yield from definition_rules.find_errors(manifest.object)
        return
    spec = object_at(manifest.object, "spec")
    problem = object_name_problem(manifest.name)
    if problem is not None:
        yield ("metadata", "name"), problem.got, problem.remedy
    if manifest.namespace:
        yield ("metadata", "namespace"), "is set, and policies have none", "remove it"
    if manifest.kind in _BINDINGS:
        # v1alpha1 has a default for the action.
        default = "Deny" if manifest.api_version.endswith("alpha1") else ""
        yield from _check_binding(spec, default)
        yield from _check_rules(spec, "matchResources")
        return
    yield from _check_conditions(spec)
    yield from _check_rules(spec, "matchConstraints")
    for index, each in enumerate(objects_at(spec, "validations")):
        path, message = ("spec", "validations", index, "message"), string_at(each, "message")
        if set("\r\n") & set(message.strip()):
            yield path, "has a line break", "write it in one line, or use messageExpression"
        elif message and not message.strip():
            yield path, "has only spaces", "write a message, or remove it"


def _check_metadata(metadata: Object) -> Iterator[_Found]:
    """Values of other types, such as a label that is a number: kube-apiserver converts none."""
    try:
        kube.decode(kube.OBJECT_META, metadata)
    except kube.DecodeError as error:
        for each in error.errors:
            remedy = "put it in quotes" if each.expected == "string" else "correct it"
            yield ("metadata", *each.pointer), each.problem, remedy


def _check_binding(spec: Object, default: str) -> Iterator[_Found]:
    ref = spec.get("paramRef")
    if isinstance(ref, dict) and not ref.get("parameterNotFoundAction", default):
        path = ("spec", "paramRef", "parameterNotFoundAction")
        yield path, "is missing", "use Deny or Allow"
    for index, name in _find_repeated(list_at(spec, "validationActions")):
        yield ("spec", "validationActions", index), f"has {name} twice", "remove one of the two"


def _check_conditions(spec: Object) -> Iterator[_Found]:
    conditions = objects_at(spec, "matchConditions")
    if len(conditions) > _MAX_CONDITIONS:
        yield (
            ("spec", "matchConditions"),
            f"has {len(conditions)} conditions",
            f"use at most {_MAX_CONDITIONS}: join some with &&",
        )
    names = [string_at(each, "name") for each in conditions]
    for index, name in _find_repeated(names):
        yield (
            ("spec", "matchConditions", index, "name"),
            f'got "{name}", which another condition has',
            "give each condition another name",
        )
    for index, name in enumerate(names):
        problem = label_key_problem(name)
        if name and problem is not None:
            yield ("spec", "matchConditions", index, "name"), problem.got, problem.remedy


def _find_repeated(values: Sequence[JSON]) -> Iterator[tuple[int, JSON]]:
    """The values that are in the list before, with their index."""
    for index, value in enumerate(values):
        if value and value in values[:index]:
            yield index, value


def _is_mixed(values: Sequence[str]) -> bool:
    return "*" in values and len(values) > 1


def _is_mixed_resources(values: Sequence[str]) -> bool:
    """Whether kube-apiserver refuses the resources: it compares each with those before it."""
    plain = [each for each in values if "/" not in each]
    return (
        ("*/*" in values and len(values) > 1)
        or ("*" in plain and plain[-1] != "*")
        or any(_has_wildcard(each, values[:index]) for index, each in enumerate(values))
    )


def _has_wildcard(value: str, others: Sequence[str]) -> bool:
    """Whether a wildcard includes a subresource."""
    resource, _, subresource = value.partition("/")
    return bool(subresource) and not {f"{resource}/*", f"*/{subresource}"}.isdisjoint(others)


# The lists of a rule in which a wildcard stands alone.
_WILDCARDS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    **dict.fromkeys(("apiGroups", "apiVersions", "operations"), _is_mixed),
    "resources": _is_mixed_resources,
}


def _check_rules(spec: Object, key: str) -> Iterator[_Found]:
    for listed in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(objects_at(spec, key, listed)):
            for name, is_mixed in _WILDCARDS.items():
                if is_mixed([*map(str, list_at(rule, name))]):
                    yield (
                        ("spec", key, listed, index, name),
                        "has a wildcard, and values that it includes",
                        "remove the wildcard, or the values",
                    )
