"""Apply configurations that fail for every object that their policy matches.

kube-apiserver reports a field that merges as one value (``args``), and a field that the kind does
not have, for the first object that matches. ``find_errors`` reports it for the document.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from podgraft.kube.cel.errors import locate_problem
from podgraft.kube.cel.syntax import StructOf, walk
from podgraft.kube.matching.constraints import MatchConstraints, guess_plural
from podgraft.kube.mutation import MutatingPolicy, PatchType
from podgraft.kube.structured import Schema

from .errors import Diagnostic
from .manifests import Manifest

_ROOT = "Object"
_ANY = "*"


def find_errors(manifest: Manifest, policy: MutatingPolicy, schema: Schema) -> Iterator[Diagnostic]:
    """Yield an error for each field that fails in all kinds that the policy names."""
    kinds = _find_kinds(policy.constraints, schema)
    if not kinds:
        return
    for number, mutation in enumerate(policy.mutations):
        if mutation.patch_type is not PatchType.APPLY_CONFIGURATION:
            continue
        pointer = f"/spec/mutations/{number}/{mutation.patch_type.key}/expression"
        for node in walk(mutation.program.root):
            if not isinstance(node, StructOf) or node.type_name.split(".")[0] != _ROOT:
                continue
            for field in node.fields:
                path = (*node.type_name.split(".")[1:], field.name)
                problems = {_find_problem(schema, ref, path) for ref in kinds}
                if "" in problems:
                    continue
                location = locate_problem(mutation.program.text, field.at, min(problems))
                yield manifest.make_diagnostic(
                    pointer,
                    f"line {location.line}, column {location.column}: {location.message}",
                    "use patchType JSONPatch, or correct the field",
                )


def _find_kinds(constraints: MatchConstraints, schema: Schema) -> Sequence[str]:
    """The types of the kinds that the rules name; empty if a rule can match other kinds."""
    refs: list[str] = []
    for rule in constraints.rules:
        for group, version, (resource, _) in product(rule.groups, rule.versions, rule.resources):
            api_version = "/".join(part for part in (group, version) if part)
            found = [
                ref
                for kind, ref in schema.find_kinds(api_version).items()
                if guess_plural(kind.lower()) == resource
            ]
            if _ANY in {group, version, resource} or not found:
                return ()
            refs += found
    return refs


def _find_problem(schema: Schema, ref: str, path: tuple[str, ...]) -> str:
    """The problem of a field of a kind, or an empty text."""
    name = "." + ".".join(path)
    for step in path:
        atom = schema.resolve(ref)
        if atom.list is not None and not atom.scalar:
            ref = atom.list.element
            atom = schema.resolve(ref)
        if atom.map is None:
            return f"{name} is not declared in the schema"
        field = atom.map.fields.get(step)
        if field is None and atom.map.element is None:
            return f"{name} is not declared in the schema"
        ref = atom.map.element or "" if field is None else field.type
    atom = schema.resolve(ref)
    is_atomic = not atom.scalar and (
        (atom.list is not None and atom.list.keys is None)
        or (atom.map is not None and atom.map.is_atomic)
    )
    return f"may not mutate atomic arrays, maps or structs: {name}" if is_atomic else ""
