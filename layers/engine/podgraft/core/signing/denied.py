"""The deny list: digests of bundles that must not load, each with a reason.

A document is a mapping of digests to reasons::

    sha256:9f2c…: injects an image with CVE-2026-1234
"""

import re
from collections.abc import Mapping

from podgraft.base.jsonvalue import JSON

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
MAX_REASON = 200


class DenyListError(ValueError):
    """The document is not a deny list; the message has location, problem, and remedy."""


def parse_deny_list(value: JSON) -> Mapping[str, str]:
    """Return the reasons by digest; raises ``DenyListError`` for the first error.

    An invalid list denies nothing by itself, so stores must not load any version with it.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DenyListError("/: expected a mapping; write DIGEST: REASON, one per line")
    reasons: dict[str, str] = {}
    for digest, reason in value.items():
        if not DIGEST.fullmatch(digest):
            raise DenyListError("/: invalid digest; use sha256: and 64 hexadecimal digits")
        if not isinstance(reason, str) or not reason.strip() or len(reason) > MAX_REASON:
            raise DenyListError(
                f"/{digest}: invalid reason; use a text of at most {MAX_REASON} characters"
            )
        reasons[digest] = " ".join(reason.split())
    return reasons
