"""The options of commands that review objects: files, the request, and its user."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from podgraft import bundle
from podgraft.admission import Operation
from podgraft.cli import documents
from podgraft.cli.explain.pod_source import ExplainedPod, to_explained_pod
from podgraft.cli.failure import CommandError
from podgraft.cli.request_fields import RequestFields
from podgraft.jsonvalue import JSON, Object

R = TypeVar("R")

_PATH = click.Path(exists=True, allow_dash=True, path_type=Path)
_OPERATIONS = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)

_OPTIONS = (
    click.option(
        "-f",
        "--filename",
        "filenames",
        type=_PATH,
        required=True,
        multiple=True,
        help="YAML or JSON file, or a folder of them; - reads standard input.",
    ),
    click.option("-R", "--recursive", is_flag=True, help="Include the subfolders of folders."),
    click.option("--namespace", help="Namespace of objects without one; default: default."),
    click.option(
        "--operation",
        type=click.Choice([str(each) for each in _OPERATIONS]),
        default=str(Operation.CREATE),
        show_default=True,
        help="Operation of the requests.",
    ),
    click.option(
        "--old",
        "old_files",
        type=_PATH,
        multiple=True,
        help="File or folder with the objects before an UPDATE.",
    ),
    click.option("--as", "user", metavar="NAME", help="User of the requests."),
    click.option("--as-group", "groups", multiple=True, help="Group of the user."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectOptions:
    """The objects to review, and the requests for them."""

    filenames: tuple[Path, ...]
    recursive: bool
    namespace: str | None
    operation: str
    old_files: tuple[Path, ...]
    user: str | None
    groups: tuple[str, ...]


def object_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options, which the command receives as one parameter *objects*."""
    names = [each.name for each in fields(ObjectOptions)]

    @wraps(function)
    def call_with_objects(**values: Any) -> R:
        own = {name: values.pop(name) for name in names}
        return function(objects=ObjectOptions(**own), **values)

    command: Callable[..., R] = call_with_objects
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def find_files(paths: Sequence[Path], *, recursive: bool) -> list[Path]:
    """The files themselves, and the manifests in folders; raises ``CommandError`` for none."""
    files: dict[Path, None] = {}
    for path in paths:
        if str(path) == "-" or not path.is_dir():
            files[path] = None
            continue
        pattern = "**/*" if recursive else "*"
        found = [each for each in sorted(path.glob(pattern)) if _is_manifest(each)]
        if not found:
            hint = "" if recursive else ", or use -R for its subfolders"
            raise CommandError(
                f"{path}: contains no .yaml, .yml, or .json file; name another{hint}"
            )
        files.update(dict.fromkeys(found))
    return list(files)


def _is_manifest(path: Path) -> bool:
    return path.is_file() and bundle.is_manifest(path.name)


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """A file, its text, and the requests for its objects."""

    path: Path
    text: str
    subjects: tuple[ExplainedPod, ...]


def read_object_files(options: ObjectOptions) -> list[ObjectFile]:
    """Read the objects of all files; raises ``CommandError`` for a document without a kind."""
    if [*options.filenames, *options.old_files].count(Path("-")) > 1:
        raise click.UsageError("standard input can be read once; use - once")
    old_objects = _read_old_objects(options)
    user = _make_user(options)

    def make_subject(value: Object) -> ExplainedPod:
        subject = to_explained_pod(value, options.namespace or "default")
        request = RequestFields(operation=Operation(options.operation), user=user)
        if request.operation is Operation.UPDATE:
            request = replace(request, old_object=_find_old_object(subject, old_objects))
        return replace(subject, fields=request)

    files = [
        ObjectFile(path, text, tuple(map(make_subject, _parse_objects(text, path))))
        for path in find_files(options.filenames, recursive=options.recursive)
        for text in (documents.read_text(path),)
    ]
    if not any(each.subjects for each in files):
        names = ", ".join(map(str, options.filenames))
        raise CommandError(f"{names}: contains no object; name a file with one")
    return files


def _parse_objects(text: str, path: Path) -> Iterator[Object]:
    for value in documents.parse_objects(text, path):
        if not isinstance(value.get("kind"), str) or not isinstance(value.get("apiVersion"), str):
            raise CommandError(
                f"{path}: expected a Kubernetes object, got one without apiVersion or kind; "
                "add them, or name other files"
            )
        yield value


def _make_user(options: ObjectOptions) -> Object:
    if options.groups and options.user is None:
        raise click.UsageError("Missing option '--as': --as-group needs a user.")
    if options.user is None:
        return {}
    groups: list[JSON] = list(options.groups)
    return {"username": options.user, "groups": groups}


def _read_old_objects(options: ObjectOptions) -> dict[tuple[str, str], Object]:
    if options.operation != Operation.UPDATE:
        if options.old_files:
            raise click.UsageError("--old has an effect with --operation UPDATE only")
        return {}
    if not options.old_files:
        raise click.UsageError("Missing option '--old': an UPDATE has an object before it.")
    old_objects: dict[tuple[str, str], Object] = {}
    for path in find_files(options.old_files, recursive=options.recursive):
        for value in _parse_objects(documents.read_text(path), path):
            subject = to_explained_pod(value, options.namespace or "default")
            old_objects[_key(subject)] = subject.object
    return old_objects


def _find_old_object(subject: ExplainedPod, old_objects: dict[tuple[str, str], Object]) -> Object:
    try:
        return old_objects[_key(subject)]
    except KeyError as error:
        raise CommandError(
            f"{subject.name}: --old has no such object; add the object before the update"
        ) from error


def _key(subject: ExplainedPod) -> tuple[str, str]:
    return documents.object_name(subject.object), subject.namespace
