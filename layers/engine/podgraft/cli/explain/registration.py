"""kube-apiserver's share of the way: whether a webhook configuration sends it the pod at all.

Source: k8s.io/apiserver pkg/admission/plugin/webhook: rules, namespaceSelector, objectSelector,
matchConditions. Each part is asked on its own here, so that all answers can be shown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podgraft.admission import AdmissionRequest
from podgraft.cli.failure import CommandError
from podgraft.jsonvalue import JSON, Object
from podgraft.policy import Notes, Spot, constraints

from .journey import Outcome, Stage, Station

if TYPE_CHECKING:
    from podgraft.cel import Meter
    from podgraft.policy.conditions import Condition

_KIND = "MutatingWebhookConfiguration"


@dataclass(frozen=True, slots=True)
class Sending:
    """One webhook's stations, and whether all of them let the pod through."""

    stage: Stage
    passes: bool


def sending(
    manifests: list[Object], request: AdmissionRequest, namespaces: Mapping[str, Object]
) -> Sending:
    """The webhook that the pod is sent to; of several that is the first that matches.

    Raises ``CommandError`` where the manifests register no mutating webhook, or a faulty one.
    """
    found = [_sending(name, webhook, request, namespaces) for name, webhook in _webhooks(manifests)]
    if not found:
        raise CommandError(f"the webhook configuration holds no {_KIND} with webhooks")
    return next((each for each in found if each.passes), found[0])


def _webhooks(manifests: list[Object]) -> Iterator[tuple[str, Object]]:
    for manifest in manifests:
        webhooks = manifest.get("webhooks")
        if manifest.get("kind") == _KIND and isinstance(webhooks, list):
            for webhook in webhooks:
                if isinstance(webhook, dict):
                    yield str(webhook.get("name", "")), webhook


def _sending(
    name: str, webhook: Object, request: AdmissionRequest, namespaces: Mapping[str, Object]
) -> Sending:
    stations: list[Station] = []
    stopped = False
    for key in ("rules", "namespaceSelector", "objectSelector"):
        mismatch = _mismatch(name, webhook, key, request, namespaces)
        decides = mismatch is not None and not stopped
        stopped = stopped or decides
        stations.append(_station(key, webhook.get(key), mismatch, decides))
    stations.extend(_conditions(name, webhook, request, namespaces, stopped))
    passes = all(station.outcome is Outcome.PASSES for station in stations)
    return Sending(Stage(name=f"kube-apiserver, webhook {name}", stations=tuple(stations)), passes)


def _mismatch(
    name: str,
    webhook: Object,
    key: str,
    request: AdmissionRequest,
    namespaces: Mapping[str, Object],
) -> str | None:
    """What one part of the registration saw instead of what it wants; ``None`` where it matches."""
    wanted = webhook.get(key)
    if not wanted:
        return "no rule is given" if key == "rules" else None
    form: Object = {"resourceRules" if key == "rules" else key: wanted}
    if "matchPolicy" in webhook:
        form["matchPolicy"] = webhook["matchPolicy"]
    notes = Notes()
    read = constraints.read(Spot(form, f"/webhooks/{name}", notes))
    if notes.faults or read is None:
        raise CommandError(*map(str, notes.faults))
    found = read.mismatch(request, namespaces)
    return found.saw if found else None


def _station(key: str, wanted: JSON, mismatch: str | None, decides: bool) -> Station:
    if mismatch is not None:
        because = f"the webhook's {key} does not match, so podgraft is never asked"
        return Station(key, f"does not match: {mismatch}", Outcome.STOPS, decides, because)
    return Station(key, "matches" if wanted else "not given", Outcome.PASSES)


def _conditions(
    name: str,
    webhook: Object,
    request: AdmissionRequest,
    namespaces: Mapping[str, Object],
    stopped: bool,
) -> Iterator[Station]:
    """A station for each match condition; CEL is loaded only where there are any."""
    wanted = webhook.get("matchConditions")
    if not isinstance(wanted, list) or not wanted:
        yield Station("matchConditions", "not given", Outcome.PASSES)
        return
    from podgraft.cel import CONDITIONS_BUDGET, Meter
    from podgraft.policy import conditions

    notes = Notes()
    spot = Spot(wanted, f"/webhooks/{name}/matchConditions", notes)
    read = conditions.read(spot, conditions.Compiler(params=False))
    if notes.faults:
        raise CommandError(*map(str, notes.faults))
    meter = Meter(CONDITIONS_BUDGET)
    values = conditions.values(request, namespaces, None)
    for condition in read:
        station = _condition_station(condition, values, meter)
        decides = station.outcome is Outcome.STOPS and not stopped
        stopped = stopped or decides
        yield replace(station, decides=decides)


def _condition_station(
    condition: "Condition", values: Mapping[str, object], meter: "Meter"
) -> Station:
    from podgraft.cel import CostExceededError, EvaluationError

    name = f"matchConditions: {condition.name}"
    try:
        holds = condition.program.evaluate(values, meter) is True
    except (EvaluationError, CostExceededError) as error:
        because = "the match condition fails, so the webhook's failurePolicy decides"
        return Station(name, str(error), Outcome.STOPS, because=because)
    if holds:
        return Station(name, "true", Outcome.PASSES)
    because = "the match condition is false, so podgraft is never asked"
    return Station(name, "false", Outcome.STOPS, because=because)
