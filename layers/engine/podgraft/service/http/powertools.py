"""The request log on Lambda: AWS Lambda Powertools writes the log lines and the metrics."""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics
from aws_lambda_powertools.metrics.functions import is_metrics_disabled
from msgspec.json import Encoder

from podgraft.base.jsonvalue import JSON
from podgraft.service.settings import DEFAULT_STACK

from . import candidate_metrics
from .metrics import NAMESPACE, Measure, MetricWriter, find_source, record_measures
from .request_log import RequestLog, line_fields

LOGGER = "podgraft"
_LEVELS = {"INFO": logging.INFO, "WARNING": logging.WARNING, "ERROR": logging.ERROR}


def make_request_log(
    stack: str = DEFAULT_STACK,
    list_dimensions: Callable[[Mapping[str, JSON]], Mapping[str, str]] = find_source,
) -> RequestLog:
    """Return a log that writes a JSON line per record, and metrics in the embedded metric format.

    Lines and metrics contain the name of the *stack*, to separate two stacks in one account.
    *list_dimensions* returns a further set of dimensions for a record, or none.
    """
    write_line, write_metrics = _make_line_writer(stack), make_metric_writer(stack)

    def write(record: Mapping[str, JSON]) -> None:
        write_line(record)
        measures = tuple(record_measures(record))
        if not measures:
            return
        dimensions: list[Mapping[str, str]] = []
        reason = str(record.get("reason") or record.get("fault") or "")
        if reason:
            dimensions.append({"reason": reason})
        if further := list_dimensions(record):
            dimensions.append(further)
        if "candidate" not in record:
            write_metrics(measures, dimensions)
            return
        write_metrics(measures, [*dimensions, *candidate_metrics.find_track(record)])
        candidate_metrics.write_candidate(write_metrics, record)

    return write


def _make_line_writer(stack: str) -> RequestLog:
    # Powertools uses the service as the name of the logger. A stack can have the name of the logger
    # of a library, so the service is a constant here.
    Logger(service=LOGGER, location=None, json_serializer=partial(_format_line, stack))
    logger = logging.getLogger(LOGGER)

    def write(record: Mapping[str, JSON]) -> None:
        level = _LEVELS[str(record["level"])]
        if logger.isEnabledFor(level):
            # The methods of a logger look for the caller's file and line, which no line contains.
            logger.handle(logging.LogRecord(LOGGER, level, "", 0, record, None, None))

    return write


def make_metric_writer(stack: str) -> MetricWriter:
    """Return a function that writes a line of metrics; the name of the *stack* is a dimension.

    Powertools serializes the line. Its methods that add one metric at a time take four times as
    long, because they format and check what is constant here.
    """
    metrics: Any = EphemeralMetrics(namespace=NAMESPACE, service=stack)
    is_disabled = is_metrics_disabled()

    def write(measures: Iterable[Measure], dimensions: Iterable[Mapping[str, str]]) -> None:
        if is_disabled:
            return
        metrics.dimension_sets = [{"service": stack, **each} for each in dimensions]
        values = {each.metric: {"Unit": each.unit, "Value": [each.value]} for each in measures}
        line = _ENCODER.encode(metrics.serialize_metric_set(values)).decode()
        sys.stdout.write(f"{line}\n")

    return write


def _format_line(stack: str, log: Mapping[str, Any]) -> str:
    """Return the line of the logger, with the fields of the record at the top level.

    The logger already has a key ``message``. As in other lines of the logger, the line omits fields
    without a value, and contains other types than JSON as text.
    """
    fields = line_fields(log["message"])
    own = {"message": fields.pop("message"), "service": stack}
    return _ENCODER.encode({**log, **own, **fields}).decode()


_ENCODER = Encoder(enc_hook=str)
