"""Sprig's functions that templates cannot use, with the reasons.

A sidecar must depend only on the pod, the bundle, and the policy. Otherwise, a review could not be
repeated, and podgraft could not explain the containers of a pod.
"""

from collections.abc import Mapping
from typing import NoReturn

from podgraft.golang.texttemplate.errors import FunctionError
from podgraft.golang.texttemplate.functions import Function

_REASONS: Mapping[str, tuple[str, ...]] = {
    "it reads the clock": ("now", "ago"),
    "it uses the network": ("getHostByName",),
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
    "templates cannot process keys and certificates": (
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
    """A function that fails; a template that names it does not parse."""

    def call(*_: object) -> NoReturn:
        raise FunctionError(reason)

    return Function(call, unsupported_reason=reason)


UNSUPPORTED_FUNCTIONS = {
    name: _unsupported_function(reason) for name, reason in UNSUPPORTED.items()
}
