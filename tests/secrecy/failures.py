"""Mistakes of ours, made on purpose: exceptions whose messages quote whatever is at hand."""

import pytest

from podgraft import admission
from podgraft.admission import AdmissionRequest
from podgraft.store import FolderStore
from secrecy.calls import FAILURE_TRIGGER
from secrecy.known_secrets import MARK

_decode = admission.decode


def decode(body: bytes) -> AdmissionRequest:
    """Read a review, and stumble over those that ask for it."""
    if FAILURE_TRIGGER.encode() in body:
        raise RuntimeError(f"cannot read {body!r}")
    return _decode(body)


def injectors(store: FolderStore) -> tuple[str, ...]:
    """Stumble over whatever the store holds."""
    raise RuntimeError(f"{store} {MARK}")


def install_failures(patched: pytest.MonkeyPatch) -> None:
    """Stumble from now on: over reviews that ask for it, and wherever readiness is asked for."""
    patched.setattr(admission, "decode", decode)
    patched.setattr(FolderStore, "injectors", injectors)
