"""The log of connections without a valid request: lines of JSON, with counts and remedies."""

import json
import ssl
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.service.serve.incident_log import Incidents
from service.serve.running import prepare, serving

NOW = 1e12  # after every window


class Log:
    """Incidents, and the records that they wrote."""

    def __init__(self) -> None:
        self.records: list[Mapping[str, JSON]] = []
        self.incidents = Incidents(self.records.append)

    def take(self) -> list[Any]:
        """Return the records since the last call."""
        records = [dict(record) for record in self.records]
        self.records.clear()
        return records


def test_failed_handshakes_are_counted_by_kind() -> None:
    log = Log()
    for source in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
        log.incidents.report_tls_failure("TLSV1_ALERT_UNKNOWN_CA", source)
    log.incidents.report_tls_failure("HTTP_REQUEST", "10.0.0.4")
    first, other = log.take()
    assert (first["event"], first["count"], first["source"]) == ("tls_failure", 1, "10.0.0.1")
    assert "the client does not trust this certificate; compare caBundle" in first["message"]
    assert (other["kind"], other["count"]) == ("HTTP_REQUEST", 1)
    log.incidents.flush(NOW)
    [rest] = log.take()
    assert (rest["kind"], rest["count"], rest["source"]) == ("TLSV1_ALERT_UNKNOWN_CA", 2, None)
    log.incidents.report_tls_failure("HTTP_REQUEST", "10.0.0.4")  # a new window
    assert len(log.take()) == 1


def test_nothing_is_logged_within_a_window() -> None:
    log = Log()
    log.incidents.report_tls_failure("X", "10.0.0.1")
    log.incidents.report_tls_failure("X", "10.0.0.1")
    log.incidents.count("idle timeout")
    log.take()
    log.incidents.flush(0.0)
    assert log.take() == []


REASONS = (
    ("SSLV3_ALERT_BAD_CERTIFICATE", "does not trust this certificate"),
    ("SSLV3_ALERT_CERTIFICATE_EXPIRED", "renew it (podgraft certs renew)"),
    ("CERTIFICATE_VERIFY_FAILED", "is not signed by --client-ca, has expired"),
    ("UNSUPPORTED_PROTOCOL", "use TLS 1.2 or later"),
    ("NO_SHARED_CIPHER", "check the client"),
)


@pytest.mark.parametrize(("reason", "remedy"), REASONS)
def test_each_kind_has_a_remedy(reason: str, remedy: str) -> None:
    log = Log()
    log.incidents.report_tls_failure(reason, "10.0.0.1")
    [record] = log.take()
    assert remedy in record["message"]


def test_a_client_with_another_ca_is_reported_once_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    with serving(tmp_path) as served:
        trusting = served.context
        served.context = ssl.create_default_context()  # the public CAs
        for _ in range(14):
            with suppress(ssl.SSLCertVerificationError), served.open():
                pass
        served.context = trusting
        assert served.ask("GET", "/healthz")[0] == 200
        output = served.stop()
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    failures = [line for line in lines if line["message"] == "tls_failure"]
    assert [line["count"] for line in failures] == [1, 13]
    assert {line["kind"] for line in failures} == {"TLSV1_ALERT_UNKNOWN_CA"}
    assert {line["level"] for line in failures} == {"WARNING"}
    assert "TLS handshake failed" not in output
