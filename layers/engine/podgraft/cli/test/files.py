"""The files of tests: which files a path selects, and what they contain."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from podgraft.cli import documents
from podgraft.cli.config_source import ConfigFolder, open_folder
from podgraft.cli.failure import CommandError, raise_findings
from podgraft.core.bundle import Diagnostic
from podgraft.kube import yaml
from podgraft.kube.document_reader import Cursor, Diagnostics

from .document import KIND, PolicyTestFile, parse_document

# A test file has this name, or this name after a dot, as in web.podgraft-test.yaml.
NAME = "podgraft-test"
_SUFFIXES = (".yaml", ".yml", ".json")
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


def find_test_files(paths: Sequence[Path]) -> list[Path]:
    """The test files of folders, with all subfolders, and the files that are named themselves.

    Raises ``CommandError`` if a folder contains none.
    """
    found: dict[Path, None] = {}
    for path in paths:
        files = sorted(_walk(path)) if path.is_dir() else [path]
        if not files:
            raise CommandError(f"{path}: contains no test file; create {NAME}.yaml in it")
        found.update(dict.fromkeys(files))
    return list(found)


def is_test_file(path: Path) -> bool:
    """Whether a file is a test file by its name."""
    return path.suffix in _SUFFIXES and (path.stem == NAME or path.stem.endswith(f".{NAME}"))


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [
            name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith(".")
        ]
        yield from filter(is_test_file, (Path(parent, name) for name in names))


def _raise(error: OSError) -> None:
    raise CommandError(f"{error.filename}: {error.strerror}; change its permissions")


def read_test_file(path: Path) -> tuple[PolicyTestFile, ...]:
    """Parse the documents of a file; raises ``CommandError`` with all errors."""
    with documents.convert_yaml_errors(path):
        values = yaml.load_all(documents.read_text(path))
    errors: list[Diagnostic] = []
    parsed: list[PolicyTestFile] = []
    for number, value in enumerate(values, 1):
        notes = Diagnostics()
        parsed.append(parse_document(Cursor(value, "", notes), path))
        location = str(path) if len(values) == 1 else f"{path}, document {number}"
        errors += [replace(error, document=location) for error in notes.errors]
    if not values:
        problem, remedy = "is empty", f"write a document of kind {KIND}"
        errors.append(Diagnostic(problem, remedy, document=str(path)))
    raise_findings(errors)
    return tuple(parsed)


def find_bundle(document: PolicyTestFile, given: ConfigFolder | None) -> ConfigFolder:
    """The bundle and the policy: those that are *given*, or those of the document.

    Without ``bundle``, it is the nearest folder ``bundle`` next to the file or above it. Without
    ``policy``, it is ``policy.yaml`` next to the bundle. Raises ``CommandError``.
    """
    folder, policy = document.path.parent, given and given.policy
    if given is not None:
        bundle = given.bundle
    elif document.bundle is None:
        bundle = _find_near(document.path)
    else:
        bundle = folder / document.bundle
        if not bundle.is_dir():
            raise CommandError(f"{document.path} /bundle: {bundle} is not a folder; correct it")
    if policy is None and document.policy is not None:
        policy = folder / document.policy
        if not policy.is_file():
            raise CommandError(f"{document.path} /policy: {policy} is not a file; correct it")
    return ConfigFolder(bundle, policy or open_folder(bundle.parent).policy)


def _find_near(path: Path) -> Path:
    folder = path.absolute().parent
    for parent in (folder, *folder.parents[:2]):
        if (parent / "bundle").is_dir():
            found = parent / "bundle"
            return found.relative_to(Path.cwd()) if found.is_relative_to(Path.cwd()) else found
    raise CommandError(
        f"{path}: no folder named bundle next to the file or above it; "
        "write bundle: with its path, or use --config FOLDER"
    )
