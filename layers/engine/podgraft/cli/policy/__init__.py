"""``podgraft policy``: what a deployed podgraft injects, changed without a deployment.

Bundles are content-addressed and only ever added; the policy parameter is the one thing that
changes in place, so every change is one switch and can be taken back.
"""

from .commands import command

__all__ = ["command"]
