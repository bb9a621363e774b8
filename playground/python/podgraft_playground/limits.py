"""The limits of a request: its size, its objects, and the names of its files."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from podgraft.core import bundle

from .unsupported import UnsupportedError

MAX_BYTES = 3 * 1024 * 1024  # as for an admission review
MAX_FILES = 200
MAX_OBJECTS = 20  # one takes a third of a second in a browser, and each edit explains all again
_BYTE_ORDER_MARK = "\ufeff"


class InputError(Exception):
    """A request that the page does not evaluate; each argument is a message."""


def check_texts(texts: Mapping[str, str]) -> None:
    """Raise ``InputError`` if the texts are too large together."""
    size = sum(len(text.encode(errors="surrogatepass")) for text in texts.values())
    if size > MAX_BYTES:
        raise InputError(
            f"input: has {size} bytes, more than {MAX_BYTES}; leave out files or documents"
        )
    for name, text in texts.items():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{name}: character {error.start + 1} is half of a surrogate pair; remove it"
            ) from error


def check_objects(count: int) -> None:
    """Raise ``InputError`` if the page would explain too many objects."""
    if count > MAX_OBJECTS:
        raise InputError(
            f"input: has {count} objects, more than {MAX_OBJECTS}; leave some out, "
            "or use podgraft explain on your machine"
        )


def check_yaml(texts: Mapping[str, str]) -> None:
    """Raise ``UnsupportedError`` for a text that PyYAML's parser reads differently than libyaml.

    libyaml skips a byte order mark at the start of a line; PyYAML makes it a part of the key.
    """
    for name, text in texts.items():
        index = text.find(_BYTE_ORDER_MARK, 1)
        if index > 0:
            line = text.count("\n", 0, index) + 1
            raise UnsupportedError("byte order mark", f"{name}, line {line}")


def check_files(files: Mapping[str, str]) -> None:
    """Raise ``InputError`` for file names that a bundle cannot have."""
    if len(files) > MAX_FILES:
        raise InputError(f"bundle: has {len(files)} files, more than {MAX_FILES}; leave some out")
    for name in files:
        path = PurePosixPath(name)
        problem = bundle.validate_path(name)
        if problem or path.is_absolute() or ".." in path.parts or path.as_posix() != name:
            raise InputError(f"{name!r}: {problem or 'is not a relative path'}; rename the file")
        if not bundle.is_manifest(name):
            raise InputError(f"{name}: expected *.yaml, *.yml, or *.json; rename the file")
    for name in files:
        if any(other.startswith(f"{name}/") for other in files):
            raise InputError(f"{name}: is a file and a folder; rename the file")
