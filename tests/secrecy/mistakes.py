"""Mistakes of ours, made on purpose: exceptions whose messages quote whatever is at hand."""

import pytest

from podgraft import admission
from podgraft.admission import AdmissionRequest
from podgraft.store import DirectoryStore
from secrecy.calls import MISTAKE
from secrecy.planted import MARK

_decode = admission.decode


def decode(body: bytes) -> AdmissionRequest:
    """Read a review, and stumble over those that ask for it."""
    if MISTAKE.encode() in body:
        raise RuntimeError(f"cannot read {body!r}")
    return _decode(body)


def injectors(store: DirectoryStore) -> tuple[str, ...]:
    """Stumble over whatever the store holds."""
    raise RuntimeError(f"{store} {MARK}")


def make(patched: pytest.MonkeyPatch) -> None:
    """Stumble from now on: over reviews that ask for it, and wherever readiness is asked for."""
    patched.setattr(admission, "decode", decode)
    patched.setattr(DirectoryStore, "injectors", injectors)
