"""The check of each result: a mutation adds only privileges that the policy lists.

So anyone who can only write a bundle cannot grant more than the owner of the policy allowed. The
trial finds most unlisted privileges before a version is in force. This check covers every pod.
"""

from collections.abc import Callable, Sequence

from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.core.injectors.errors import PrivilegeError
from podgraft.kube.privileges import Kind, Privilege, find_added

from .compiler import Bundle

# In a message; one template can add a privilege to each container of a pod.
_MAX_PRIVILEGES = 4
_SHORT_DIGEST = 19  # sha256: and 12 digits


def check_privileges(
    bundle: Bundle, before: Object, after: Object, trace: Trace | None = None
) -> None:
    """Raise ``PrivilegeError`` if *after* has an additional privilege that is not listed."""
    if bundle.allows is None:
        return
    added = find_added(before, after)
    unlisted = bundle.allows.find_unlisted(added)
    if trace is not None:
        _add_step(trace, added, unlisted)
    if unlisted:
        location = f"bundle {bundle.digest[:_SHORT_DIGEST]}"
        raise PrivilegeError(
            f"{location}: {_describe(unlisted, str)}",
            f"{location}: {_describe(unlisted, Privilege.redact)}",
        )


def _describe(unlisted: Sequence[Privilege], describe: Callable[[Privilege], str]) -> str:
    """Problem and remedy for unlisted privileges."""
    descriptions = list(dict.fromkeys(map(describe, unlisted)))
    listed, more = descriptions[:_MAX_PRIVILEGES], len(descriptions) - _MAX_PRIVILEGES
    if more > 0:
        listed.append(f"{more} more")
    pronoun = "it" if len(descriptions) == 1 else "them"
    keys = ", ".join(f"allows.{kind}" for kind in dict.fromkeys(each.kind for each in unlisted))
    return (
        f"{', and '.join(listed)}; list {pronoun} under {keys} in the policy, or remove {pronoun} "
        "from the bundle"
    )


def _add_step(trace: Trace, added: Sequence[Privilege], unlisted: Sequence[Privilege]) -> None:
    privileges = [str(each) for each in added if each.kind is not Kind.IMAGE]
    if unlisted:
        observed = f"not allowed by the policy: {', '.join(map(str, unlisted))}"
        trace.add("privileges", observed, "fails")
    elif privileges:
        trace.add("privileges", f"allowed by the policy: {', '.join(privileges)}")
    else:
        trace.add("privileges", "the change adds none")
