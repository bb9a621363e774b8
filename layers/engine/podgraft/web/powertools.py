"""The request log on Lambda: AWS Lambda Powertools writes the log lines and the metrics."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics
from msgspec.json import Encoder

from podgraft.jsonvalue import JSON
from podgraft.settings import DEFAULT_STACK

from .metrics import NAMESPACE, find_source, record_measures
from .request_log import RequestLog, line_fields

LOGGER = "podgraft"


def make_request_log(stack: str = DEFAULT_STACK, *, cluster_metrics: bool = True) -> RequestLog:
    """Return a log that writes a JSON line per record, and metrics in the embedded metric format.

    Lines and metrics contain the name of the *stack*, to separate two stacks in one account. With
    *cluster_metrics*, a second set of dimensions contains the cluster and the injector.
    """
    # Powertools uses the service as the name of the logger. A stack can have the name of the logger
    # of a library, so the service is a constant here.
    logger = Logger(service=LOGGER, location=None, json_serializer=partial(_format_line, stack))
    levels = {"INFO": logger.info, "WARNING": logger.warning, "ERROR": logger.error}
    metrics = Metrics(namespace=NAMESPACE, service=stack)

    def write(record: Mapping[str, JSON]) -> None:
        levels[str(record["level"])](record)
        measures = tuple(record_measures(record))
        if not measures:
            return
        for measure in measures:
            metrics.add_metric(measure.metric, measure.unit, measure.value)
        reason = str(record.get("reason") or record.get("fault") or "")
        if reason:
            metrics.add_dimensions(service=stack, reason=reason)
        source = find_source(record) if cluster_metrics else None
        if source is not None:
            metrics.add_dimensions(service=stack, cluster=source.cluster, injector=source.injector)
        if "candidate" in record:
            from . import candidate_metrics  # only a policy with a rollout needs it

            candidate_metrics.add_track(metrics, stack, record)
            metrics.flush_metrics()
            candidate_metrics.write_candidate(metrics, stack, record)
        else:
            metrics.flush_metrics()

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
