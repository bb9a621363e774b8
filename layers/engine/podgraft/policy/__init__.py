"""Whether a pod is injected: the policy document, the rules in force, the decision with reasons.

``parse`` reads a policy document and notes all its faults; ``Policy.over`` lays it over the rules
of a bundle's own configuration; ``decide`` goes Istio's way step by step and keeps every step.
Nothing here does I/O or knows what is injected.
"""

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
    sentence,
)
from .document import Features, Policy, parse, selector_list
from .errors import Fault, PolicyError
from .reading import Keys, Notes, Spot
from .registration import not_applicable
from .rules import IGNORED_NAMESPACES, INJECT_MARK, InjectValues, PolicyWord, Rules

__all__ = [
    "IGNORED_NAMESPACES",
    "INJECT_MARK",
    "SENTENCES",
    "Decision",
    "Fault",
    "Features",
    "Inject",
    "InjectValues",
    "Keys",
    "Notes",
    "Policy",
    "PolicyError",
    "PolicyWord",
    "Reason",
    "Rules",
    "Skip",
    "Spot",
    "Step",
    "StepName",
    "Verdict",
    "decide",
    "not_applicable",
    "parse",
    "selector_list",
    "sentence",
]
