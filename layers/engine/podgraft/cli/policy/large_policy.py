"""The two forms of a policy in Parameter Store: complete, or with its overrides in a bundle."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from podgraft.base.diagnostics import Diagnostic
from podgraft.cli.failure import CommandError
from podgraft.cli.parameter_values import ADVANCED_BYTES, find_references
from podgraft.core import bundle, policy
from podgraft.core.versions.overrides import KEYS, join_overrides, make_head, make_mark, path_of

from .document_text import find_block

SIGNATURE_BYTES = 256  # of the line with a signature, at most
MAX_BYTES = 1024 * 1024  # of the overrides, which each cold start reads


class LargePolicy(Struct, frozen=True):
    """The document to store, and the bundle that it names, if any."""

    document: str
    files: Mapping[str, bytes]
    digest: str = ""


def split_policy(document: str) -> LargePolicy:
    """Move groups and clusters to a bundle, if Parameter Store does not accept the document.

    ``overrides.join_overrides`` returns the same text.
    """
    if len(document.encode()) + SIGNATURE_BYTES <= ADVANCED_BYTES:
        return LargePolicy(document, {})
    lines = document.splitlines(keepends=True)
    files: dict[str, bytes] = {}
    for key in KEYS:
        block = find_block(lines, key)
        if block is not None:
            files[path_of(key)] = "".join(lines[block.start : block.stop]).encode()
            lines[block.start : block.stop] = [make_mark(key)]
    digest = bundle.digest(files)
    split = LargePolicy(make_head(digest, _list_bundles(document)) + "".join(lines), files, digest)
    # A document without these keys, or one with such a mark, remains as it is.
    is_equal = files and join_overrides(split.document, lambda _: files) == document
    return split if is_equal else LargePolicy(document, {})


def list_needed(document: str) -> Iterator[str]:
    """Return the digests that a document needs in the bucket: its bundles, and its overrides."""
    yield from policy.parse(document).digests
    overrides = split_policy(document).digest
    if overrides:
        yield overrides


def _list_bundles(document: str) -> tuple[str, ...]:
    try:
        return policy.parse(document).digests
    except policy.PolicyError:  # rollout abort stores an invalid document again
        return ()


def find_value_errors(name: str, text: str) -> Iterator[Diagnostic]:
    """Return why a policy cannot be stored; no message quotes *text*."""
    split = split_policy(text)
    size, moved = len(split.document.encode()), sum(map(len, split.files.values()))
    if size > ADVANCED_BYTES:
        yield Diagnostic(
            f"got {size} bytes without groups and clusters, but Parameter Store accepts at "
            f"most {ADVANCED_BYTES}",
            "move selectors to the configuration in the bundle, and write groups and "
            "clusters as blocks",
            document=name,
        )
    if moved > MAX_BYTES:
        yield Diagnostic(
            f"got {moved} bytes of groups and clusters, but at most {MAX_BYTES} load",
            "give clusters with equal overrides a group",
            document=name,
        )
    yield from find_references(name, text)


def check_signed_size(signed: str, parameter: str) -> None:
    """Raise ``CommandError`` for a document that is too large only with its signature."""
    size = len(signed.encode())
    if size > ADVANCED_BYTES:
        raise CommandError(
            f"parameter {parameter}: got {size} bytes with the signature, but Parameter Store "
            f"accepts at most {ADVANCED_BYTES}; remove comments, or move selectors to the bundle"
        )
