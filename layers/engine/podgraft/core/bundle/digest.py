r"""The identity of a bundle: its files, and their digest.

The digest is the sha256 of the text that ``sha256sum`` prints for the files, sorted by path (the
form of Go's ``dirhash`` h1), so operators can compute it with standard tools::

    find . -name '*.yaml' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum | sha256sum
"""

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from .errors import BundleError, Diagnostic

# The extensions that ``kubectl apply -f <folder>`` reads.
_EXTENSIONS = frozenset({".yaml", ".yml", ".json"})


def is_manifest(path: str) -> bool:
    """Whether a file of the folder belongs to the bundle; ``path`` is relative, with ``/``.

    Hidden files and folders do not, so ``..data`` of a mounted ConfigMap is not read twice.
    """
    parts = PurePosixPath(path)
    return parts.suffix in _EXTENSIONS and not any(name.startswith(".") for name in parts.parts)


def validate_path(path: str) -> str | None:
    """Return the problem of a file's relative path in a bundle, or None for a valid path.

    A valid path stays below every folder that it is joined to. Paths from S3 are object keys, which
    can contain anything.
    """
    if path.startswith("/"):
        return "must be a relative path"
    if any(character < " " or character in "\\\x7f" for character in path):
        return "must not contain a backslash or a control character"
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        return 'must not contain an empty part, ".", or ".."'
    return None


def digest(files: Mapping[str, bytes]) -> str:
    """Return ``sha256:`` and 64 digits, computed from relative paths and contents only.

    A line contains a fixed number of digits, two spaces, and a path. No valid path contains a line
    feed, so different bundles have different texts. Raises ``BundleError`` for invalid paths.
    """
    problems = {path: validate_path(path) for path in files}
    errors = [
        Diagnostic(problem, "rename or delete the file", document=repr(path))
        for path, problem in problems.items()
        if problem
    ]
    if errors:
        raise BundleError(errors)
    return compute_digest(files)


def compute_digest(files: Mapping[str, bytes]) -> str:
    """Compute the digest of files; the caller has validated the paths, or they are local files."""
    lines = "".join(
        f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n"
        for path in sorted(files, key=str.encode)
    )
    return f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"
