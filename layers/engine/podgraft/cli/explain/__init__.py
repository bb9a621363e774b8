"""``podgraft explain``: each step of a review, from kube-apiserver to the patch.

``flow`` makes the requests that kube-apiserver sends for an object, and answers them with
``podgraft.review``, which records its steps. ``registration`` evaluates the webhook configuration;
``stages`` and ``journey`` hold the result, which ``tree``, ``chart``, and JSON show.
"""

from .command import command

__all__ = ["command"]
