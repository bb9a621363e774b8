"""No log line, metric, warning, audit annotation, or fault contains a secret of the request.

A secret is a random text in an environment value, an argument, an annotation that no message may
quote, an imagePullSecret, a token, or a query. The response to a review can contain the pod: its
patch is not searched. The template function ``fail`` is not tried: its text is the message that the
template's author wants to show.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from fuzz import mutation
from fuzz.application import TOKENS, Application, load
from fuzz.byte_source import ByteRandom
from fuzz.harness import check_claim
from podgraft.core.versions.errors import StoreError
from podgraft.kube import yaml
from podgraft.kube.yaml import NotYAMLError
from podgraft.service.http.metrics import record_measures
from secrecy.known_secrets import secret_forms
from service.http.test_malformed_reviews import POD, places, review
from support.store_fixture import BUNDLE, CONFIG

MARK = "fuzz-secret-8d1f"
_ENV = "(index (index .Spec.Containers 0).Env 0).Value"
# Actions of a template that fail, print, or compare the secret.
_ACTIONS = (
    "x",
    "{{ .DeploymentMeta.Name }}",
    f"{{{{ {_ENV} }}}}",
    f"{{{{ {_ENV} | quote }}}}",
    f"{{{{ atoi {_ENV} }}}}",
    f"{{{{ mustToDate `2006` {_ENV} }}}}",
    f"{{{{ urlParse {_ENV} }}}}",
    f"{{{{ semverCompare `>1` {_ENV} }}}}",
    f"{{{{ range {_ENV} }}}}{{{{ end }}}}",
    f"{{{{ eq {_ENV} 1 }}}}",
    f"{{{{ index .Spec.Containers {_ENV} }}}}",
    f"{{{{ mustRegexMatch {_ENV} `x` }}}}",
    f"{{{{ fromJSON {_ENV} }}}}",
    f"{{{{ {_ENV} | b64dec }}}}",
)
_SHAPES = (
    "{}",
    "{}: [",
    "x\n{}: y",
    "*{}",
    "&{} x",
    "!!int {}",
    "%{}",
    "http://a:{}@b:c/",
    "{{{{ {} ",
)
# An underscore, because a valid name of an injector is no secret.
_PATHS = (
    *("/inject", "/inject", "/inject/PASSWORD/{}", "/inject/:ENV:A={}", "/{}_/inject", "/validate"),
    "/mutate/{}",
)


@cache
def _application() -> Application:
    return Application()


def fuzz_policy(random: ByteRandom) -> str:
    """The error of a policy document with a secret in it."""
    features = {"features": {"env": {"A": MARK}}, "injectedAnnotations": {"a": MARK}}
    text = random.choice((json.dumps(features), f"features: {{env: {{A: {MARK}}}}}\n"))
    text = mutation.mutate_text(random, text)
    if MARK not in text or _is_key(text):
        return "policy without the secret"
    try:
        load(text, BUNDLE)
    except StoreError as error:
        _check_silent(str(error), text)
        return "policy refused"
    return "policy loaded"


def _is_key(text: str) -> bool:
    """Whether a mutation moved the secret into a key, which a message can quote."""
    try:
        document = yaml.load(text)
    except NotYAMLError:
        return False
    keys = (step for path in places(document) for step in path)
    return any(MARK in str(key) for key in keys)


def fuzz(data: bytes) -> str:
    """Send one request with secrets, and search everything that is written."""
    random = ByteRandom(data)
    if random.random() < 0.2:
        return fuzz_policy(random)
    application = _application()
    application.records.clear()
    action = random.choice(_ACTIONS)
    bundle = {
        **BUNDLE,
        "injector.yaml": CONFIG.replace("{{ .DeploymentMeta.Name }}", action).encode(),
    }
    try:
        application.store.snapshots["default"] = load("{}", bundle)
    except StoreError:
        return "template refused"
    body = _make_body(random)
    path = random.choice(_PATHS).format(MARK) + random.choice(("", f"?timeout=10s&password={MARK}"))
    token = random.choice((*TOKENS.values(), *TOKENS.values(), MARK))
    if random.random() < 0.5:
        code, answer = application.post(f"/k/{token}{path}", body)
    else:
        scheme = random.choice(("Bearer", "bearer", "Basic", "Bearer Bearer"))
        code, answer = application.post(path, body, {"Authorization": f"{scheme} {token}"})
    _check_response(code, answer, path, body)
    for record in application.records:
        _check_silent(json.dumps(record), path, body)
        _check_silent(repr(record_measures(record)), path, body)
    return str(code)


def _make_body(random: ByteRandom) -> bytes:
    document: Any = review(json.loads(json.dumps(POD)))
    pod = document["request"]["object"]
    secret = random.choice(_SHAPES).format(MARK)
    container = pod["spec"]["containers"][0]
    container["env"] = [{"name": "A", "value": secret}]
    container["args"] = [f"--password={secret}"]
    pod["metadata"]["annotations"]["example.com/secret"] = secret
    pod["spec"]["imagePullSecrets"] = [{"name": MARK}]
    if random.random() < 0.4:
        document = mutation.mutate_document(random, document)
    body = json.dumps(document).encode()
    return mutation.mutate_bytes(random, body) if random.random() < 0.3 else body


def _check_response(code: int, answer: Any, path: str, body: bytes) -> None:
    """Search the complete body of a fault, and all of a review's response but its patch."""
    if code == 200:
        answer = {**answer["response"], "patch": "", "uid": ""}
    _check_silent(json.dumps(answer), path, body)


def _check_silent(text: str, *seen: object) -> None:
    written = [form for form in secret_forms(MARK) if form in text]
    check_claim(not written, f"{written} is in {text}", *seen)
