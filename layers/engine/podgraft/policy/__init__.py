"""Whether a pod is injected: the policy document, the rules in force, the decision with reasons.

``parse`` reads a policy document and notes all its faults; ``Policy.over`` lays it over the rules
of a bundle's own configuration; ``decide`` goes Istio's way step by step and keeps every step.
Nothing here does I/O or knows what is injected.
"""

from podgraft.document_reader import Cursor, Diagnostics, MappingReader

from .decision import (
    SENTENCES,
    Decision,
    Inject,
    Reason,
    Skip,
    Step,
    StepName,
    Verdict,
    decide,
    describe,
)
from .document import Features, Policy, parse, selector_list
from .errors import Diagnostic, PolicyError
from .request_filter import decide_applicability
from .rules import IGNORED_NAMESPACES, INJECT_KEY, DefaultPolicy, InjectionRules, InjectValueSyntax

__all__ = [
    "IGNORED_NAMESPACES",
    "INJECT_KEY",
    "SENTENCES",
    "Cursor",
    "Decision",
    "DefaultPolicy",
    "Diagnostic",
    "Diagnostics",
    "Features",
    "Inject",
    "InjectValueSyntax",
    "InjectionRules",
    "MappingReader",
    "Policy",
    "PolicyError",
    "Reason",
    "Skip",
    "Step",
    "StepName",
    "Verdict",
    "decide",
    "decide_applicability",
    "describe",
    "parse",
    "selector_list",
]
