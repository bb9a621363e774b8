"""The request log on Lambda: AWS Lambda Powertools writes the log lines and the metrics."""

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
    """Return a log that writes a JSON line per record, and metrics in the embedded metric format.

    Lines and metrics contain the name of the *stack*, to separate two stacks in one account.
    """
    # Powertools uses the service as the name of the logger. A stack can have the name of the logger
    # of a library, so the service is a constant here.
    logger = Logger(service=LOGGER, location=None, json_serializer=partial(_format_line, stack))
    levels = {"INFO": logger.info, "WARNING": logger.warning, "ERROR": logger.error}
    metrics = Metrics(namespace=NAMESPACE, service=stack)

    def write(record: Mapping[str, JSON]) -> None:
        levels[str(record["level"])](record)
        measures = tuple(record_measures(record))
        for measure in measures:
            metrics.add_metric(measure.metric, measure.unit, measure.value)
        reason = str(record.get("reason") or record.get("fault") or "")
        if reason:
            metrics.add_dimensions(service=stack, reason=reason)
        if "candidate" in record:
            from . import candidate_metrics  # only a policy with a rollout needs it

            candidate_metrics.add_track(metrics, stack, record)
            metrics.flush_metrics()
            candidate_metrics.write_candidate(metrics, stack, record)
        elif measures:
            metrics.flush_metrics()

    return write


def _format_line(stack: str, log: Mapping[str, Any]) -> str:
    """Return the line of the logger, with the fields of the record at the top level.

    The logger already has a key ``message``. As in other lines of the logger, the line omits fields
    without a value, and contains other types than JSON as text.
    """
    record: Mapping[str, JSON] = log["message"]
    context_fields = {
        _RENAMED.get(key, key): value
        for key, value in record.items()
        if key not in _ENVELOPE_FIELDS and value is not None
    }
    own = {"message": record["event"], "service": stack}
    return _ENCODER.encode({**log, **own, **context_fields}).decode()


_ENCODER = Encoder(enc_hook=str)
_ENVELOPE_FIELDS = frozenset({"event", "level"})
_RENAMED = {"message": "problem"}
