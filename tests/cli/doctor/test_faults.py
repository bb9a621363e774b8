"""Each of the 25 faults, planted alone: doctor names it, and nothing else."""

import json
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cli.doctor.conftest import DRY_RUN, HOOKS, NAMESPACES, Site, make_namespace, make_response
from podgraft.cli import stack_regions
from podgraft.cli.doctor import report
from podgraft.cli.doctor.diagnosis import Diagnosis, State
from podgraft.cli.doctor.stores import Stores
from podgraft.cli.endpoint_check import endpoint
from podgraft.cli.endpoint_check.faults import ORDER, Fault
from podgraft.cli.fleet.file import Fleet
from podgraft.cli.fleet.settings import ClusterSettings
from podgraft.cli.live.api_errors import ForbiddenError, parse_error
from podgraft.service.store.caller_document import Callers, TokenHash, hash_token
from podgraft.service.store.caller_token import make_token
from support.aws_account import deploy_stack, open_account

_FAILED = (
    'Error from server (InternalError): Internal error occurred: failed calling webhook "istio.'
    'inject.podgraft.dev": failed to call webhook: Post "https://h/k/{token}/istio/inject?timeout='
    '10s": dial tcp: lookup h: no such host'
)
GUARD = "podgraft-istio-guard"


@dataclass(frozen=True, slots=True)
class Plant:
    """A cluster with a fault, and the options of the command."""

    objects: Mapping[str, Any]
    request: Mapping[str, Any] = field(default_factory=dict[str, Any])


def failing(site: Site) -> Mapping[str, Any]:
    """The dry run of a pod whose webhook fails."""
    text = _FAILED.replace("{token}", site.token())
    return {DRY_RUN: parse_error(text, "context prod", "POST /pods")}


def register(site: Site, *, fails: bool = True, **own: Any) -> Plant:
    """A registration with a fault, whose webhook kube-apiserver cannot call either."""
    failed: Mapping[str, Any] = failing(site) if fails else {}
    return Plant(site.objects(site.registration(**own), **failed))


def now() -> str:
    """The time of a new token."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def expire(days: int) -> str:
    """A token of the store's format that no store has."""
    day = datetime.now(UTC) + timedelta(days=days)
    return make_token(b"12345", b"s" * 33, f"{day:%Y-%m-%d}")


def soon_ca(site: Site) -> Plant:
    port = site.respond(200, make_response(), name="soon")
    return register(site, fails=False, port=port)


def respond(status: int, message: str) -> Callable[[Site], Plant]:
    def plant(site: Site) -> Plant:
        port = site.respond(status, {"kind": "Status", "message": message})
        return register(site, port=port)

    return plant


def stale(site: Site) -> Plant:
    port = site.respond(200, make_response(stale="injector istio does not load: /polcy: unknown"))
    return register(site, fails=False, port=port)


def other_cluster(site: Site) -> Plant:
    return Plant(site.objects(site.registration()), {"cluster": "prod-us"})


def use_stores(site: Site, **own: Any) -> Plant:
    return Plant(site.objects(site.registration()), {"stores": Stores(**own)})


def drift(site: Site) -> Plant:
    fleet = Fleet({"prod-eu": ClusterSettings(groups=("ring-0",))})
    tokens = (TokenHash(hash_token(site.token()), now()),)
    return use_stores(site, fleet=fleet, callers={"prod-eu": Callers(tokens)})


def two_tokens(site: Site) -> Plant:
    hashes = (hash_token(site.token()), hash_token("newer"))
    created = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
    tokens = (*(TokenHash(*each) for each in zip(hashes, created, strict=True)),)
    return use_stores(site, callers={"prod-eu": Callers(tokens)})


def regions(site: Site) -> Plant:
    with open_account() as session:
        deploy_stack(session, "podgraft-dev", "bundles-of-regions")
        for region, digest in (("us-east-1", "a"), ("eu-west-1", "b")):
            ssm = session.create_client("ssm", region_name=region)
            text = f"bundle: sha256:{digest * 64}\n"
            ssm.put_parameter(Name="/podgraft-dev/istio/policy", Value=text, Type="String")
            pointer = json.dumps({"serial": 1, "callers": f"sha256:{digest * 64}"})
            ssm.put_parameter(Name="/podgraft-dev/callers", Value=pointer, Type="String")
        found = stack_regions.compare_regions("podgraft-dev", ["us-east-1", "eu-west-1"])
        return use_stores(site, regions=tuple(found))


