"""Where the candidate of a new rollout comes from: local files, or the policy of another stack."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.document_text import load_mapping, strip_signature
from podgraft.cli.policy.local import check_bundle
from podgraft.cli.policy.options import local_options
from podgraft.cli.policy.target import TargetOptions
from podgraft.kube import yaml

from . import text
from .candidate import parse_valid
from .storage import RolloutStorage

R = TypeVar("R")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSource:
    """The options of the command line: local files, or the name of a stack."""

    bundle: Path | None = None
    document: Path | None = None
    stack: str | None = None

    def load(self, storage: RolloutStorage) -> LoadedCandidate:
        """Read and check the candidate; raises ``CommandError``."""
        if self.stack is not None:
            return _load_from_stack(self.stack, storage.injector)
        checked = check_bundle(self.bundle or Path(), self.document)
        return LoadedCandidate(
            name=str(self.document),
            digest=checked.digest,
            files=checked.files,
            document=None if self.document is None else documents.read_text(self.document),
            warnings=checked.warnings,
        )


def _load_from_stack(stack: str, injector: str) -> LoadedCandidate:
    options = TargetOptions(injector=injector, stack_name=stack)
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


def source_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a candidate; *function* gets the source as ``origin``."""

    @local_options
    @wraps(function)
    def call_with_files(
        *values: object, bundle: Path, document: Path | None, **others: object
    ) -> R:
        origin = CandidateSource(bundle=bundle, document=document)
        return function(*values, origin=origin, **others)

    @wraps(call_with_files)
    def call_with_source(*values: object, from_stack: str | None, **others: object) -> R:
        if from_stack is None:
            return call_with_files(*values, **others)
        names = ("folder", "bundle", "document")
        if any(others.pop(name) is not None for name in names):
            raise click.UsageError("--from-stack replaces FOLDER, --bundle, and --policy")
        return function(*values, origin=CandidateSource(stack=from_stack), **others)

    return click.option(
        "--from-stack",
        metavar="NAME",
        help="Stack with the candidate as the policy in force of the same injector.",
    )(call_with_source)
