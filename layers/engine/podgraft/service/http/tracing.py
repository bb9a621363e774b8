"""Segments for X-Ray: each review and its requests to AWS. Imported only if tracing is enabled."""

from typing import Any

from aws_lambda_powertools import Tracer

from .events import Handler


def add_tracing(handler: Handler, stack: str) -> Handler:
    """Return the handler in a segment, without responses and error messages.

    Both can quote a pod. Requests to AWS are segments, too, by service and operation.
    """
    tracer = Tracer(service=stack, patch_modules=["botocore"])

    def review(event: dict[str, Any], context: object) -> dict[str, Any]:
        return handler(event, context)

    return tracer.capture_lambda_handler(review, capture_response=False, capture_error=False)
