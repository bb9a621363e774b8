"""Patches with privileges that do not depend on the containers of the pod.

Pods of one workload get the same patch. If such a patch was checked once, the next check needs only
the patch and the settings that containers inherit from the pod.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from podgraft.jsonvalue import Object

from .additions import CONTAINER_FIELDS, CONTAINER_LISTS, inheritable_settings
from .container_security import PROBES

# The fields of the pod that are no privileges. All other fields make a patch depend on the pod.
_PLAIN_FIELDS = frozenset(
    {
        *("affinity", "dnsConfig", "hostAliases", "imagePullSecrets", "nodeSelector"),
        *("terminationGracePeriodSeconds", "tolerations", "volumes"),
    }
)
# Texts of settings that the pod can have already: AppArmor annotations, and volumes.
_POD_TEXTS = (b"apparmor", b"hostPath", b'"reference"')


def make_settings_key(before: Object) -> bytes:
    """Return the settings of the pod that its containers inherit, as a key of a cache."""
    context, annotations = inheritable_settings(before)
    if not context and not annotations:
        return b""
    try:
        return _ENCODE((context, annotations))
    except OverflowError:  # an integer of more than 64 bits
        return repr((context, annotations)).encode()


def is_self_contained(patch: bytes) -> bool:
    """Whether the patch and the inheritable settings determine the additional privileges.

    So it adds complete containers, and changes no field of the pod or of its own containers that
    can be a privilege.
    """
    if not patch or any(text in patch for text in _POD_TEXTS):
        return False
    return all(map(_is_plain, _DECODE(patch)))


def _is_plain(operation: Mapping[str, Any]) -> bool:
    match operation["op"], operation["path"].split("/")[1:]:
        case (("add" | "replace" | "remove"), ["metadata", *_]):
            return True
        case "add", ["spec", key] | ["spec", key, _] if key in CONTAINER_LISTS:
            return True
        case (("add" | "replace" | "remove"), ["spec", key, _, field, *rest]) if (
            key in CONTAINER_LISTS
        ):
            if field in PROBES:
                return "host" not in rest and b'"host"' not in _ENCODE(operation.get("value"))
            return field not in CONTAINER_FIELDS
        case (("add" | "replace" | "remove"), ["spec", field, *_]):
            return field in _PLAIN_FIELDS
        case _:
            return False


_ENCODE = msgspec.json.Encoder().encode
_DECODE = msgspec.json.Decoder(list[dict[str, Any]]).decode
