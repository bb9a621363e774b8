"""``podgraft explain``: the way of a pod from kube-apiserver to its sidecars.

``registration`` asks the webhook configuration what kube-apiserver would, ``policy.decide`` is
podgraft's own part; ``journey`` is both in one value, which ``tree``, ``chart`` and JSON show.
"""

from .command import command

__all__ = ["command"]
