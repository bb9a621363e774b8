"""Only the credentials decide which cluster calls, whatever the URL is.

URLs contain tokens in the right and in wrong places, dot segments, empty segments, encoded
characters, the names of both clusters, and Istio's variables. They reach the application as a WSGI
path and as an event of Lambda. Each response is a fault, or a review of the one cluster whose token
is a credential of the request, by the injector that the path names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from fuzz.application import TOKENS, Application, load, read_patch
from fuzz.byte_source import ByteRandom
from fuzz.harness import check_claim
from podgraft.service.http import WsgiToAsgi, catch_errors
from service.http.test_malformed_reviews import POD, review
from support.store_fixture import BUNDLE

if TYPE_CHECKING:
    from flask import Flask

PROD, STAGE = TOKENS["prod"], TOKENS["stage"]
_SEGMENTS = (
    *(
        "inject",
        "inject",
        "inject",
        "mutate",
        "validate",
        "k",
        "k",
        PROD,
        STAGE,
        "",
        ".",
        "..",
        "K",
    ),
    *("cluster", "prod", "stage", "net", "default", "other", "Inject", "inject;x", "%2e%2e", "%2F"),
    *("k%2F" + PROD, f"{PROD};x", f" {PROD}", f"{PROD}%00", PROD.upper(), f"{PROD}/k/{STAGE}"),
    *(":ENV:cluster=stage:ENV:x=y", "--slash--", "readyz", "ping", "é", "%ff", "%", "\\", "a b"),
    *("?", "#", "*", "default%2Finject", "//", "k;", "%6b", "%6B", "ｋ"),
)
_USUAL = (
    "/inject",
    f"/k/{PROD}/inject",
    f"/k/{STAGE}/inject/cluster/prod",
    f"/k/{PROD}/default/inject/cluster/stage/net/n",
    f"/k/{PROD}/other/inject",
    f"/k/{STAGE}/inject/:ENV:cluster=prod:ENV:x=/k/{PROD}",
    f"/other/inject/k/{PROD}",
)
_HEADERS = (
    *("", "", f"Bearer {PROD}", f"Bearer {STAGE}", f"bearer  {PROD} ", f"Basic {PROD}", "Bearer"),
    *(f"Bearer {PROD},{STAGE}", f"Bearer {PROD} {STAGE}", f"Bearer\t{PROD}", "Bearer x", PROD),
)
_PATH_TOKEN = re.compile(r"/k/([^/]*)")
# A route at the start is the route of the injector "default": no injector can have its name.
_ROUTE = re.compile(
    r"/(?:(?!(?:inject|mutate|validate)(?:/|$))([^/]*)/)?(inject|mutate|validate)(?:/.*)?",
    re.DOTALL,
)
# Which cluster calls decides whether these inject: the response shows it.
_POLICY = "policy: enabled\nclusters: {stage: {policy: disabled}}\n"
_BODY = json.dumps(review(POD)).encode()


@cache
def _application() -> Application:
    application = Application()
    for name in ("default", "other"):
        application.store.snapshots[name] = load(_POLICY, BUNDLE)
    return application


@cache
def _function() -> Callable[[Any, object], dict[str, Any]]:
    from mangum import Mangum

    app = cast("Flask", _application().client.application)
    return catch_errors(Mangum(WsgiToAsgi(app), lifespan="off"), lambda _: None)


def fuzz(data: bytes) -> str:
    """Send one request, and compare the caller of its log line with the credentials."""
    random = ByteRandom(data)
    path, header = _make_path(random), random.choice(_HEADERS)
    application = _application()
    application.records.clear()
    if random.random() < 0.5:
        code, answer, seen_path = *_call_wsgi(application, path, header), path
    else:
        code, answer, seen_path = *_call_function(path, header), unquote(path)
    check_claim(code in {200, 400, 401, 403, 404, 405}, f"HTTP {code}", answer, path, header)
    if code != 200 or "response" not in answer:
        return str(code)
    (record,) = application.records
    callers = _find_callers(seen_path, header)
    check_claim(
        {str(record["cluster"])} == callers, f"{record['cluster']} of {callers}", path, header
    )
    _check_answer(seen_path, record, answer)
    return f"200 {record['cluster']}"


def _check_answer(path: str, record: Any, answer: Any) -> None:
    rest = path
    if match := _PATH_TOKEN.match(path):
        rest = path[match.end() :]
    route = _ROUTE.fullmatch("/" + rest.lstrip("/"))  # Werkzeug ignores further slashes
    check_claim(route is not None, "no route has this path", path)
    assert route is not None
    names = (route[1] or "default", route[2])
    actual = (record["injector"], record["route"])
    check_claim(actual == names, f"{actual} answers for {names}", path)
    injected = bool(read_patch(answer))
    expected = record["cluster"] == "prod" and route[2] == "inject"
    check_claim(injected == expected, f"injected: {injected}", path, record)


def _find_callers(path: str, header: str) -> set[str]:
    """The clusters of the tokens that are credentials: after /k/ at the start, and after Bearer."""
    tokens = {match[1]} if (match := _PATH_TOKEN.match(path)) else set[str]()
    scheme, _, token = header.partition(" ")
    if scheme.lower() == "bearer":
        tokens.add(token.strip())
    return {name for name, token in TOKENS.items() if token in tokens}


def _make_path(random: ByteRandom) -> str:
    if random.random() < 0.3:
        return random.choice(_USUAL)
    if random.random() < 0.4:
        usual = random.choice(_USUAL)
        at = random.randrange(len(usual) + 1)
        piece = random.choice(
            (*_SEGMENTS, "/", "//", "/./", "/../", "%2f", "\n", "\t", random.take_text(8))
        )
        return "/" + (usual[:at] + piece + usual[at + random.choice((0, 0, 1, 3)) :]).removeprefix(
            "/"
        )
    return "/" + "/".join(random.choices(_SEGMENTS, k=random.randrange(1, 7)))


def _call_wsgi(application: Application, path: str, header: str) -> tuple[int, Any]:
    """Call the application with the path as it is."""
    from werkzeug.test import EnvironBuilder

    builder = EnvironBuilder(method="POST", data=_BODY, content_type="application/json")
    environ = builder.get_environ()
    builder.close()
    environ["PATH_INFO"] = path.encode().decode("latin-1")
    environ["HTTP_AUTHORIZATION"] = header
    response = application.client.run_wsgi_app(environ)
    body = b"".join(response[0])
    return int(response[1].split()[0]), _parse(body)


def _call_function(path: str, header: str) -> tuple[int, Any]:
    """Call the function with an event of API Gateway."""
    event = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "timeout=10s",
        "headers": {"content-type": "application/json", "authorization": header}
        | {"content-length": str(len(_BODY))},
        "requestContext": {"http": {"method": "POST", "path": path, "sourceIp": "192.0.2.1"}},
        "body": _BODY.decode(),
        "isBase64Encoded": False,
    }
    response = _function()(event, None)
    return response["statusCode"], _parse(response["body"].encode())


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return {"text": body.decode("utf-8", "replace")}
