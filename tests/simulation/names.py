"""The names in the stores of the world, and their keys, and those in requests."""

from __future__ import annotations

PREFIX, BUCKET, INJECTOR = "/podgraft", "bundles-of-the-world", "default"
CENSUS = "census-of-the-world"
SAME, REINVOKED = "same", "reinvoked"  # a request that is sent again, and why
OTHER_WEBHOOK = {"changed-by": "another-webhook"}  # the labels that it adds to a pod


def format_registry_key(digest: str) -> str:
    """Return the key of the object of a registry of callers."""
    return f"callers/sha256/{digest.removeprefix('sha256:')}.json"
