"""``podgraft policy edit``: change the version in force in an editor."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from podgraft.cli import command_help, folders, outputs, terminal
from podgraft.cli.config_source import open_folder
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.regions import refuse_regions
from podgraft.core import bundle as bundles
from podgraft.core import policy

from . import push
from .cloud import DeployedInjector, connect
from .confirmation import confirm_change
from .diff import NO_POLICY, SampleOptions, sample_options
from .document_text import signed_version, strip_signature
from .folder_injector import FolderInjector
from .in_force import find_in_force
from .local import CheckedBundle, check_bundle
from .options import message_option, yes_option
from .push import Change
from .signing import Signer, check_signer, sign_options
from .stored_version import StoredInjector, load_current, open_injector, read_local_document
from .target import TargetOptions, target_or_store_options
from .versions import PolicyVersion, bundle_digest

_MAX_FILES = 20  # to open in an editor at once


@dataclass(frozen=True, slots=True)
class Workspace:
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


@command_help.command("edit")
@click.argument("files", nargs=-1)
@sample_options
@message_option
@yes_option("Do not ask before the change.")
@sign_options
@target_or_store_options
def edit_policy(
    options: TargetOptions,
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
    if options.folder is not None:
        if signer or message:
            raise click.UsageError(
                "--config: a folder has no messages, and podgraft policy sign signs its policy; "
                "leave out --message, --sign, and --sign-key"
            )
        folder = FolderInjector(options.folder, options.injector)
        folder.check_exists()
        _edit_folder(options, folder, _Edit(files, samples, yes=yes))
        return
    refuse_regions("podgraft policy edit")
    cloud = connect(options, writes=True)
    live = cloud.current_version()
    check_signer(signer, live.stored, live.label)
    _edit_deployed(cloud, live, _Edit(files, samples, yes=yes), signer, message or "edit")


@dataclass(frozen=True, slots=True)
class _Edit:
    files: tuple[str, ...]
    samples: SampleOptions
    yes: bool


def _edit_deployed(
    cloud: DeployedInjector,
    live: PolicyVersion,
    edit: _Edit,
    signer: Signer | None,
    message: str,
) -> None:
    document = strip_signature(live.document)
    files = _collect_files(document, cloud.read_bundle(_find_digest(cloud, document)))
    workspace = Workspace(
        _make_folder(files),
        f"podgraft push FOLDER --expect-version {live.number} {cloud.target.options}",
    )
    if not _run_editor(workspace, files, edit.files):
        return
    checked = check_workspace(workspace)
    change = Change(document=checked.document, checked=checked, signer=signer, message=message)
    try:
        push.check_change(cloud, change, live)
        stored = StoredInjector(load_current(cloud), cloud)
        confirm_change(stored, checked, checked.document, edit.samples, yes=edit.yes)
        push.upload(cloud, change)
        number = push.switch(cloud, change, live)
    except CommandError as error:
        raise workspace.error(*error.args) from error
    _remove_folder(workspace.folder)
    terminal.secho(f"policy   version {number} of {cloud.target.parameter} is in force", fg="green")
    click.echo(f"to undo the change:\n  {push.rollback_command(cloud.target, live.number)}")


def _edit_folder(options: TargetOptions, folder: FolderInjector, edit: _Edit) -> None:
    """Edit the files of a store, and replace those that changed."""
    document = folder.read_document()
    digest = _parse_digest(document)
    files = _collect_files(strip_signature(document), folder.read_bundle(digest))
    workspace = Workspace(_make_folder(files), f"podgraft diff FOLDER {folder.options}")
    if not _run_editor(workspace, files, edit.files):
        return
    checked = check_workspace(workspace)
    try:
        stored = _open_folder(options, folder)
        text = read_local_document(checked, open_folder(workspace.folder), stored.current)
        confirm_change(stored, checked, text, edit.samples, yes=edit.yes)
        _check_unchanged(folder, document, digest, files)
        if digest is None:
            _replace_files(folder.path, files, _collect_files(text, checked.files))
        else:
            new = folder.folder_of(checked.digest)
            if not new.exists():
                folders.write_folder(new, checked.files)
            outputs.replace_file(folder.policy, text.encode())
    except CommandError as error:
        raise workspace.error(*error.args) from error
    _remove_folder(workspace.folder)
    terminal.secho(f"{folder.path} is changed; running servers load it now", fg="green")
    if signed_version(document) is not None:
        print_warnings(["the policy is not signed any more; sign it with podgraft policy sign"])


def _open_folder(options: TargetOptions, folder: FolderInjector) -> StoredInjector:
    """Load the version in force; an edit can also correct one that does not load."""
    try:
        return open_injector(options)
    except CommandError as error:
        print_warnings([*error.args, "the version in force does not load; everything is new"])
        digest = _parse_digest(folder.read_document())
        document = "" if digest is None else None
        return StoredInjector(replace(NO_POLICY, document=document), folder)


def _find_digest(cloud: DeployedInjector, document: str) -> str:
    """Return the bundle to edit; for an invalid policy without one, that of the one in force."""
    digest = _parse_digest(document)
    if digest is None:
        version = find_in_force(cloud, cloud.existing_versions()).version
        if version is None:
            raise CommandError(
                f"parameter {cloud.target.parameter}: no version loads; push a policy"
            )
        digest = bundle_digest(version)
    return digest


def _parse_digest(document: str) -> str | None:
    try:
        return policy.parse(document).bundle
    except policy.PolicyError as error:
        return None if error.valid_part is None else error.valid_part.bundle


def _check_unchanged(
    folder: FolderInjector, document: str, digest: str | None, files: Mapping[str, bytes]
) -> None:
    """Raise ``CommandError`` if the store has other files than before the edit."""
    bundle = folder.read_bundle(digest)
    current = _collect_files(strip_signature(folder.read_document()), bundle)
    if folder.read_document() != document or current != files:
        raise CommandError(f"{folder.path}: was changed while you edited it; compare the files")


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
    found = (path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in found}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if name == "policy.yaml"
        or (name.startswith("bundle/") and bundles.is_manifest(name.removeprefix("bundle/")))
    }


def check_workspace(workspace: Workspace) -> CheckedBundle:
    """Check the edited files; raises ``CommandError`` with their folder."""
    try:
        checked = check_bundle(open_folder(workspace.folder))
    except CommandError as error:
        print_warnings(error.warnings)
        raise workspace.error(*error.args) from error
    print_warnings(checked.warnings)
    return checked


def _replace_files(folder: Path, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    for path in sorted(before.keys() | after.keys()):
        target = folder / path
        if path not in after:
            target.unlink()
        elif before.get(path) != after[path]:
            target.parent.mkdir(parents=True, exist_ok=True)
            outputs.replace_file(target, after[path])
