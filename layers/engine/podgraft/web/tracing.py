"""Segments for X-Ray: each review, and what it asks of AWS. Imported only where tracing is on."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools import Tracer

# What Lambda calls with an event and its context.
Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def add_tracing(handler: Handler, stack: str) -> Handler:
    """The handler in a segment of its own, which holds neither its answers nor its errors' texts.

    Both may quote a pod. Calls of AWS are segments too, by service and operation.
    """
    tracer = Tracer(service=stack, patch_modules=["botocore"])

    def review(event: dict[str, Any], context: object) -> dict[str, Any]:
        return handler(event, context)

    return tracer.capture_lambda_handler(review, capture_response=False, capture_error=False)