def changed(site: Site) -> Plant:
    expected = site.registration()
    key = (expected["kind"], expected["metadata"]["name"])
    live = site.registration(timeoutSeconds=3)
    return Plant(site.objects(live), {"expected": {key: expected}})


def two_injectors(site: Site) -> Plant:
    service: Any = {"namespace": "istio-system", "name": "istiod", "path": "/inject"}
    istiod = site.registration(name="namespace.sidecar-injector.istio.io")
    istiod["metadata"] = {"name": "istio-sidecar-injector", "labels": {}}
    istiod["webhooks"][0]["clientConfig"] = {"service": service}
    return Plant(site.objects(site.registration(), istiod))


def no_namespace(site: Site) -> Plant:
    shop = make_namespace("shop", **{"istio-injection": "enable"})
    return Plant(site.objects(site.registration(), **{NAMESPACES: [shop]}))


def ignoring(site: Site) -> Plant:
    return register(site, fails=False, failurePolicy="Ignore")


PLANTS: tuple[tuple[str, Callable[[Site], Plant], str], ...] = (
    ("D01", lambda site: register(site, host="hooks.invalid"), "does not resolve"),
    ("D02", lambda site: register(site, port=find_free_port()), "no TLS connection"),
    (
        "D03",
        lambda site: register(
            site, fails=False, port=site.respond(200, make_response(), old_tls=True)
        ),
        "accepts TLS 1.1; use the custom domain",
    ),
    (
        "D04",
        lambda site: register(site, port=site.respond(200, "", name="example")),
        "the certificate is valid for a.example, not for 127.0.0.1; renew",
    ),
    ("D05", soon_ca, "expires in 8 days; renew it"),
    ("D06", lambda site: register(site, ca="other"), "set --ca-bundle to the CA that signed"),
    ("D07", lambda site: register(site, token=site.token()[:-2]), "the token was cut"),
    ("D08", lambda site: register(site, token=expire(-3)), "expired on"),
    ("D09", lambda site: register(site, token=site.token("wrong")), "responds 401"),
    ("D10", other_cluster, "the token belongs to prod-eu; register prod-us with its own"),
    ("D11", lambda site: register(site, token=site.token("office")), "check the sources of"),
    ("D12", lambda site: register(site, injector="istoi"), "did you mean istio?"),
    ("D13", stale, "version 12 is in force: injector istio does not load"),
    ("D14", respond(500, "bundle sha256:ab is missing"), "is missing; push the bundle again"),
    ("D15", respond(429, "Too Many Requests"), "raise ThrottlingRateLimit"),
    (
        "D16",
        lambda site: register(site, fails=False, timeoutSeconds=1),
        "s of 1 s; check StartMode",
    ),
    ("D17", regions, "/istio/policy: has bundle sha256:b"),
    ("D18", drift, "groups: none -> ring-0; podgraft fleet apply"),
    ("D19", two_tokens, "the registration has the older one; register"),
    (
        "D20",
        lambda site: Plant(site.objects()),
        "no webhook of podgraft is registered; podgraft reg",
    ),
    ("D21", changed, "timeoutSeconds: expected 10, got 3; apply"),
    ("D22", two_injectors, "istio-sidecar-injector and podgraft-istio inject the same pods"),
    ("D23", no_namespace, 'no namespace has istio-injection=enabled; shop has "enable"'),
    ("D24", ignoring, "register again with --sidecar-check"),
    (
        "D25",
        lambda site: Plant(site.objects(site.registration(), **failing(site))),
        "it works from here, so give the control plane a route",
    ),
)


def list_secrets(site: Site) -> list[str]:
    """The texts that no output contains."""
    names = ("token", "soon", "office", "wrong")
    return [part for name in names for part in site.token(name).split("-") if len(part) > 20]


