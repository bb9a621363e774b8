"""Where the candidate of a new rollout comes from: local files, or the policy of another stack."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.document_text import load_mapping, strip_signature
from podgraft.cli.policy.local import check_bundle
from podgraft.cli.policy.options import file_options, require_bundle, resolve_files
from podgraft.cli.policy.target import TargetOptions
from podgraft.cli.shared_options import gather_options
from podgraft.kube import yaml

from . import text
from .candidate import parse_valid
from .storage import RolloutStorage


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedCandidate:
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
CandidateSource: TypeAlias = Callable[[RolloutStorage], LoadedCandidate]


def _load_files(bundle: Path, document: Path | None, _storage: RolloutStorage) -> LoadedCandidate:
    checked = check_bundle(bundle, document)
    return LoadedCandidate(
        name=str(document),
        digest=checked.digest,
        files=checked.files,
        document=None if document is None else documents.read_text(document),
        warnings=checked.warnings,
    )


def _load_from_stack(stack: str, storage: RolloutStorage) -> LoadedCandidate:
    options = TargetOptions(injector=storage.injector, stack_name=stack)
    cloud = DeployedInjector.connect(options.resolve())
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


def _make_source(
    from_stack: str | None, folder: Path | None, bundle: Path | None, document: Path | None
) -> CandidateSource:
    if from_stack is None:
        bundle, document = resolve_files(folder, bundle, document)
        return partial(_load_files, require_bundle(bundle), document)
    if folder or bundle or document:
        raise click.UsageError("--from-stack replaces FOLDER, --bundle, and --policy")
    return partial(_load_from_stack, from_stack)


source_options = gather_options(
    _make_source,
    click.option(
        "--from-stack",
        metavar="NAME",
        help="Stack with the candidate as the policy in force of the same injector.",
    ),
    file_options,
    name="origin",
)
