"""Warnings about a bundle and a policy that compile: what works, and is not what was meant.

A running function needs none of this: only ``policy check``, ``policy push``, ``inject``,
``explain``, and ``register.py`` import this module.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from podgraft import yaml
from podgraft.diagnostics import Diagnostic
from podgraft.policy import Policy

from . import cluster_ids, manifests, retired_registries, revisions
from .compiler import Bundle


def warnings(
    bundle: Bundle, files: Mapping[str, bytes], policy: Policy, document: str, file: str
) -> Iterator[Diagnostic]:
    """Return the warnings about a compiled bundle, its files, and the policy.

    ``document`` is the text of the policy, and ``file`` is the name of it in messages. The
    warnings that compilation found come first.
    """
    for found in bundle.warnings:
        if found.is_warning:
            # The policy is named by its kind where the bundle does not know its file.
            yield replace(found, document=file) if found.document == "policy" else found
    read = manifests.parse_manifests(files)
    yield from revisions.warnings(read, policy)
    yield from retired_registries.warnings(read)
    yield from retired_registries.document_warnings(file, yaml.load(document) or {})
    yield from cluster_ids.policy_warnings(bundle, policy, file)
