"""The manifests of a bundle folder."""

from pathlib import Path

from podgraft import bundle

from .failure import CommandError


def files_of(folder: Path) -> dict[str, bytes]:
    """The folder's manifests by relative path; ``CommandError`` for a folder without any."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
    files = {
        name: path.read_bytes()
        for name, path in paths.items()
        if bundle.is_manifest(name) and path.is_file()
    }
    if not files:
        raise CommandError(f"{folder}: holds no manifests (*.yaml, *.yml, *.json)")
    return files
