"""``podgraft policy edit``: change the version in force in an editor."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli import command_help, folders, terminal
from podgraft.cli.config_source import open_folder
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.regions import refuse_regions
from podgraft.core import bundle as bundles
from podgraft.core import policy

from .cloud import DeployedInjector
from .diff.objects import SampleOptions, sample_options
from .diff.versions import NO_POLICY
from .in_force import find_in_force
from .local import CheckedBundle, check_bundle
from .options import message_option, yes_option
from .signing import Signer, sign_options
from .storage import PolicyStorage, storage_options
from .stored_version import StoredInjector, load_injector, read_local_document
from .version_loading import check_new_version
from .versions import StoredPolicy, bundle_digest

_MAX_FILES = 20  # to open in an editor at once


class Workspace(Struct, frozen=True):
    """The temporary folder with the files to edit; ``next_step`` continues after an error."""

    folder: Path
    next_step: str

    def error(self, *findings: str) -> CommandError:
        """Return an error that says where the edits are."""
        return CommandError(
            *findings,
            f"the edits are not in force; they are in {self.folder}; to continue, correct them and "
            f"run: {self.next_step}",
        )

    @contextmanager
    def keep_edits(self) -> Generator[None]:
        """Say in an error where the edits are."""
        try:
            yield
        except CommandError as error:
            print_warnings(error.warnings)
            raise self.error(*error.args) from error


@command_help.command("edit")
@click.argument("files", nargs=-1)
@sample_options
@message_option
@yes_option("Do not ask before the change.")
@sign_options
@storage_options
def edit_policy(
    storage: PolicyStorage,
    files: tuple[str, ...],
    samples: SampleOptions,
    *,
    message: str,
    yes: bool,
    signer: Signer | None,
) -> None:
    """Edit the version in force, check it, show the diff, and put it in force.

    The editor is VISUAL or EDITOR. FILES are policy.yaml and paths in bundle/; by default, the
    editor opens all files. With an error, the edits remain in a temporary folder. If someone else
    changes the policy meanwhile, the command changes nothing.
    """
    if isinstance(storage, DeployedInjector):
        refuse_regions("podgraft policy edit")
    elif message:
        raise click.UsageError("--message: a folder has no messages; leave it out")
    stored = storage.read()
    storage.check_origin(signer, stored)
    digest = _find_digest(storage, stored.document)
    bundle = storage.read_bundle(digest)
    before = _collect_files(stored.document, bundle)
    folder = _make_folder(before)
    workspace = Workspace(folder, _describe_retry(storage, stored, folder))
    if not _run_editor(workspace, before, files):
        return
    with workspace.keep_edits():
        checked = check_bundle(open_folder(workspace.folder))
        print_warnings(checked.warnings)
        current = _load_current(storage, digest)
        text = read_local_document(checked, open_folder(workspace.folder), current.current)
        check_new_version(storage, text, "new", checked.digest, checked.files)
        current.confirm_change(checked, text, samples, yes=yes)
        if digest is None:
            _check_unchanged(storage, stored, bundle)
        label = _put_in_force(storage, stored, text, checked, signer, message)
    _remove_folder(workspace.folder)
    _report_change(storage, stored, label)


def _report_change(storage: PolicyStorage, stored: StoredPolicy, label: str) -> None:
    terminal.secho(f"policy   {label} is in force", fg="green")
    click.echo(f"effect   {storage.delay}")
    if stored.version is not None:
        command = f"podgraft rollback {stored.version.number} {storage.options}"
        click.echo(f"to undo the change:\n  {command}")


def _describe_retry(storage: PolicyStorage, stored: StoredPolicy, folder: Path) -> str:
    name = shlex.quote(str(folder))
    if stored.version is None:
        return f"podgraft diff {name} {storage.options}"
    return f"podgraft push {name} --expect-version {stored.version.number} {storage.options}"


def _find_digest(storage: PolicyStorage, document: str) -> str | None:
    """Return the digest of the bundle to edit; None for the only bundle of a folder.

    For an invalid policy of a stack without one, it is that of the version in force.
    """
    digest = _parse_digest(document)
    if digest is None and isinstance(storage, DeployedInjector):
        version = find_in_force(storage, storage.existing_versions()).version
        if version is None:
            raise CommandError(
                f"parameter {storage.target.parameter}: no version loads; push a policy"
            )
        digest = bundle_digest(version)
    return digest


def _parse_digest(document: str) -> str | None:
    try:
        return policy.parse(document).bundle
    except policy.PolicyError as error:
        return None if error.valid_part is None else error.valid_part.bundle


def _load_current(storage: PolicyStorage, digest: str | None) -> StoredInjector:
    """Load the version in force; an edit can also correct one that does not load."""
    try:
        return load_injector(storage)
    except CommandError as error:
        print_warnings([*error.args, "the version in force does not load; everything is new"])
        document = "" if digest is None else None
        return StoredInjector(replace(NO_POLICY, document=document), storage)


def _check_unchanged(
    storage: PolicyStorage, stored: StoredPolicy, bundle: Mapping[str, bytes]
) -> None:
    """Raise ``CommandError`` if a folder has other files than before the edit."""
    if storage.read().text != stored.text or storage.read_bundle(None) != bundle:
        raise CommandError("the folder was changed while you edited it; compare the files")


def _put_in_force(
    storage: PolicyStorage,
    stored: StoredPolicy,
    text: str,
    checked: CheckedBundle,
    signer: Signer | None,
    message: str,
) -> str:
    """Store the bundle, and then the policy; return the label of the version.

    A prune at the same time can delete an old bundle that was not referred to until now, so the
    bundle is completed afterwards.
    """
    digest = policy.parse(text).bundle
    label = stored.label
    storage.upload(digest, checked.files, click.echo)
    if text != stored.text:
        label = storage.write(text, stored, signer, message)
    storage.upload(digest, checked.files)
    return label


def _collect_files(document: str, bundle: Mapping[str, bytes]) -> dict[str, bytes]:
    files = {f"bundle/{path}": content for path, content in sorted(bundle.items())}
    return {"policy.yaml": document.encode(), **files} if document else files


def _make_folder(files: Mapping[str, bytes]) -> Path:
    """Write the files to a new folder that only the operator can read."""
    folder = Path(tempfile.mkdtemp(prefix="podgraft-edit-"))
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def _remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _run_editor(workspace: Workspace, files: Mapping[str, bytes], names: tuple[str, ...]) -> bool:
    """Open the editor; return whether the files changed. Without a change, remove the folder."""
    unknown = [name for name in names if name not in files]
    if unknown or (not names and len(files) > _MAX_FILES):
        _remove_folder(workspace.folder)
        problem = f"unknown file {unknown[0]}" if unknown else f"the bundle has {len(files)} files"
        raise CommandError(f"{problem}; name some of {', '.join(files)}")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    paths = [str(workspace.folder / name) for name in names or files]
    try:
        # The operator's own command
        status = subprocess.run([*shlex.split(editor), *paths], check=False).returncode  # noqa: S603
    except (OSError, ValueError) as error:
        _remove_folder(workspace.folder)
        raise CommandError(f"editor {editor}: {error}; set EDITOR to a command") from error
    if status:
        raise workspace.error(f"editor {editor}: exit status {status}")
    if _read_folder(workspace.folder) == dict(files):
        _remove_folder(workspace.folder)
        click.echo("no edits; nothing is changed")
        return False
    return True


def _read_folder(folder: Path) -> dict[str, bytes]:
    """Return the policy and the manifests; other files, such as those of editors, do not count."""
    found = folders.list_files(folder, is_recursive=True)
    names = {path.relative_to(folder).as_posix(): path for path in found}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if name == "policy.yaml"
        or (name.startswith("bundle/") and bundles.is_manifest(name.removeprefix("bundle/")))
    }
