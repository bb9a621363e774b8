"""The policy document, the injection rules, and the decision with its reasons.

``parse`` parses a policy document and reports all errors. ``Policy.apply_to`` applies it to the
rules of a bundle's configuration. ``decide`` follows Istio's steps and returns all of them. This
package does no I/O, and does not know the injected content.
"""

from podgraft.kube.document_reader import Cursor, Diagnostics, MappingReader

from .decision import (
    PROTECTED_SUBRESOURCES,
    SENTENCES,
    Decision,
    Reason,
    StepName,
    Verdict,
    decide,
    decide_applicability,
    warn_of_subresource,
)
from .document import Features, Policy
from .keys import RELEASE_REMEDY, is_release
from .reader import PolicyError, parse
from .rules import IGNORED_NAMESPACES, INJECT_KEY, DefaultPolicy, InjectionRules, InjectValueSyntax

__all__ = [
    "IGNORED_NAMESPACES",
    "INJECT_KEY",
    "PROTECTED_SUBRESOURCES",
    "RELEASE_REMEDY",
    "SENTENCES",
    "Cursor",
    "Decision",
    "DefaultPolicy",
    "Diagnostics",
    "Features",
    "InjectValueSyntax",
    "InjectionRules",
    "MappingReader",
    "Policy",
    "PolicyError",
    "Reason",
    "StepName",
    "Verdict",
    "decide",
    "decide_applicability",
    "is_release",
    "parse",
    "warn_of_subresource",
]
