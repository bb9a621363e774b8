"""Sprig's functions that a template may not use, and why.

A sidecar must follow from the pod, the bundle and the policy alone: only then can a review be
repeated, and a pod's containers be explained.
"""

from collections.abc import Mapping
from typing import NoReturn

from podgraft.texttemplate.errors import FunctionError
from podgraft.texttemplate.functions import Function

_REASONS: Mapping[str, tuple[str, ...]] = {
    "it reads the clock": ("now", "ago"),
    "it asks the network": ("getHostByName",),
    "it reads the environment of the server": ("env", "expandenv"),
    "its result is random": (
        "randAlpha",
        "randAlphaNum",
        "randAscii",
        "randBytes",
        "randInt",
        "randNumeric",
        "shuffle",
        "uuidv4",
    ),
    "its result depends on a random salt": ("bcrypt", "htpasswd", "encryptAES"),
    "templates handle no keys and certificates": (
        "buildCustomCert",
        "decryptAES",
        "derivePassword",
        "genCA",
        "genCAWithKey",
        "genPrivateKey",
        "genSelfSignedCert",
        "genSelfSignedCertWithKey",
        "genSignedCert",
        "genSignedCertWithKey",
    ),
}

UNSUPPORTED: Mapping[str, str] = {
    name: reason for reason, names in _REASONS.items() for name in names
}


def _unsupported_function(reason: str) -> Function:
    """A function by which no template parses; were it called nevertheless, it fails."""

    def call(*_: object) -> NoReturn:
        raise FunctionError(reason)

    return Function(call, unsupported_reason=reason)


UNSUPPORTED_FUNCTIONS = {
    name: _unsupported_function(reason) for name, reason in UNSUPPORTED.items()
}