def format_all(result: Diagnosis) -> str:
    texts = ["\n".join(report.format_text([result])), report.format_json([result])]
    return "\n".join([*texts, report.format_junit([result])])


@pytest.mark.parametrize(("number", "plant", "text"), PLANTS, ids=[row[0] for row in PLANTS])
def test_a_planted_fault_is_the_only_cause(
    number: str,
    plant: Callable[[Site], Plant],
    text: str,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if number == "D16":
        seconds = iter(range(1000))
        monkeypatch.setattr(endpoint.system, "monotonic", lambda: next(seconds) * 0.7)
    planted = plant(site)
    result = site.diagnose(planted.objects, **planted.request)
    causes = {each.finding.fault for each in result.findings if each.cause is None}
    assert causes == {Fault(number)}, "\n".join(report.format_text([result]))
    assert result.state(Fault(number)) == (State.FAULT, "")
    assert any(text in str(each.finding) for each in result.findings), result.findings
    for each in result.findings:
        assert each.cause in {None, Fault(number)}
        assert each.finding.remedy
    printed = format_all(result)
    assert not any(secret in printed for secret in list_secrets(site))
    assert f'<testcase name="{number} ' in printed
    assert printed.count("<failure ") == 1


def test_every_fault_is_planted() -> None:
    assert {row[0] for row in PLANTS} == {*Fault} == {*ORDER}


def test_a_healthy_cluster_has_no_fault(site: Site) -> None:
    registration = site.registration()
    key = (registration["kind"], registration["metadata"]["name"])
    tokens = (TokenHash(hash_token(site.token()), now()),)
    known = Stores(
        callers={"prod-eu": Callers(tokens)}, fleet=Fleet({"prod-eu": ClusterSettings()})
    )
    result = site.diagnose(
        site.objects(registration), cluster="prod-eu", expected={key: registration}, stores=known
    )
    assert result.findings == []
    assert result.cluster == "prod-eu"
    assert result.notes == {Fault.REGIONS: (State.SKIPPED, "needs --regions")}


def test_a_token_that_expires_soon(site: Site) -> None:
    result = site.diagnose(site.objects(site.registration(token=site.token("soon"))))
    [finding] = [each.finding for each in result.findings]
    assert finding.fault is Fault.EXPIRED_TOKEN
    assert "expires in" in finding.problem


def test_what_a_changed_url_breaks_follows_from_the_change(site: Site) -> None:
    expected = site.registration()
    key = (expected["kind"], expected["metadata"]["name"])
    live = site.registration(port=find_free_port())
    result = site.diagnose(site.objects(live, **failing(site)), expected={key: expected})
    assert [(each.finding.fault, each.cause) for each in result.findings] == [
        ("D21", None),
        ("D02", "D21"),
        ("D25", "D21"),
    ]
    assert result.state(Fault.UNKNOWN_TOKEN) == (State.SKIPPED, "D02")
    lines = [*report.format_text([result])]
    assert re.match(
        r"  D21 .*webhooks\[istio.inject.podgraft.dev\].clientConfig.url: diff", lines[1]
    )
    assert lines[2].startswith("    D02 connection, follows from D21: ")


@pytest.mark.parametrize("form", ["last-applied", "server-side"])
def test_a_change_is_found_without_the_file(form: str, site: Site) -> None:
    live = site.registration(timeoutSeconds=3)
    if form == "last-applied":
        name = "kubectl.kubernetes.io/last-applied-configuration"
        live["metadata"]["annotations"] = {name: json.dumps(site.registration())}
    else:
        fields: Any = {"f:webhooks": {'k:{"name":"a"}': {"f:timeoutSeconds": {}}}}
        live["metadata"]["managedFields"] = [
            {"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:webhooks": {}}},
            {"manager": "kubectl-edit", "operation": "Update", "fieldsV1": fields},
            {"manager": "cainjector", "operation": "Update", "fieldsV1": {}},
        ]
    result = site.diagnose(site.objects(live))
    [finding] = [each.finding for each in result.findings]
    assert finding.fault is Fault.CHANGED
    assert "timeoutSeconds" in finding.problem


