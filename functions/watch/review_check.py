"""The synthetic reviews: invoke the webhook function, and compare the results."""

import json
import socket
import ssl
import urllib.error
import urllib.request
from base64 import b64decode
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

# Sends the event of a synthetic review, and returns the response.
Invoke: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]

ENDPOINT_SECONDS = 10.0
# A decision, of any kind: without an expectation, only a failure is a problem.
_DECISIONS = frozenset({"inject", "skip", "mutate", "allow", "deny"})


def parse_expected(text: str) -> Mapping[str, str]:
    """Parse ``INJECTOR=DECISION,…``; raises ``ValueError`` for another form."""
    expected: dict[str, str] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        injector, _, decision = item.partition("=")
        if not injector or decision not in _DECISIONS:
            decisions = ", ".join(sorted(_DECISIONS))
            raise ValueError(
                f"WATCH_EXPECTED: got {item!r}; use INJECTOR=DECISION with one of: {decisions}"
            )
        expected[injector] = decision
    return expected


def parse_authorities(text: str) -> tuple[bytes, ...]:
    """Parse certificates in base64, with commas between them; raises ``ValueError``."""
    return tuple(
        b64decode(item, validate=True) for item in filter(None, map(str.strip, text.split(",")))
    )


def make_invoke(client: Any, function: str) -> Invoke:
    """Return the function that invokes an alias through the API of Lambda."""

    def invoke(request: Mapping[str, Any]) -> Mapping[str, Any]:
        payload = json.dumps({"synthetic_review": request}).encode()
        response = client.invoke(FunctionName=function, Payload=payload)
        body = json.loads(response["Payload"].read())
        if response.get("FunctionError") or "reviews" not in body:
            problem = f"the webhook function did not respond: {response.get('FunctionError')}"
            return {"reviews": [], "clusters": {}, "problems": [problem]}
        return body

    return invoke


def find_problems(result: Mapping[str, Any], expected: Mapping[str, str]) -> list[str]:
    """Return what differs from the expectation, one line for each difference."""
    problems = [str(problem) for problem in result["problems"]]
    for review in result["reviews"]:
        injector = review["injector"]
        code, decision = review["code"], review.get("decision", "")
        cause = review.get("problem") or review.get("fault") or review.get("reason") or ""
        expected_decision = expected.get(injector)
        if code != HTTPStatus.OK:
            problems.append(f"injector {injector}: expected 200, got {code}: {cause}")
        elif decision not in ({expected_decision} if expected_decision else _DECISIONS):
            problems.append(
                f"injector {injector}: expected {expected_decision}, got {decision}: {cause}"
            )
    reviewed = {review["injector"] for review in result["reviews"]}
    problems += [f"injector {name}: no result" for name in sorted(expected.keys() - reviewed)]
    return problems


def find_endpoint_problems(endpoint: str, authorities: tuple[bytes, ...] = ()) -> list[str]:
    """Request ``/readyz`` through the endpoint, as a client without credentials.

    With *authorities*, only these CAs are trusted, as in a cluster with ``--ca-bundle``.
    """
    url = f"{endpoint}/readyz"
    try:
        trust = _make_trust(authorities)
        with urllib.request.urlopen(url, timeout=ENDPOINT_SECONDS, context=trust) as response:  # noqa: S310  https, by template.yaml
            code = int(response.status)
    except urllib.error.HTTPError as error:
        code = error.code
        error.close()
    except OSError as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, socket.gaierror):
            reason = f"{reason}; create the DNS record of the domain with the output DomainTarget"
        elif isinstance(reason, ssl.SSLCertVerificationError):
            reason = f"{reason}; if a private CA issued the certificate, set EndpointCa"
        return [f"endpoint {endpoint}: {reason}"]
    return [] if code == HTTPStatus.OK else [f"endpoint {url}: expected 200, got {code}"]


def _make_trust(authorities: tuple[bytes, ...]) -> ssl.SSLContext:
    if not authorities:
        return ssl.create_default_context()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for authority in authorities:
        context.load_verify_locations(cadata=authority)
    return context
