"""Internal errors for tests: exceptions with messages that quote available values."""

import pytest

from podgraft.kube import admission
from podgraft.kube.admission import AdmissionRequest
from podgraft.service.store.folder import FolderStore
from secrecy.calls import FAILURE_TRIGGER
from secrecy.known_secrets import MARK

_decode = admission.decode


def decode(body: bytes) -> AdmissionRequest:
    """Parse a review, and fail for those that request it."""
    if FAILURE_TRIGGER.encode() in body:
        raise RuntimeError(f"cannot read {body!r}")
    return _decode(body)


def injectors(store: FolderStore) -> tuple[str, ...]:
    """Fail with the content of the store."""
    raise RuntimeError(f"{store} {MARK}")


def install_failures(patched: pytest.MonkeyPatch) -> None:
    """Install failures for reviews that request them, and for readiness checks."""
    patched.setattr(admission, "decode", decode)
    patched.setattr(FolderStore, "injectors", injectors)
