"""The deny list of a stack or of a folder."""

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from podgraft.base.jsonvalue import Object
from podgraft.cli import stacks
from podgraft.cli.aws_options import aws_options
from podgraft.cli.config_source import (
    ConfigSource,
    ConfigSourceType,
    config_option,
    is_explicit,
    make_old_option,
    prevails,
)
from podgraft.cli.failure import CommandError
from podgraft.cli.shared_options import FOLDER, add_options
from podgraft.cli.storage import Documents, StoredDocument
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.core.signing import DenyList, DenyListError, parse_deny_list
from podgraft.kube import yaml
from podgraft.service.store.names import DENIED

from .target import DEFAULT_PARAMETER_PREFIX

R = TypeVar("R")

_HEADER = "# Bundles that must not load, with reasons; podgraft policy deny writes this list.\n"


def load_deny_list(storage: Documents) -> DenyList:
    """Read the stored list; raises ``CommandError`` for an invalid one."""
    return _parse_stored(storage, storage.read(DENIED))


def _parse_stored(storage: Documents, stored: StoredDocument) -> DenyList:
    try:
        return parse_deny_list(yaml.load_document(stored.text or ""))
    except (DenyListError, yaml.NotYAMLError) as error:
        raise CommandError(f"{storage.locate(DENIED)}: {error}") from error


def check_denied(storage: Documents, digests: Iterable[str], option: str) -> None:
    """Raise ``CommandError`` for denied bundles; *option* names the storage for the remedy."""
    reasons = load_deny_list(storage).reasons
    findings = [
        f"bundle {digest} is denied: {reasons[digest]}; use another bundle, or allow it again: "
        f"podgraft policy undeny {digest} {option}"
        for digest in dict.fromkeys(digests)
        if digest in reasons
    ]
    if findings:
        raise CommandError(*findings)


def change_deny_list(storage: Documents, digest: str, reason: str | None) -> None:
    """Deny a digest for a reason, or allow it again without one.

    Raises ``ChangedError`` if another command changed the list at the same time.
    """
    stored = storage.read(DENIED)
    reasons: Object = dict(_parse_stored(storage, stored).reasons)
    if reason is None and reasons.pop(digest, None) is None:
        raise CommandError(f"{storage.locate(DENIED)}: bundle {digest} is not denied")
    if reason is not None:
        reasons[digest] = reason
    try:
        parse_deny_list(reasons)
    except DenyListError as error:
        raise CommandError(f"{storage.locate(DENIED)}: {error}") from error
    storage.write(DENIED, _HEADER + yaml.dump(reasons), stored)


def storage_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a storage; *command* gets the storage as its first argument."""

    @wraps(command)
    def call_with_storage(
        *,
        source: ConfigSource | None,
        stack_name: str | None,
        parameter_prefix: str | None,
        folder: Path | None,
        **others: object,
    ) -> R:
        # An option on the command line replaces the others of the environment and project file.
        explicit = [name for name in _STORAGE_OPTIONS if is_explicit(name)]
        if len(explicit) > 1:
            raise click.UsageError("--config replaces the other options of a stack; use one option")
        if source is not None and prevails(*_STORAGE_OPTIONS[1:]):
            stack_name, folder, explicit = source.stack, source.folder, ["source"]
        by_stack = explicit in (["stack_name"], ["source"]) or not explicit
        storage = _open_storage(
            stack_name if by_stack else None,
            None if by_stack and stack_name else parameter_prefix,
            folder if explicit in (["folder"], ["source"]) else None,
        )
        return command(storage, **others)

    return add_options(
        config_option(ConfigSourceType(cluster=False), "Stack, or folder of podgraft serve."),
        make_old_option("stack-name"),
        make_old_option("parameter-prefix"),
        click.option("--store", "folder", type=FOLDER, hidden=True, help="As --config FOLDER."),
        aws_options,
    )(call_with_storage)


_STORAGE_OPTIONS = ("source", "stack_name", "parameter_prefix", "folder")


def _open_storage(
    stack_name: str | None, parameter_prefix: str | None, folder: Path | None
) -> Documents:
    if folder is not None:
        return FolderDocuments(folder)
    prefix = parameter_prefix or DEFAULT_PARAMETER_PREFIX
    if stack_name is not None:
        prefix = stacks.lookup_stack(stack_name).parameter_prefix
    client = stacks.make_client("ssm")
    if stacks.find_owner(client, prefix) is None:
        raise stacks.no_owner_error(prefix)
    return ParameterDocuments(client, prefix)
