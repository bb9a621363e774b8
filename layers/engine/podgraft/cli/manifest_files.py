"""The option ``-f`` of all commands, with the rule of kubectl: files, folders, standard input.

``-f`` can be repeated. A folder contributes its ``.yaml``, ``.yml``, and ``.json`` files by name,
with ``-R`` also those of its subfolders. ``-`` is standard input, once. A file that two options
select is read once. kubectl's own extensions (URLs, and commas between files) are errors with a
remedy. Source of the rule: k8s.io/cli-runtime/pkg/resource/builder.go, FilenameParam.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from podgraft.base.jsonvalue import Object
from podgraft.core import bundle

from . import documents, folders
from .failure import CommandError
from .shared_options import Decorator, NonEmptyPath, gather_options

_SEPARATOR = "---\n"
_STDIN = Path("-")


class ManifestPath(NonEmptyPath):
    """The type of an option that accepts a file, a folder, or ``-``."""

    name = "path"

    def __init__(self) -> None:
        super().__init__(exists=True, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; fails with a remedy for what kubectl accepts in addition."""
        text = str(value)
        option = min(param.opts, key=len) if param is not None else "-f"
        if text.startswith(("http://", "https://")):
            self.fail(f"{text}: is a URL; download it, or pipe it to {option} -", param, ctx)
        if "," in text and not Path(text).exists():
            self.fail(f"{text}: not found; use {option} once for each file", param, ctx)
        return super().convert(value, param, ctx)


class FileSelection(Struct, frozen=True):
    """The values of ``-f`` and ``-R``."""

    paths: tuple[Path, ...] = ()
    is_recursive: bool = False

    def __str__(self) -> str:
        return ", ".join(map(str, self.paths))

    def find_files(self) -> list[Path]:
        """Return the files; raises ``CommandError`` for a folder without any."""
        if self.paths.count(_STDIN) > 1:
            raise click.UsageError("standard input can be read once; use - once")
        files = (file for path in self.paths for file in _expand(path, self.is_recursive))
        return list(dict.fromkeys(files))

    def read(self) -> list["ManifestFile"]:
        """Read all files; raises ``CommandError``."""
        return [ManifestFile(path, documents.read_text(path)) for path in self.find_files()]

    def read_objects(self) -> list[tuple[Path, Object]]:
        """Return each object with its file; raises ``CommandError`` if there is none."""
        found = [(file.path, value) for file in self.read() for value in file.parse_objects()]
        if not found:
            raise CommandError(f"{self}: contains no object; name a file with one")
        return found


class ManifestFile(Struct, frozen=True):
    """A file and its text."""

    path: Path
    text: str

    def parse_objects(self) -> Iterator[Object]:
        """Yield each object, Lists opened; raises ``CommandError`` for one without a kind."""
        for value in documents.parse_objects(self.text, self.path):
            if not all(isinstance(value.get(key), str) for key in ("kind", "apiVersion")):
                raise CommandError(
                    f"{self.path}: expected a Kubernetes object, got one without apiVersion or "
                    "kind; add them, or name other files"
                )
            yield value


def _expand(path: Path, is_recursive: bool) -> Iterator[Path]:
    if path == _STDIN or not path.is_dir():
        yield path
        return
    found = folders.list_files(path, is_recursive=is_recursive)
    files = [each for each in found if bundle.is_manifest(each.name)]
    if not files:
        hint = "" if is_recursive else ", or use -R for its subfolders"
        raise CommandError(f"{path}: contains no .yaml, .yml, or .json file; name another{hint}")
    yield from files


def make_file_options(
    *,
    is_required: bool = True,
    help_text: str = "YAML or JSON file, or a folder of them, can be repeated; "
    "- reads standard input.",
) -> Decorator:
    """Return a decorator that adds ``-f`` and ``-R``; the command receives *manifests*."""
    return gather_options(
        FileSelection,
        click.option(
            "-f",
            "--filename",
            "paths",
            type=ManifestPath(),
            required=is_required,
            multiple=True,
            help=help_text,
        ),
        click.option(
            "-R",
            "--recursive",
            "is_recursive",
            is_flag=True,
            help="Include the subfolders of folders.",
        ),
        name="manifests",
    )


def join_streams(texts: Iterable[str]) -> str:
    """Return one YAML stream of several; a single one remains byte for byte."""
    first, *others = texts
    joined = first
    for text in others:
        if not joined.endswith("\n"):
            joined += "\n"
        if joined.strip() and not joined.endswith(f"\n{_SEPARATOR}"):
            joined += _SEPARATOR
        joined += text
    return joined
