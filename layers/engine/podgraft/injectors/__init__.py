"""Injectors: Istio's sidecar injector, App Mesh's, and overlays.

A compiled injector turns a pod in raw JSON into the mutated pod, or raises an error for the pod
author or for the operator. This package does not decide which pods to inject (``policy`` does),
and does not read a clock, the environment, or a file.
"""

from .errors import (
    Diagnostic,
    InjectionError,
    InvalidDocumentsError,
    OperatorError,
    UserError,
    redact,
)

__all__ = [
    "Diagnostic",
    "InjectionError",
    "InvalidDocumentsError",
    "OperatorError",
    "UserError",
    "redact",
]
