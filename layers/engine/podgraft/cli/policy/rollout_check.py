"""The problems of a rollout that ``podgraft check`` reports, besides those of its candidate."""

from collections.abc import Iterator

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.base.jsonvalue import Object, object_at
from podgraft.core.policy import Policy
from podgraft.kube.patch import pointer

from .document_text import load_mapping
from .rollout.text import KEY, is_in_flow_style

# Overridden key by key, so a cluster can set some of them.
_FEATURES = "features"


def find_rollout_problems(read: Policy, text: str, document: str) -> Iterator[Diagnostic]:
    """Yield the errors and warnings of the rollout in a valid document."""
    yield from read.rollout_errors
    if is_in_flow_style(text):
        yield Diagnostic(
            document=document,
            pointer=f"/{KEY}",
            problem="unsupported flow style",
            remedy="write one key per line",
        )
    if read.rollout is None:
        return
    fields = load_mapping(text)
    yield from _find_overrides(fields, document)
    for key, shares in (("clusters", read.rollout.clusters), ("groups", read.rollout.groups)):
        for name, share in shares.items():
            if share > read.rollout.share:
                yield Diagnostic(
                    document=document,
                    pointer=f"/{KEY}/{key}/{pointer.escape(name)}",
                    problem=f"got {share:g} while share is {read.rollout.share:g}",
                    remedy=f"{name} changes first",
                    severity=Severity.WARNING,
                )


def _find_overrides(fields: Object, document: str) -> Iterator[Diagnostic]:
    """Yield a warning for each key of the candidate that a cluster or a group sets."""
    candidate = object_at(fields, KEY, "candidate")
    groups = {f"group {name}": each for name, each in object_at(fields, "groups").items()}
    clusters = {f"cluster {name}": each for name, each in object_at(fields, "clusters").items()}
    for subject, overrides in {**groups, **clusters}.items():
        own = overrides if isinstance(overrides, dict) else {}
        for key in candidate:
            names = [key]
            if key == _FEATURES:
                both = object_at(candidate, key).keys() & object_at(own, key).keys()
                names = [f"{key}/{name}" for name in sorted(both)]
            elif own.get(key) is None:
                names = []
            for name in names:
                yield Diagnostic(
                    document=document,
                    pointer=f"/{KEY}/candidate/{name}",
                    problem=f"{subject} sets its {name}",
                    remedy=f"the candidate does not change it in {subject.partition(' ')[2]}",
                    severity=Severity.WARNING,
                )
