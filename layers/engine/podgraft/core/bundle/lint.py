"""Warnings about a bundle and a policy that compile, but are probably not intended.

The function does not need this module: only ``podgraft check``, ``podgraft push``, ``inject``,
``explain``, and ``register.py`` import it.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from podgraft.base.diagnostics import Diagnostic
from podgraft.core.policy import Policy
from podgraft.kube import yaml

from . import (
    api_rules,
    cluster_ids,
    manifests,
    retired_registries,
    revisions,
    served_versions,
    subresources,
)
from .compiler import Bundle


def find_warnings(
    bundle: Bundle, files: Mapping[str, bytes], policy: Policy, document: str, file: str
) -> Iterator[Diagnostic]:
    """Return the warnings about a compiled bundle, its files, and the policy.

    ``document`` is the text of the policy, and ``file`` is its name in messages. The
    warnings that compilation found come first.
    """
    for diagnostic in bundle.warnings:
        if diagnostic.is_warning:
            # The compiler does not know the file of the policy, and names the policy by its kind.
            yield (
                replace(diagnostic, document=file)
                if diagnostic.document == "policy"
                else diagnostic
            )
    parsed = manifests.parse_manifests(files)
    yield from revisions.find_warnings(parsed, policy)
    yield from subresources.find_warnings(parsed)
    yield from served_versions.find_warnings(parsed, policy)
    yield from api_rules.find_errors(parsed)
    yield from retired_registries.find_warnings(parsed)
    yield from retired_registries.find_document_warnings(file, yaml.load_document(document) or {})
    yield from cluster_ids.find_policy_warnings(bundle, policy, file)
