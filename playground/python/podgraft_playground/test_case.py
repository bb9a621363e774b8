"""The input with its result as a test case: a document of kind ``Test`` next to the input's files.

docs/testing.md describes the format.
"""

from typing import Any

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import yaml

from .engine import Document, Explanation
from .workspace import BUNDLE, POD, POLICY, WEBHOOKS, Input

FILE = "podgraft-test.yaml"
_REVIEW_FIELDS = ("object", "route", "allowed", "decision", "reason", "message", "warnings")


def make_test_case(given: Input, explanation: Explanation) -> str:
    """The document, as YAML."""
    spec: Object = {"input": POD, "bundle": BUNDLE}
    if given.policy.strip():
        spec["policy"] = POLICY
    if given.webhooks.strip():
        spec["webhookConfig"] = WEBHOOKS
    options: Object = {name: value for name, value in given.options.items() if value}
    if options:
        spec["options"] = options
    spec["expected"] = _expected_to_json(explanation)
    document: Object = {
        "apiVersion": "podgraft.dev/v1",
        "kind": "Test",
        "metadata": {"name": "playground"},
        "spec": spec,
    }
    return yaml.dump(document)


def _expected_to_json(explanation: Explanation) -> Object:
    expected: Object = {"exitStatus": explanation.status}
    if not explanation.documents:
        return {**expected, "errors": explanation.errors}
    objects: list[JSON] = [_document_to_json(document) for document in explanation.documents]
    return {**expected, "objects": objects}


def _document_to_json(document: Document) -> Object:
    trace: Any = document.trace
    reviews: list[JSON] = []
    for review, call in zip(trace["reviews"], document.calls, strict=True):
        fields: Object = {
            name: review[name] for name in _REVIEW_FIELDS if review[name] not in ("", [], None)
        }
        if call.patch:
            fields["patch"] = call.patch
        reviews.append(fields)
    return {
        "subject": trace["subject"],
        "verdict": trace["verdict"],
        "conclusion": trace["conclusion"],
        "reviews": reviews,
    }
