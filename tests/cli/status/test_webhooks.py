"""The registrations of a cluster: addresses, services, and certificates."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from podgraft.cli.certs import issuance, keys, pem
from podgraft.cli.certs.issuance import Validity
from podgraft.cli.certs.keys import KeyType, PrivateKey
from podgraft.cli.live.registrations import parse_webhooks
from podgraft.cli.status.webhooks import check_webhooks
from support.fake_cluster import make_cluster
from support.tls_endpoint import serve_certificate

SERVICE = "/api/v1/namespaces/istio-system/services/istiod"


def configurations(*clients: Any) -> Any:
    hooks = [
        {"name": f"w{number}.inject.podgraft.dev", "clientConfig": client}
        for number, client in enumerate(clients)
    ]
    metadata = {"name": "podgraft"}
    return [{"kind": "MutatingWebhookConfiguration", "metadata": metadata, "webhooks": hooks}]


A, B = {"url": "https://a:8443/inject"}, {"url": "https://b/inject"}
ISTIOD = {"service": {"namespace": "istio-system", "name": "istiod"}}
ADDRESSES: Any = (
    ((A, A, B), None, {}, ["calls b instead of a:8443; register it again"]),
    ((A, A), "https://b", {}, ["calls a:8443 instead of b; register it again"] * 2),
    ((A,), "a:8443", {}, []),
    ((ISTIOD,), None, {SERVICE: {}}, []),
    ((ISTIOD,), None, {}, ["service istio-system/istiod: not found, so kube-apiserver cannot"]),
    (({**A, "caBundle": "eA=="},), None, {}, ["caBundle: is not a PEM certificate in base64"]),
)


@pytest.mark.parametrize(("clients", "url", "objects", "expected"), ADDRESSES)
def test_problems(clients: Any, url: str | None, objects: Any, expected: list[str]) -> None:
    webhooks = parse_webhooks(configurations(*clients))
    statuses = check_webhooks(make_cluster(objects), webhooks, url, is_tested=False)
    problems = [problem for status in statuses for problem in status.problems]
    assert len(problems) == len(expected)
    for problem, start in zip(problems, expected, strict=True):
        assert problem.startswith(start)


def make_ca(days: int) -> tuple[x509.Certificate, PrivateKey]:
    """A certificate that expires in some days and an hour."""
    key = keys.make_key(KeyType.P_256)
    now = datetime.now(UTC)
    validity = Validity(now - timedelta(days=30), now + timedelta(days=days, hours=1))
    return issuance.make_ca(key, "test", validity), key


def encode(*days: int) -> str:
    return b64encode(pem.dump_certificates([make_ca(each)[0] for each in days])).decode()


CERTIFICATES: Any = (
    ((400, 90), 90, []),
    ((9,), 9, ["caBundle: expires in 9 days; rotate the CA"]),
    ((-3,), -3, ["caBundle: has expired; rotate the CA"]),
)


@pytest.mark.parametrize(("days", "left", "expected"), CERTIFICATES)
def test_the_first_certificate_to_expire_counts(
    days: tuple[int, ...], left: int, expected: list[str]
) -> None:
    webhooks = parse_webhooks(configurations({**A, "caBundle": encode(*days)}))
    (status,) = check_webhooks(make_cluster({}), webhooks, None, is_tested=False)
    assert status.ca.days == left
    for problem, start in zip(status.problems, expected, strict=True):
        assert problem.startswith(start)


def test_a_review_reads_the_certificate_of_the_endpoint(tmp_path: Path) -> None:
    certificate, key = make_ca(9)
    with serve_certificate([certificate], key, tmp_path) as port:
        webhooks = parse_webhooks(configurations({"url": f"https://127.0.0.1:{port}/inject"}))
        (status,) = check_webhooks(make_cluster({}), webhooks, None, is_tested=True)
    assert status.certificate_days == 9
    assert status.problems[0].startswith(f"kube-apiserver would not trust 127.0.0.1:{port}: ")
    assert status.problems[1:] == (
        "endpoint: its certificate expires in 9 days; renew it (podgraft certs renew)",
    )
    (status,) = check_webhooks(make_cluster({}), webhooks, None, is_tested=True)
    assert status.problems[0].startswith(f"127.0.0.1:{port}: no TLS connection: ")
    assert status.fails


def test_services_are_not_reviewed() -> None:
    webhooks = parse_webhooks(configurations(ISTIOD))
    (status,) = check_webhooks(make_cluster({SERVICE: {}}), webhooks, None, is_tested=True)
    assert (status.endpoint, status.certificate_days, status.problems) == (None, None, ())
