"""What sidecars do to pods: Istio's injector, App Mesh's, and free overlays.

In comes a pod as raw JSON and a compiled injector; out comes the pod as it shall be, or an error
that says whose fault it is. Nothing here decides whether to inject (``policy`` does), reads a
clock, the environment or a file.
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