def test_a_sidecar_check_guards_ignore(site: Site) -> None:
    admission = HOOKS.rpartition("/")[0]
    policy = {"metadata": {"name": GUARD}}
    binding = {"metadata": {"name": GUARD}, "spec": {"policyName": GUARD}}
    lists = {
        f"{admission}/validatingadmissionpolicies": [policy],
        f"{admission}/validatingadmissionpolicybindings": [binding],
    }
    objects = {**ignoring(site).objects, **lists}
    assert site.diagnose(objects).findings == []


def test_with_ignore_an_unchanged_pod_shows_that_the_call_failed(site: Site) -> None:
    pod: Any = {"spec": {"containers": [{"name": "app"}]}}
    result = site.diagnose({**ignoring(site).objects, DRY_RUN: pod})
    faults = [each.finding.fault for each in result.findings]
    assert faults == [Fault.NO_SIDECAR_CHECK, Fault.CONTROL_PLANE]


def test_a_system_namespace_with_fail_is_a_fault(site: Site) -> None:
    spaces = [make_namespace("shop"), make_namespace("kube-system")]
    live = site.registration(namespaceSelector={})
    [found] = site.diagnose(site.objects(live, **{NAMESPACES: spaces})).findings
    assert found.finding.fault is Fault.NAMESPACES
    assert "selects kube-system with failurePolicy Fail" in found.finding.problem


def test_missing_rights_are_unknown_and_name_the_right(site: Site) -> None:
    objects = {
        **site.objects(site.registration()),
        NAMESPACES: ForbiddenError,
    }
    result = site.diagnose(objects)
    assert result.findings == []
    for fault in (Fault.TWO_INJECTORS, Fault.NAMESPACES, Fault.CONTROL_PLANE):
        assert result.state(fault) == (State.UNKNOWN, "needs the right to list namespaces")
    text = (
        'Error from server (Forbidden): pods is forbidden: User "a" cannot create resource "pods"'
    )
    refused = {DRY_RUN: parse_error(text, "context prod", "/pods")}
    result = site.diagnose(site.objects(site.registration(), **refused))
    needed = "needs the right to create pods in shop"
    assert result.state(Fault.CONTROL_PLANE) == (State.UNKNOWN, needed)


def test_a_credential_of_the_control_plane_is_no_fault_if_its_call_works(site: Site) -> None:
    result = site.diagnose(site.objects(site.registration(token="")))
    assert result.findings == []
    assert result.state(Fault.UNKNOWN_TOKEN)[0] is State.SKIPPED
    broken = site.objects(site.registration(token=""), **failing(site))
    assert site.diagnose(broken).findings[0].finding.fault is Fault.UNKNOWN_TOKEN


def test_a_service_is_called_only_by_its_cluster(site: Site) -> None:
    live = site.registration()
    service: Any = {"namespace": "podgraft", "name": "podgraft", "path": "/istio/inject"}
    live["webhooks"][0]["clientConfig"] = {"service": service}
    place = "/api/v1/namespaces/podgraft/services/podgraft"
    result = site.diagnose(site.objects(live, **{place: {}}))
    assert result.findings == []
    assert result.state(Fault.DNS)[0] is State.UNKNOWN
    assert "run podgraft doctor in a pod" in result.state(Fault.DNS)[1]
    failed = failing(site)
    result = site.diagnose(site.objects(live, **failed))
    assert [(each.finding.fault, each.cause) for each in result.findings] == [
        ("D01", None),
        ("D25", "D01"),
    ]


def test_drift_of_sources_explains_a_refused_source(site: Site) -> None:
    tokens = (TokenHash(hash_token(site.token("office")), now()),)
    callers = Callers(tokens, sources=("198.51.100.0/24",))
    known = Stores(
        callers={"prod-office": callers},
        fleet=Fleet({"prod-office": ClusterSettings(context="prod")}),
    )
    objects = site.objects(site.registration(token=site.token("office")), **failing(site))
    result = site.diagnose(objects, stores=known)
    causes = {each.finding.fault: each.cause for each in result.findings}
    assert causes[Fault.DRIFT] is None
    assert causes[Fault.SOURCE] is Fault.DRIFT
