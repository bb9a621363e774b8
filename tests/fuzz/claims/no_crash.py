"""No input raises an exception, and no input of a caller or a pod's author is answered with 5xx.

Five kinds of input: admission reviews for the samples, events of Lambda, policy documents, bundles,
and the PEM files and subjects of certificates.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from mangum import Mangum
from werkzeug.test import Client

from fuzz import mutation
from fuzz.byte_source import ByteRandom
from fuzz.harness import check_claim
from podgraft.cli.certs import pem
from podgraft.cli.certs.inspection import Inspection
from podgraft.cli.failure import CommandError
from podgraft.core import bundle, policy
from podgraft.core.bundle import BundleError
from podgraft.core.policy import PolicyError
from podgraft.kube import yaml
from podgraft.kube.yaml import NotYAMLError
from podgraft.service.http import WsgiToAsgi, catch_errors, create_app
from podgraft.service.settings import Auth
from podgraft.service.store import caller_document, subjects
from podgraft.service.store.caller_document import TokensError
from podgraft.service.store.folder import FolderCallers, FolderStore
from service.http.test_malformed_reviews import BUNDLES, DEPLOYMENT, POD, SAMPLES, WIDGET, review
from support.store_fixture import CONFIG, MESH

_EVENTS = Path(__file__).parents[2] / "support" / "events"
_CERTIFICATES = Path(__file__).parents[1] / "certificates"
_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"
_NOW = datetime(2026, 11, 22, tzinfo=UTC)
_CALLERS = f"tokens: [{{sha256: {'0' * 64}, created: now, note: x}}]\nsubjects: [CN=a]\n"
_ROUTES = ("inject", "mutate", "validate")
_POLICY = """\
policy: enabled
neverInjectSelector:
- {matchLabels: {a: b}, matchExpressions: [{key: c, operator: In, values: [d]}]}
ignoredNamespaces: [kube-system]
injectedAnnotations: {a/b: c}
injectValues: strict
istioRelease: "1.30.3"
features: {nativeSidecars: true, env: {A: b}, platform: openshift}
clusters: {prod-eu: {policy: disabled, features: {env: {A: c}}}}
"""


def fuzz(data: bytes) -> str:
    """Process one input of one kind."""
    random = ByteRandom(data)
    kinds: tuple[tuple[str, Callable[[ByteRandom], str]], ...] = (
        ("review", _process_review),
        ("review", _process_review),
        ("body", _process_body),
        ("event", _process_event),
        ("policy", _process_policy),
        ("bundle", _process_bundle),
        ("certificate", _process_certificate),
    )
    name, process = random.choice(kinds)
    return f"{name}: {process(random)}"


# --- Reviews


@cache
def _clients() -> dict[str, Client]:
    clients: dict[str, Client] = {}
    for name in BUNDLES:
        folder = (SAMPLES / name).parent
        app = create_app(
            FolderStore(folder), FolderCallers(folder), auth=Auth.NONE, request_log=lambda _: None
        )
        clients[name] = Client(app)
    return clients


def _process_review(random: ByteRandom) -> str:
    # Without its resource, a request is one for pods, whatever the kind of its object is.
    kind = random.choice((POD, DEPLOYMENT, WIDGET))
    document = mutation.mutate_document(random, review(kind), fixed=("request", "resource"))
    return _post(random, json.dumps(document).encode())


def _process_body(random: ByteRandom) -> str:
    body = json.dumps(review(POD)).encode()
    return _post(random, mutation.mutate_bytes(random, body))


def _post(random: ByteRandom, body: bytes) -> str:
    sample, route = random.choice(BUNDLES), random.choice(_ROUTES)
    response = _clients()[sample].post(
        f"/{Path(sample).name}/{route}",
        data=body,
        headers={"Content-Type": "application/json"},
    )
    json.loads(response.data)
    code = response.status_code
    check_claim(code in {200, 400, 404}, f"HTTP {code} from {sample}/{route}", body, response.data)
    return str(code)


# --- Events


@cache
def _handler() -> Callable[[Any, object], dict[str, Any]]:
    app = create_app(
        FolderStore(SAMPLES), FolderCallers(SAMPLES), auth=Auth.NONE, request_log=lambda _: None
    )
    return catch_errors(Mangum(WsgiToAsgi(app), lifespan="off"), lambda _: None)


def _process_event(random: ByteRandom) -> str:
    names = sorted(path.name for path in _EVENTS.glob("apigateway-*.json"))
    event = json.loads((_EVENTS / random.choice(names)).read_text())
    if random.random() < 0.7:
        event["rawPath"] = event["requestContext"]["http"]["path"] = "/istio/inject"
    event = mutation.mutate_document(random, event)
    response = _handler()(event, None)
    code = response["statusCode"]
    check_claim(code < 500, f"HTTP {code}", json.dumps(event))
    return str(code)


# --- Documents


def _process_policy(random: ByteRandom) -> str:
    text = _mutate_yaml(random, _POLICY)
    try:
        policy.parse(text)
    except PolicyError as error:
        check_claim(bool(error.errors), "an error without a diagnostic", text)
        return "refused"
    return "loaded"


@cache
def _bundles() -> tuple[dict[str, bytes], ...]:
    folders = [SAMPLES / name for name in BUNDLES]
    plain = {"injector.yaml": CONFIG.encode(), "mesh.yaml": MESH.encode()}
    small = [
        {path.name: path.read_bytes() for path in sorted(folder.glob("*.yaml"))}
        for folder in folders
        if "istio" not in str(folder)
    ]
    return plain, plain, *small


def _process_bundle(random: ByteRandom) -> str:
    files = dict(random.choice(_bundles()))
    name = random.choice(sorted(files))
    files[name] = _mutate_yaml(random, files[name].decode()).encode("utf-8", "surrogatepass")
    try:
        bundle.compile_(files, policy.parse("{}"))
    except BundleError as error:
        check_claim(bool(error.errors), "an error without a diagnostic", files[name])
        return "refused"
    return "compiled"


def _mutate_yaml(random: Random, text: str) -> str:
    """The text after changes of its values, or of its bytes."""
    if random.random() < 0.5:
        parts: list[Any] = mutation.mutate_document(random, yaml.load_all(text))
        return "---\n".join(json.dumps(part) + "\n" for part in parts)
    return mutation.mutate_text(random, text)


# --- Certificates and callers


@cache
def _pem_files() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(_CERTIFICATES.glob("*.pem")))


def _process_certificate(random: ByteRandom) -> str:
    data = _mutate_pem(random, random.choice(_pem_files()))
    text = data.decode("utf-8", "replace")
    subjects.parse_subject(random.take_text(100))
    with suppress(TokensError, NotYAMLError):
        caller_document.parse_callers(yaml.load(mutation.mutate_text(random, _CALLERS)))
    try:
        chain = pem.parse_certificates(data, "FILE")
        inspection = Inspection(chain=chain, now=_NOW, warn_days=30)
        _ = [*inspection.describe()]
        status = inspection.status
    except CommandError as error:
        check_claim(str(error).startswith("FILE: "), f"a message without a place: {error}", text)
        return "refused"
    return f"inspected: {status.name}"


def _mutate_pem(random: ByteRandom, data: bytes) -> bytes:
    """The file after changes of its text, or of the DER of its first certificate."""
    if random.random() < 0.3:
        return mutation.mutate_bytes(random, data)
    _, begin, rest = data.partition(_BEGIN)
    body, end, more = rest.partition(_END)
    der = mutation.mutate_bytes(random, base64.b64decode(body))
    return begin + b"\n" + base64.encodebytes(der) + end + more
