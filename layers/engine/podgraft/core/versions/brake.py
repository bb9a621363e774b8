"""Brakes: documents that stop candidates.

A brake is separate from the policy, so a process that stops a candidate never races with an
operator who pushes a policy. A brake with invalid YAML, or without an id, stops every candidate in
its scope: its author certainly intended to stop one.
"""

from collections.abc import Iterable

from podgraft.kube import yaml

# The id that stops all rollouts.
ALL = "*"


def parse_brakes(texts: Iterable[str]) -> frozenset[str]:
    """Return the ids of the stopped rollouts; ``ALL`` for an invalid brake."""
    return frozenset(map(_parse_id, texts))


def is_stopped(rollout: str, stopped: frozenset[str]) -> bool:
    """Whether brakes stop a rollout."""
    return ALL in stopped or rollout in stopped


def _parse_id(text: str) -> str:
    try:
        brake = yaml.load_document(text)
    except yaml.NotYAMLError:
        return ALL
    id_ = brake.get("id") if isinstance(brake, dict) else None
    return id_ if isinstance(id_, str) and id_ else ALL
