"""All checks of one cluster: which fault is the first, and what follows from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.endpoint_check.certificates import check_ca_bundle
from podgraft.cli.endpoint_check.endpoint import (
    EndpointReport,
    EndpointTarget,
    check_endpoint,
    make_target,
)
from podgraft.cli.endpoint_check.faults import CHAIN, ORDER, REGISTER, Fault, Finding
from podgraft.cli.endpoint_check.readiness import find_other_cluster, read_readiness
from podgraft.cli.failure import CommandError
from podgraft.cli.live.api_errors import ForbiddenError, NotFoundError
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.registrations import InjectorKind, Webhook, parse_webhooks
from podgraft.cli.live.webhook_matching import WebhookMatcher, select_injecting
from podgraft.cli.status.webhooks import check_service

from . import details, registrations, stores
from .dry_run import DryRun, try_webhook
from .stores import Stores

T = TypeVar("T")


class State(StrEnum):
    """The result of one check."""

    OK = "ok"
    FAULT = "fault"
    CONSEQUENCE = "consequence"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class Caused(Struct, frozen=True):
    """A finding, and the fault from which it follows; None for a cause."""

    finding: Finding
    cause: Fault | None = None


class Diagnosis(Struct):
    """The result of one cluster. ``notes`` are the reasons of checks without a result."""

    context: str
    cluster: str = ""
    findings: list[Caused] = []
    notes: dict[Fault, tuple[State, str]] = {}
    seconds: float = 0.0

    def add(self, finding: Finding, cause: Fault | None = None) -> None:
        """Add a finding once: several webhooks share an endpoint."""
        known = [each.finding for each in self.findings]
        if finding not in known:
            self.findings.append(Caused(finding, None if cause is finding.fault else cause))

    def note(self, state: State, reason: str, *faults: Fault) -> None:
        """Explain why checks have no result; the first reason counts."""
        for fault in faults:
            self.notes.setdefault(fault, (state, reason))

    def find(self, fault: Fault) -> list[Caused]:
        """Return the findings of a fault."""
        return [each for each in self.findings if each.finding.fault is fault]

    def state(self, fault: Fault) -> tuple[State, str]:
        """Return the state of a check, and the reason of one without a result."""
        found = self.find(fault)
        if not found:
            return self.notes.get(fault, (State.OK, ""))
        causes = [each.cause for each in found]
        return (State.FAULT, "") if None in causes else (State.CONSEQUENCE, str(causes[0]))

    def count(self, state: State) -> int:
        """Return the number of checks in a state."""
        return sum(self.state(fault)[0] is state for fault in ORDER)


class Request(Struct, frozen=True, kw_only=True):
    """What the options of the command select."""

    namespace: str | None = None
    cluster: str = ""
    expected: Mapping[tuple[str, str], Object] = {}
    stores: Stores = Stores()


class _Endpoint(Struct, frozen=True):
    """A target, its report, and the first fault that breaks it."""

    target: EndpointTarget
    report: EndpointReport
    root: Fault | None


class _Examination(Struct):
    """The checks of one cluster, in their order."""

    cluster: LiveCluster
    request: Request
    result: Diagnosis
    endpoints: dict[int, _Endpoint] = {}

    def run(self) -> None:
        """Run all checks."""
        configurations = self._read(
            "list webhook configurations",
            self.cluster.read_webhook_configurations,
            Fault.NO_REGISTRATION,
            Fault.CHANGED,
            Fault.TWO_INJECTORS,
            Fault.NAMESPACES,
            Fault.NO_SIDECAR_CHECK,
            Fault.CONTROL_PLANE,
        )
        live = configurations if configurations is not None else [*self.request.expected.values()]
        webhooks = parse_webhooks(live)
        own = [each for each in webhooks if each.kind is InjectorKind.PODGRAFT]
        if configurations is not None:
            self._check_presence(live, own)
            self._check_changes([each for each in live if self._is_own(each, own)])
        for webhook in own:
            self._check_endpoint(webhook)
        self._skip_hidden()
        if configurations is not None and own:
            self._check_namespaces(webhooks, own)
        self._check_stores(own)

    def _read(self, right: str, read: Callable[[], T], *faults: Fault) -> T | None:
        """Return what *read* returns; without the right to it, the checks have no result."""
        try:
            return read()
        except ForbiddenError:
            self.result.note(State.UNKNOWN, f"needs the right to {right}", *faults)
        except NotFoundError as error:
            self.result.note(State.UNKNOWN, str(error), *faults)
        return None

    @staticmethod
    def _is_own(configuration: Object, own: Sequence[Webhook]) -> bool:
        name = string_at(configuration, "metadata", "name")
        kind = configuration.get("kind")
        return any((each.configuration_kind, each.configuration) == (kind, name) for each in own)

    def _check_presence(self, live: Sequence[Object], own: Sequence[Webhook]) -> None:
        names = {string_at(each, "metadata", "name") for each in live}
        for _, name in self.request.expected:
            if name not in names:
                remedy = f"apply the registration: {REGISTER}"
                self.result.add(Finding(Fault.NO_REGISTRATION, name, "is not registered", remedy))
        if not own and not self.result.findings:
            problem = "no webhook of podgraft is registered"
            self.result.add(Finding(Fault.NO_REGISTRATION, self.result.context, problem, REGISTER))
        if not own:
            others = [fault for fault in ORDER[:-3] if fault is not Fault.NO_REGISTRATION]
            self.result.note(State.SKIPPED, Fault.NO_REGISTRATION, *others)

    def _check_changes(self, live: Sequence[Object]) -> None:
        for each in live:
            key = (string_at(each, "kind"), string_at(each, "metadata", "name"))
            for finding in registrations.find_changes(each, self.request.expected.get(key)):
                self.result.add(finding)

    def _check_endpoint(self, webhook: Webhook) -> None:
        """Check the endpoint of a webhook, each only once."""
        ca = check_ca_bundle(webhook.manifest)
        findings = [
            replace(each, place=f"{webhook.configuration}: {each.place}")
            for each in ca.find_problems()
        ]
        services = self._read(
            "get services", lambda: [*check_service(self.cluster, webhook)], Fault.DNS
        )
        findings += services or ()
        target = make_target(webhook, ca)
        if target is None:
            reason = "only the cluster can call a Service: run podgraft doctor in a pod of it"
            self.result.note(State.UNKNOWN, reason, *CHAIN)
        cached = [each for each in self.endpoints.values() if each.target == target]
        if cached:
            self.endpoints[id(webhook)] = cached[0]
            return
        report = EndpointReport()
        ready: Object = {}
        if target is not None and not any(each.breaks for each in findings):
            report = check_endpoint(target)
            ready = read_readiness(target) if report.is_trusted else {}
            findings += details.find_details(target, report, ready)
        root = self._add_chain(webhook, findings)
        if target is not None:
            self.endpoints[id(webhook)] = _Endpoint(target, report, root)
            self._check_caller(target, ready)

    def _add_chain(self, webhook: Webhook, findings: Sequence[Finding]) -> Fault | None:
        """Add the findings of an endpoint; return the fault from which a failed call follows."""
        changed = any(
            each.finding.place == webhook.configuration and "clientConfig" in each.finding.problem
            for each in self.result.find(Fault.CHANGED)
        )
        cause = Fault.CHANGED if changed else None
        expired = any("expired" in e.problem for e in findings if e.fault is Fault.EXPIRED_TOKEN)
        root = next((f for f in ORDER if any(e.fault is f and e.breaks for e in findings)), None)
        if root is Fault.UNKNOWN_TOKEN and expired:
            root = Fault.EXPIRED_TOKEN
        for finding in sorted(findings, key=lambda each: ORDER.index(each.fault)):
            is_expired = finding.fault is Fault.UNKNOWN_TOKEN and expired
            self.result.add(
                finding, cause if finding.breaks and cause else root if is_expired else None
            )
        return cause or root if root else None

    def _check_caller(self, target: EndpointTarget, ready: Object) -> None:
        self.result.cluster = string_at(ready, "caller", "cluster") or self.result.cluster
        expected = self._expected_cluster()
        if expected and (finding := find_other_cluster(target, ready, expected)):
            self.result.add(finding)

    def _expected_cluster(self) -> str:
        """Return the cluster of the option, or that of the context in the fleet file."""
        fleet = self.request.stores.fleet
        clusters = fleet.clusters.items() if fleet else ()
        found = (name for name, each in clusters if each.context == self.result.context)
        return self.request.cluster or next(found, "")

    def _skip_hidden(self) -> None:
        """Note the links after a broken one, which no request reached."""
        for endpoint in self.endpoints.values():
            broken = [each.fault for each in endpoint.report.findings if each.breaks]
            if broken:
                first = min(CHAIN.index(each) for each in broken)
                self.result.note(State.SKIPPED, CHAIN[first], *CHAIN[first + 1 :])

    def _check_namespaces(self, webhooks: Sequence[Webhook], own: Sequence[Webhook]) -> None:
        read = self._read(
            "list namespaces",
            self.cluster.read_namespaces,
            Fault.TWO_INJECTORS,
            Fault.NAMESPACES,
            Fault.CONTROL_PLANE,
        )
        injecting = [each for each in own if each.is_injecting]
        if any(each.manifest.get("failurePolicy") == "Ignore" for each in injecting):
            checks = self._read(
                "list ValidatingAdmissionPolicies and their bindings",
                lambda: [*self.cluster.list_sidecar_checks()],
                Fault.NO_SIDECAR_CHECK,
            )
            self._add_all(
                registrations.find_missing_checks(injecting, checks) if checks is not None else ()
            )
        if read is None:
            return
        matcher = WebhookMatcher(select_injecting(webhooks), read)
        names = registrations.select_representatives(matcher.webhooks, read)
        self._add_all(registrations.find_namespace_problems(injecting, matcher, read))
        self._add_all(registrations.find_overlaps(matcher, names))
        self._try_pod(injecting, matcher, names)

    def _add_all(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.result.add(finding)

    def _try_pod(
        self, injecting: Sequence[Webhook], matcher: WebhookMatcher, names: Sequence[str]
    ) -> None:
        known = [e.report.decision for e in self.endpoints.values() if not e.report.problems]
        chosen = [self.request.namespace] if self.request.namespace else names
        tried = try_webhook(
            self.cluster, injecting, matcher, chosen, is_injected={*known} == {"inject"}
        )
        if tried.unknown:
            is_cause = bool(self.result.find(Fault.NAMESPACES)) and tried.webhook is None
            reason = Fault.NAMESPACES if is_cause else tried.unknown
            state = State.SKIPPED if is_cause else State.UNKNOWN
            self.result.note(state, reason, Fault.CONTROL_PLANE)
            return
        self._add_dry_run(tried)

    def _add_dry_run(self, tried: DryRun) -> None:
        endpoint = self.endpoints.get(id(tried.webhook))
        broken = [each.finding.fault for each in self.result.findings if each.finding.breaks]
        root = endpoint.root if endpoint else next(iter(broken), None)
        if tried.finding is not None:
            self.result.add(tried.finding, root)
        elif root is Fault.UNKNOWN_TOKEN and endpoint and not endpoint.target.path_token:
            # kube-apiserver has a credential that the registration does not contain.
            unknown = self.result.find(Fault.UNKNOWN_TOKEN)
            self.result.findings = [each for each in self.result.findings if each not in unknown]
            reason = "kube-apiserver has the credential; its call works"
            self.result.note(State.SKIPPED, reason, Fault.UNKNOWN_TOKEN)

    def _check_stores(self, own: Sequence[Webhook]) -> None:
        known, result = self.request.stores, self.result
        if known.callers is None:
            result.note(State.SKIPPED, "needs --config", Fault.DRIFT, Fault.ROTATION)
        if known.fleet is None:
            result.note(State.SKIPPED, "needs --fleet", Fault.DRIFT)
        if known.regions is None:
            result.note(State.SKIPPED, "needs --regions", Fault.REGIONS)
        self._add_all(known.regions or ())
        cluster = result.cluster or self._expected_cluster()
        self._add_all(stores.find_drift(known, cluster))
        tokens = [each.target.path_token for each in self.endpoints.values()]
        self._add_all(stores.find_open_rotations(known.callers, cluster, next(iter(tokens), "")))
        if own and any("sources" in str(each.finding) for each in result.find(Fault.DRIFT)):
            result.findings = [
                replace(each, cause=Fault.DRIFT) if each.finding.fault is Fault.SOURCE else each
                for each in result.findings
            ]


def examine(cluster: LiveCluster, context: str, request: Request) -> Diagnosis:
    """Run all checks; a cluster that does not respond has one note for each of its checks."""
    result = Diagnosis(context)
    try:
        _Examination(cluster, request, result).run()
    except CommandError as error:
        result.note(State.UNKNOWN, str(error), *ORDER)
    return result
