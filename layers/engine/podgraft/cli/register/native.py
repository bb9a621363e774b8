"""``--native``: the mutating policies that the cluster evaluates itself."""

from collections.abc import Iterator
from pathlib import Path

import click

from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.failure import CommandError
from podgraft.cli.manifest_files import FileSelection, ManifestPath
from podgraft.cli.register import policy_rules
from podgraft.cli.register.webhooks import Registration
from podgraft.core.bundle import Bundle
from podgraft.kube.mutation import MutatingPolicy

_KIND = "MutatingAdmissionPolicy"


native_option = click.option(
    "--native",
    type=ManifestPath(),
    multiple=True,
    help="File or folder of policies that the cluster has itself, from podgraft policy export "
    "or kubectl get: the webhook leaves out their rules.",
)


def find_policies(bundle: Bundle | None, native: tuple[Path, ...]) -> tuple[MutatingPolicy, ...]:
    """The mutating policies of a bundle in force, without those of the cluster.

    Raises ``CommandError`` without a bundle, and if none of the latter is in it.
    """
    policies = policy_rules.find_policies(bundle)
    if not native:
        return policies
    if bundle is None:
        raise CommandError(f"--native {native[0]}: leaves out rules of a bundle; add FOLDER")
    if not policies:
        raise CommandError(
            f"--native {native[0]}: the bundle has no {_KIND} with a binding, and overlays have no "
            "rules; leave out --native, and remove the exported overlays from the bundle"
        )
    names = _find_names([value for _, value in FileSelection(native).read_objects()])
    if names.isdisjoint(policy.name for policy in policies):
        raise CommandError(
            f"--native {native[0]}: has no {_KIND} of the bundle with a binding; export the bundle "
            "again, or leave out --native"
        )
    return tuple(policy for policy in policies if policy.name not in names)


def _find_names(documents: list[Object]) -> set[str]:
    """The names of the policies that a binding puts in force."""
    named = {
        kind: {
            string_at(each, "spec", "policyName")
            if kind != _KIND
            else string_at(each, "metadata", "name")
            for each in documents
            if each.get("kind") == kind
        }
        for kind in (_KIND, f"{_KIND}Binding")
    }
    return set[str].intersection(*named.values())


def describe_nothing(registration: Registration, *, is_native: bool) -> str:
    """Why there is nothing to register."""
    if is_native:
        return (
            "nothing to register: the cluster has all mutating policies of the bundle itself; "
            f"run kubectl delete mutatingwebhookconfiguration {registration.name}"
        )
    return "nothing to register: --no-inject, and neither --mutate nor --validate"


def list_next_steps(bundle: Bundle | None, left: tuple[MutatingPolicy, ...]) -> Iterator[str]:
    """What keeps the cluster's own policies from a second evaluation."""
    names = {policy.name for policy in policy_rules.find_policies(bundle)}
    moved = sorted(names - {policy.name for policy in left})
    if moved:
        yield (
            f"remove {', '.join(moved)} from the bundle of this cluster: requests for the other "
            "policies still evaluate it"
        )
