"""One row for each cluster of a kubeconfig: its registrations, its token, and a review."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, list_at, object_at, string_at
from podgraft.cli.endpoint_check.certificates import count_token_days
from podgraft.cli.endpoint_check.endpoint import make_target
from podgraft.cli.endpoint_check.faults import REGISTER
from podgraft.cli.endpoint_check.readiness import read_readiness
from podgraft.cli.failure import CommandError
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.registrations import InjectorKind, parse_webhooks
from podgraft.service.store.caller_token import parse_token

from .report import format_days, webhook_to_json
from .webhooks import WebhookStatus, check_webhooks

COLUMNS = (
    *("context", "cluster", "state", "API server", "registrations", "CA days", "cert days"),
    *("token", "token days", "groups", "policy version", "review", "last review"),
)


class State(StrEnum):
    """Whether reviews of a cluster work. A warning is a problem that does not stop them yet."""

    OK = "ok"
    WARNING = "warning"
    FAILS = "fails"


class ClusterStatus(Struct, frozen=True, kw_only=True):
    """A cluster, and its webhooks of podgraft. ``problem`` is why they could not be read.

    ``cluster``, ``groups``, and ``token`` are the id of the cluster, its groups, and the id of its
    token, as the endpoint knows them. ``last_review`` is the time of the last review with this
    token in the log.
    """

    context: str
    problem: str = ""
    webhooks: tuple[WebhookStatus, ...] = ()
    cluster: str = ""
    groups: tuple[str, ...] = ()
    token: str = ""
    token_days: int | None = None
    last_review: str = ""

    @property
    def state(self) -> State:
        """The worst state of the webhooks and the token."""
        if not self.webhooks or any(each.fails for each in self.webhooks):
            return State.FAILS
        return State.WARNING if any(self.find_problems()) else State.OK

    def find_problems(self) -> Iterator[str]:
        """Yield each problem with its remedy."""
        if self.problem:
            yield self.problem
        elif not self.webhooks:
            yield f"no webhook of podgraft is registered; {REGISTER}"
        for each in self.webhooks:
            yield from (f"{each.webhook.configuration}: {problem}" for problem in each.problems)

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the columns."""
        days = [each.ca.days for each in self.webhooks if each.ca.days is not None]
        ends = [each.certificate_days for each in self.webhooks]
        reports = [each.endpoint for each in self.webhooks if each.endpoint is not None]
        versions = dict.fromkeys(each.policy_version for each in reports if each.policy_version)
        reviews = dict.fromkeys(
            "fails" if each.problems else f"{each.decision}, {each.milliseconds} ms"
            for each in reports
        )
        return (
            self.context,
            self.cluster or "-",
            self.state,
            "no answer" if self.problem else "yes",
            ", ".join(dict.fromkeys(each.webhook.configuration for each in self.webhooks)) or "-",
            format_days(min(days, default=None)),
            format_days(min((each for each in ends if each is not None), default=None)),
            self.token or "-",
            format_days(self.token_days),
            ", ".join(self.groups) or "-",
            ", ".join(versions) or "-",
            "; ".join(reviews) or "-",
            self.last_review.partition(",")[0] or "-",
        )

    def to_json(self) -> Object:
        """Encode the row with stable keys."""
        problems: list[JSON] = [*self.find_problems()]
        return {
            "context": self.context,
            "cluster": self.cluster,
            "groups": [*self.groups],
            "state": self.state,
            "reachable": not self.problem,
            "tokenId": self.token,
            "tokenDays": self.token_days,
            "lastReview": self.last_review,
            "webhooks": [webhook_to_json(each) for each in self.webhooks],
            "problems": problems,
        }


def read_status(cluster: LiveCluster, context: str) -> ClusterStatus:
    """Return the row of a cluster; it sends a review to each endpoint, as kube-apiserver does."""
    try:
        webhooks = parse_webhooks(cluster.read_webhook_configurations())
        own = [each for each in webhooks if each.kind is InjectorKind.PODGRAFT]
        checked = check_webhooks(cluster, own, None, is_tested=True)
    except CommandError as error:
        return ClusterStatus(context=context, problem=str(error))
    status = ClusterStatus(context=context, webhooks=(*checked,))
    return _add_caller(status, checked[0]) if checked else status


def _add_caller(status: ClusterStatus, checked: WebhookStatus) -> ClusterStatus:
    """Return the status with the caller that the endpoint, or else the text of the token, names."""
    target = make_target(checked.webhook, checked.ca)
    if target is None:
        return status
    report = checked.endpoint
    ready = read_readiness(target) if report is not None and report.is_trusted else {}
    caller, text = object_at(ready, "caller"), parse_token(target.path_token)
    expires = string_at(caller, "expires") if caller else text.expires if text else ""
    return replace(
        status,
        cluster=string_at(caller, "cluster"),
        groups=tuple(str(each) for each in list_at(caller, "groups")),
        token=string_at(caller, "token") or (text.id if text else ""),
        token_days=count_token_days(expires),
    )
