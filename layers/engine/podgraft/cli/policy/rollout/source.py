"""Where the candidate of a new rollout comes from: local files, or the policy of another stack."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias

import click
from msgspec import Struct

from podgraft.cli import documents
from podgraft.cli.config_source import ConfigFolder, optional_folder_argument
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import connect
from podgraft.cli.policy.document_text import load_mapping, strip_signature
from podgraft.cli.policy.local import check_bundle
from podgraft.cli.policy.storage import PolicyStorage
from podgraft.cli.policy.target import TargetOptions
from podgraft.cli.shared_options import gather_options
from podgraft.kube import yaml

from . import text
from .candidate import parse_valid


class LoadedCandidate(Struct, frozen=True, kw_only=True):
    """The bundle of a candidate, and the text of its policy; None if only the bundle differs.

    The clusters of another stack are others, so ``has_clusters`` is False for its policy.
    """

    name: str
    digest: str
    files: Mapping[str, bytes]
    document: str | None
    warnings: Iterable[object] = ()
    has_clusters: bool = True

    def find_document(self, current: str) -> str | None:
        """Return the policy of the candidate, with the clusters of the current one if needed."""
        if self.document is None or self.has_clusters:
            return self.document
        fields = load_mapping(self.document)
        fields.pop("clusters", None)
        clusters = load_mapping(current).get("clusters")
        return yaml.dump(fields if clusters is None else {**fields, "clusters": clusters})


# Reads and checks a candidate; raises ``CommandError``.
CandidateSource: TypeAlias = Callable[[PolicyStorage], LoadedCandidate]


def _load_files(folder: ConfigFolder, _storage: PolicyStorage) -> LoadedCandidate:
    checked = check_bundle(folder)
    return LoadedCandidate(
        name=str(folder.policy),
        digest=checked.digest,
        files=checked.files,
        document=None if folder.policy is None else documents.read_text(folder.policy),
        warnings=checked.warnings,
    )


def _load_from_stack(stack: str, storage: PolicyStorage) -> LoadedCandidate:
    cloud = connect(TargetOptions(injector=storage.injector, stack_name=stack))
    live = cloud.current_version()
    document = strip_signature(live.document)
    name = f"version {live.number} of {cloud.target.parameter}"
    active = text.read_rollout(document)
    if active is not None:
        raise CommandError(
            f"{name}: rollout {active.get('id')} is active; promote or abort it first"
        )
    digest = parse_valid(document).bundle
    if digest is None:
        raise CommandError(f"{name}: /bundle: is missing; push a bundle to stack {stack} first")
    cloud.check_denied([digest])
    return LoadedCandidate(
        name=name,
        digest=digest,
        files=cloud.read_bundle(digest),
        document=document,
        has_clusters=False,
    )


def _make_source(from_stack: str | None, folder: ConfigFolder | None) -> CandidateSource:
    if folder is not None and from_stack is not None:
        raise click.UsageError("--from-stack replaces FOLDER; use one of them")
    if folder is not None:
        return partial(_load_files, folder)
    if from_stack is not None:
        return partial(_load_from_stack, from_stack)
    raise click.UsageError("Missing argument 'FOLDER'.")


source_options = gather_options(
    _make_source,
    click.option(
        "--from-stack",
        metavar="NAME",
        help="Stack with the candidate as the policy in force of the same injector.",
    ),
    optional_folder_argument,
    name="origin",
)
