"""Releases of the function: what an earlier one does not know, and which one gets a request."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from podgraft.core.versions import snapshot_loader
from podgraft.kube import yaml
from podgraft.service.store import caller_document
from podgraft.service.store.aws.registry import RegistryReader
from simulation.attributes import replace_attributes
from simulation.baton import NEWEST_DOCUMENTS, Baton

REGISTRY, OVERRIDES = 2, NEWEST_DOCUMENTS  # the first numbers of documents that have them


@dataclass(frozen=True, slots=True)
class Signers:
    """The names of keys of KMS, and their public keys, as the setting of the function has them."""

    names: tuple[str, ...] = ()
    keys: str = ""


@dataclass(frozen=True, slots=True)
class Release:
    """A published version of the function: its code, and its environment variables."""

    number: int = 1
    documents: int = NEWEST_DOCUMENTS
    signers: Signers = Signers()
    is_bad: bool = False  # it denies what others allow

    def describe(self) -> dict[str, Any]:
        """Return what the ledger has of a release."""
        signers = [*self.signers.names]
        return {"release": self.number, "documents": self.documents, "signers": signers}


Routes = Sequence[tuple[Release, float]]  # with their weights, whose sum is 1


def choose_release(routes: Routes, pick: float) -> Release:
    """Return the release that gets a request."""
    for release, weight in routes:
        pick -= weight
        if pick < 0:
            return release
    return routes[-1][0]


@contextmanager
def use_releases(baton: Baton) -> Generator[None]:
    """Let environments of an earlier release know only its documents.

    Every key of a later one is unknown to it, as to the code of that time.
    """
    find, join = snapshot_loader.find_overrides, snapshot_loader.join_overrides
    load, read = caller_document.load_callers, RegistryReader.pointer

    def knows(number: int) -> bool:
        return baton.current.node.documents >= number

    def find_overrides(document: str) -> str | None:
        return find(document) if knows(OVERRIDES) else None

    def join_overrides(document: str, fetch: Any) -> str:
        return join(document, fetch) if knows(OVERRIDES) else document

    def read_pointer(reader: RegistryReader, patience: Any) -> Any:
        return read(reader, patience) if knows(REGISTRY) else None

    def load_callers(text: str) -> Any:
        if knows(REGISTRY):
            return load(text)
        callers = caller_document.parse_callers(yaml.load_document(text))
        if not callers.is_plain():
            raise caller_document.TokensError("unknown key")
        return callers

    replaced: list[tuple[Any, str, Any]] = [
        (snapshot_loader, "find_overrides", find_overrides),
        (snapshot_loader, "join_overrides", join_overrides),
        (caller_document, "load_callers", load_callers),
        (RegistryReader, "pointer", read_pointer),
    ]
    with replace_attributes(replaced):
        yield
