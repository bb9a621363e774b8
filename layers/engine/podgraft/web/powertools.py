"""The journal on Lambda: AWS Lambda Powertools writes the log line and the metrics beside it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics
from msgspec.json import Encoder

from podgraft.jsonvalue import JSON
from podgraft.settings import DEFAULT_STACK

from .metrics import NAMESPACE, record_measures
from .request_log import RequestLog

LOGGER = "podgraft"


def make_request_log(stack: str = DEFAULT_STACK) -> RequestLog:
    """A journal of one JSON line a record, and one of metrics in the embedded metric format.

    Lines and metrics carry the name of the *stack*, so that two stacks in one account share none.
    """
    # Powertools names the logger by its service: a stack can have the name of a library's logger.
    logger = Logger(service=LOGGER, location=None, json_serializer=partial(_format_line, stack))
    levels = {"INFO": logger.info, "WARNING": logger.warning, "ERROR": logger.error}
    metrics = Metrics(namespace=NAMESPACE, service=stack)

    def write(record: Mapping[str, JSON]) -> None:
        levels[str(record["level"])](record)
        found = tuple(record_measures(record))
        for measure in found:
            metrics.add_metric(measure.metric, measure.unit, measure.value)
        reason = str(record.get("reason") or record.get("fault") or "")
        if reason:
            metrics.add_dimensions(service=stack, reason=reason)
        if found:
            metrics.flush_metrics()

    return write


def _format_line(stack: str, log: Mapping[str, Any]) -> str:
    """What the logger would print, with the record's keys not in its message but beside it.

    ``message`` is a key of the logger's already. As in the logger's own lines, nothing has no key,
    and what is no JSON stands as its words.
    """
    record: Mapping[str, JSON] = log["message"]
    beside = {
        _RENAMED.get(key, key): value
        for key, value in record.items()
        if key not in _ENVELOPE_FIELDS and value is not None
    }
    own = {"message": record["event"], "service": stack}
    return _ENCODER.encode({**log, **own, **beside}).decode()


_ENCODER = Encoder(enc_hook=str)
_ENVELOPE_FIELDS = frozenset({"event", "level"})
_RENAMED = {"message": "problem"}
