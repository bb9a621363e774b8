"""``podgraft explain``: each step of a review, from kube-apiserver to the patch.

``flow`` makes the requests that kube-apiserver sends for an object, and runs their reviews with
``podgraft.core.review``, which records its steps. ``webhook_match`` evaluates the webhook
configuration.
``stages`` and ``decision_trace`` contain the result, which ``tree``, ``chart``, and JSON print.
"""
