"""Privileges: what a change of a pod, or of a pod template, adds to the rights of its containers.

``find_added`` compares an object before and after a change. It returns only additions: the
privileges that the author of the object set are not additions. The baseline level of the Pod
Security Standards defines which settings are privileges. ``pod_security`` evaluates both levels of
the standards, for the command line. Nothing here decides whether a privilege is allowed: ``policy``
does.
"""

from .additions import clean_path, find_added, is_below, normalize_image
from .privilege import CAPABILITIES, HOST_NAMESPACES, Kind, Privilege

__all__ = [
    "CAPABILITIES",
    "HOST_NAMESPACES",
    "Kind",
    "Privilege",
    "clean_path",
    "find_added",
    "is_below",
    "normalize_image",
]
