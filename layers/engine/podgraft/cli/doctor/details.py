"""What a working endpoint shows beyond one review: old TLS, its caller, versions, and latency."""

import ssl
import warnings
from collections.abc import Iterator

from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.cli.certs.endpoint import Address, shake_hands
from podgraft.cli.endpoint_check.endpoint import (
    EndpointReport,
    EndpointTarget,
    check_endpoint,
    check_expiry,
)
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.failure import CommandError
from podgraft.kube.document_reader import suggest_key

_REVIEWS = 5


def find_details(
    target: EndpointTarget, report: EndpointReport, ready: Object
) -> Iterator[Finding]:
    """Yield the findings of the report, and those of further requests.

    *ready* is what ``/readyz`` returned.
    """
    caller = object_at(ready, "caller")
    for finding in report.findings:
        if finding.fault is Fault.EXPIRED_TOKEN and caller:
            continue  # the store decides
        is_missing = finding.fault is Fault.INJECTOR and "injectors" in ready
        yield replace(finding, remedy=_suggest_injector(target, ready)) if is_missing else finding
    if caller:
        yield from check_expiry(target.place, str(caller["token"]), string_at(caller, "expires"))
    if report.stale:
        problem = f"version {report.policy_version} is in force: {report.stale}"
        remedy = "correct the newest version, and push it"
        yield Finding(Fault.OLD_POLICY, target.place, problem, remedy, breaks=False)
    address = Address.parse(target.url)
    if report.certificate is not None and _accepts_old_tls(address):
        remedy = "use the custom domain of the stack, or require TLS 1.2"
        yield Finding(Fault.OLD_TLS, str(address), "accepts TLS 1.1", remedy, breaks=False)
    if not report.problems:
        yield from _check_latency(target, report)


def _suggest_injector(target: EndpointTarget, ready: Object) -> str:
    path = target.destination.target
    names = sorted(object_at(ready, "injectors"))
    return suggest_key(path.injector if path else "", names).replace("keys", "injectors")


def _accepts_old_tls(address: Address) -> bool:
    """Whether the endpoint completes a handshake with TLS 1.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    # OpenSSL has no signature algorithm for TLS 1.1 above the level 0.
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    try:
        shake_hands(address, context)
    except CommandError:
        return False
    return True


def _check_latency(target: EndpointTarget, report: EndpointReport) -> Iterator[Finding]:
    """Yield that the median of five reviews is above half of the timeout.

    It stops as soon as three of them are on one side.
    """
    limit = target.timeout_seconds * 500
    slow: list[int] = []
    fast: list[int] = []
    for _ in range(_REVIEWS):
        (slow if report.milliseconds > limit else fast).append(report.milliseconds)
        if max(len(slow), len(fast)) > _REVIEWS // 2:
            break
        report = check_endpoint(target)
        if report.problems:
            return
    if len(slow) > len(fast):
        median = min(slow) / 1000
        problem = f"a review takes {median:.1f} s of {target.timeout_seconds} s"
        remedy = "check StartMode and MemorySize of the stack, and the network to the region"
        yield Finding(Fault.SLOW, target.place, problem, remedy, breaks=False)
