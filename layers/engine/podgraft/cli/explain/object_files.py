"""The objects of files, and the requests for them: their operation, old object, and user."""

from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.manifest_files import FileSelection, ManifestFile, ManifestPath, make_file_options
from podgraft.cli.request_fields import RequestFields
from podgraft.cli.shared_options import choice_option, gather_options
from podgraft.kube.admission import Operation

from .pod_source import ExplainedPod, to_explained_pod


class ObjectOptions(Struct, frozen=True, kw_only=True):
    """The objects to review, and the requests for them."""

    manifests: FileSelection
    operation: str
    old_files: tuple[Path, ...]
    user: str | None
    groups: tuple[str, ...]


# The command receives them as one parameter *objects*.
object_options = gather_options(
    ObjectOptions,
    choice_option(
        "--operation",
        choices=(Operation.CREATE, Operation.UPDATE, Operation.DELETE),
        text="Operation of the requests.",
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
    make_file_options(is_required=False),
    name="objects",
)


def read_object_files(
    options: ObjectOptions, namespace: str | None
) -> list[tuple[ManifestFile, tuple[ExplainedPod, ...]]]:
    """Read all files, and the requests for their objects; *namespace* is for those without one.

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
        (file, tuple(map(make_subject, file.parse_objects()))) for file in options.manifests.read()
    ]
    if not any(subjects for _, subjects in files):
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
