"""What sidecars do to pods: Istio's injector, App Mesh's, and free overlays.

In comes a pod as raw JSON and a compiled injector; out comes the pod as it shall be, or an error
that says whose fault it is. Nothing here decides whether to inject (``policy`` does), reads a
clock, the environment or a file.
"""

from .errors import (
    Fault,
    InjectionError,
    InvalidDocumentsError,
    OperatorError,
    UserError,
    discreet,
)

__all__ = [
    "Fault",
    "InjectionError",
    "InvalidDocumentsError",
    "OperatorError",
    "UserError",
    "discreet",
]
