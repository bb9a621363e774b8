"""The objects of files, and the requests for them: their operation, old object, and user."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.manifest_files import FileSelection, ManifestPath, make_file_options
from podgraft.cli.request_fields import RequestFields
from podgraft.kube.admission import Operation

from .pod_source import ExplainedPod, to_explained_pod

R = TypeVar("R")

_OPERATIONS = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)

_OPTIONS = (
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
        type=ManifestPath(),
        multiple=True,
        help="File or folder with the objects before an UPDATE.",
    ),
    click.option("--as", "user", metavar="NAME", help="User of the requests."),
    click.option("--as-group", "groups", multiple=True, help="Group of the user."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectOptions:
    """The objects to review, and the requests for them."""

    manifests: FileSelection
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

    command: Callable[..., R] = make_file_options(is_required=False)(call_with_objects)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """A file, its text, and the requests for its objects."""

    path: Path
    text: str
    subjects: tuple[ExplainedPod, ...]


def read_object_files(options: ObjectOptions, namespace: str | None) -> list[ObjectFile]:
    """Read the objects of all files; *namespace* is for those that name none.

    Raises ``CommandError`` for a document without a kind.
    """
    if [*options.manifests.paths, *options.old_files].count(Path("-")) > 1:
        raise click.UsageError("standard input can be read once; use - once")
    old_objects = _read_old_objects(options, namespace or "default")
    user = _make_user(options)

    def make_subject(value: Object) -> ExplainedPod:
        subject = to_explained_pod(value, namespace or "default")
        request = RequestFields(operation=Operation(options.operation), user=user)
        if request.operation is Operation.UPDATE:
            request = replace(request, old_object=_find_old_object(subject, old_objects))
        return replace(subject, fields=request)

    files = [
        ObjectFile(file.path, file.text, tuple(map(make_subject, file.parse_objects())))
        for file in options.manifests.read()
    ]
    if not any(each.subjects for each in files):
        raise CommandError(f"{options.manifests}: contains no object; name a file with one")
    return files


def _make_user(options: ObjectOptions) -> Object:
    if options.groups and options.user is None:
        raise click.UsageError("Missing option '--as': --as-group needs a user.")
    if options.user is None:
        return {}
    groups: list[JSON] = list(options.groups)
    return {"username": options.user, "groups": groups}


def _read_old_objects(options: ObjectOptions, namespace: str) -> dict[tuple[str, str], Object]:
    if options.operation != Operation.UPDATE:
        if options.old_files:
            raise click.UsageError("--old has an effect with --operation UPDATE only")
        return {}
    if not options.old_files:
        raise click.UsageError("Missing option '--old': an UPDATE has an object before it.")
    old_objects: dict[tuple[str, str], Object] = {}
    selection = FileSelection(options.old_files, options.manifests.is_recursive)
    for _, value in selection.read_objects():
        subject = to_explained_pod(value, namespace)
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
