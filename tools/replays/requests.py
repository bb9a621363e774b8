"""Generated HTTP requests: usual reviews, and what only a hostile or broken client sends."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

TOKEN = "podgraft-responses-token-4wCkq0Zy1m"  # noqa: S105  of a store that only this program uses
SUBJECT = "CN=prod-eu,O=podgraft-clusters"
_INJECTORS = ("default", "istio", "istio", "logging", "allow", "appmesh", "vault-agent", "missing")
_ROUTES = ("inject", "inject", "inject", "mutate", "validate")
_TAILS = ("", "", "", "/cluster/prod-eu/net/n1", "/:ENV:cluster=a:ENV:b=c", "/a/b", "/é/ß", "/x")
_HOSTILE_PATHS = (
    "/",
    "",
    "//inject",
    "/inject/",
    "/inject//x",
    "/k/inject",
    f"/k/{TOKEN}",
    f"/k/{TOKEN}/",
    f"/k/{TOKEN}//inject",
    f"/k/{TOKEN[:-1]}%30/inject",
    "/k//inject",
    "/inject/inject",
    "/mutate/inject",
    "/inject/mutate/x",
    "/validate/inject/x",
    "/Istio/inject",
    "/a/b/inject",
    "/default/inject/%2e",
    "/default/inject/%2F",
    "/%69njet",
    "/inject/a%00b/c",
    "/inject/cluster/--slash--",
    "/ping",
    "/healthz",
    "/readyz",
    "/ping/",
    "/default/ping",
    "/k/x/readyz",
    "/inject;a=b",
    "/../inject",
    "/./inject",
    "/inject/..",
    "/ÿ",
    "/-/inject",
    "/" + "a" * 300 + "/inject",
)
_QUERIES = ("timeout=10s", "timeout=10s", "timeout=1s", "", "timeout=0s", "a=b&timeout=500ms",
            "timeout=x", "timeout=1m&timeout=2m", "é", "%74imeout=1s", "timeout=1e3s")  # fmt: skip
_CONTENT_TYPES = ("application/json",) * 80 + (
    'application/json; charset="utf-8"',
    "APPLICATION/JSON",
    "application/json;charset=latin-1",
    "text/plain",
    "application/json, text/plain",
    None,
)
_AUTHORIZATIONS = (f"Bearer {TOKEN}",) * 80 + (
    f"bearer  {TOKEN} ",
    f"Bearer\t{TOKEN}",
    TOKEN,
    "Bearer",
    "Bearer wrong",
    "Basic YTpi",
    "Bearer é",
    None,
)
_FIELDS = (
    ("x_y", "1"),
    ("content_type", "text/plain"),
    ("host", "[::1]:443"),
    ("host", "a b"),
    ("x-forwarded-port", "x"),
    ("expect", "100-continue"),
    ("transfer-encoding", "identity"),
    ("cookie", "a=b"),
    ("x-http-method-override", "GET"),
    ("x-large", "v" * 3000),
)
_BODIES = (
    *("", "{}", "[]", "null", "{", '"x"', '{"kind":"AdmissionReview"}', "\x00", "é" * 40),
    '{"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview","request":{}}',
)


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; *fields* are in order, and a name can occur twice."""

    method: str
    path: str
    query: str
    fields: tuple[tuple[str, str], ...]
    body: str
    source: str


def read_objects(root: Path) -> list[dict[str, Any]]:
    """The objects of the samples, and the reviews that the tests have recorded."""
    documents = [
        document
        for path in sorted((root / "samples").glob("*/input.*.yaml"))
        for document in yaml.safe_load_all(path.read_text())
        if document
    ]
    wire = sorted((root / "tests" / "support" / "events" / "wire").glob("*.json"))
    recorded = [json.loads(path.read_text())["request"]["body"] for path in wire]
    return documents + [body for body in recorded if isinstance(body, dict)]


def generate(root: Path, count: int, seed: int) -> Iterator[Request]:
    """*count* requests; the same ones for the same seed and checkout."""
    random = Random(seed)  # noqa: S311  the same requests each time
    objects = read_objects(root)
    for number in range(count):
        yield _make_request(random, random.choice(objects), number)


def _make_request(random: Random, document: dict[str, Any], number: int) -> Request:
    authorization = random.choice(_AUTHORIZATIONS)
    path = _make_path(random)
    if random.random() < 0.3:
        path, authorization = f"/k/{random.choice((TOKEN,) * 20 + ('wrong',))}{path}", None
    fields = [("user-agent", "kube-apiserver-admission")]
    content_type = random.choice(_CONTENT_TYPES)
    fields += [("content-type", content_type)] if content_type is not None else []
    fields += [("authorization", authorization)] if authorization is not None else []
    if random.random() < 0.1:
        fields.append(random.choice(_FIELDS))
    if random.random() < 0.03:
        fields.append(random.choice(fields))  # a repeated field
    fields = [(_change_case(random, name), value) for name, value in fields]
    random.shuffle(fields)
    method = "POST" if random.random() < 0.96 else random.choice(("GET", "PUT", "HEAD", "OPTIONS"))
    if path.endswith(("ping", "healthz", "readyz")) and random.random() < 0.7:
        method = "GET"
    query = random.choice(_QUERIES)
    source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    return Request(method, path, query, tuple(fields), _make_body(random, document, number), source)


def _change_case(random: Random, name: str) -> str:
    return name if random.random() < 0.8 else random.choice((name.title(), name.upper()))


def _make_path(random: Random) -> str:
    if random.random() < 0.15:
        return random.choice(_HOSTILE_PATHS)
    injector = random.choice(_INJECTORS)
    prefix = "" if injector == "default" else f"/{injector}"
    return f"{prefix}/{random.choice(_ROUTES)}{random.choice(_TAILS)}"


def _make_body(random: Random, document: dict[str, Any], number: int) -> str:
    if random.random() < 0.05:
        return random.choice(_BODIES)
    review = _change(random, _make_review(random, document, number))
    text = json.dumps(review, ensure_ascii=random.random() < 0.5)
    return text[: random.randrange(len(text))] if random.random() < 0.03 else text


def _make_review(random: Random, document: dict[str, Any], number: int) -> dict[str, Any]:
    if "request" in document:
        return json.loads(json.dumps(document))
    api_version, kind = document["apiVersion"], document["kind"]
    group, _, version = api_version.rpartition("/")
    gvk = {"group": group, "version": version, "kind": kind}
    gvr = {"group": group, "version": version, "resource": f"{kind.lower()}s"}
    body = json.loads(json.dumps(document))
    request = {
        "uid": f"00000000-0000-4000-8000-{number:012}",
        "kind": gvk,
        "resource": gvr,
        "requestKind": gvk,
        "requestResource": gvr,
        "name": document["metadata"].get("name", ""),
        "namespace": document["metadata"].get("namespace", "shop"),
        "operation": random.choice(("CREATE",) * 30 + ("UPDATE", "DELETE", "CONNECT", "x")),
        "userInfo": {"username": "alice", "groups": ["system:authenticated"]},
        "object": body,
        "oldObject": None,
        "dryRun": random.random() < 0.1,
        "options": None,
    }
    version = random.choice(("v1", "v1", "v1", "v1beta1"))
    return {
        "kind": "AdmissionReview",
        "apiVersion": f"admission.k8s.io/{version}",
        "request": request,
    }


_ANNOTATIONS = (
    ("sidecar.istio.io/inject", "false"),
    ("sidecar.istio.io/inject", "yess"),
    ("sidecar.istio.io/proxyCPU", "100m"),
    ("sidecar.istio.io/proxyImage", "a\nb: c"),
    ("proxy.istio.io/config", "concurrency: 3"),
    ("proxy.istio.io/config", "{"),
    ("sidecar.istio.io/userVolume", '{"v":{"emptyDir":{}}}'),
    ("traffic.sidecar.istio.io/excludeOutboundPorts", "80,443"),
    ("inject.istio.io/templates", "sidecar,nothing"),
    ("example.com/x", "ä" * 50),
)
_VALUES: tuple[Any, ...] = (
    None,
    "",
    [],
    {},
    0,
    -1,
    1e300,
    True,
    "x",
    [None],
    {"a": None},
    "\ud800",
)


def _change(random: Random, review: dict[str, Any]) -> dict[str, Any]:
    """Change an annotation, a label, or any value."""
    pod: Any = review["request"].get("object")
    if pod:
        metadata: dict[str, Any] = pod.get("metadata") or {}
        if random.random() < 0.4:
            name, value = random.choice(_ANNOTATIONS)
            metadata["annotations"] = {**(metadata.get("annotations") or {}), name: value}
        if random.random() < 0.2:
            labels: dict[str, Any] = metadata.get("labels") or {}
            metadata["labels"] = {**labels, "app": f"a{random.randrange(5)}"}
        if random.random() < 0.2:
            metadata["name"] = f"p{random.randrange(10)}"
    if random.random() < 0.12:
        _replace_value(random, review)
    return review


def _replace_value(random: Random, document: dict[str, Any]) -> None:
    """Put a strange value in the place of any value of a document."""
    place: Any = document
    for _ in range(random.randrange(1, 9)):
        key = _choose_key(random, place)
        if key is None or not isinstance(place[key], dict | list) or not place[key]:
            break
        place = place[key]
    key = _choose_key(random, place)
    if key is not None:
        place[key] = random.choice(_VALUES)


def _choose_key(random: Random, place: Any) -> Any:
    keys: list[Any] = [*place] if isinstance(place, dict) else [*range(len(place))]
    return random.choice(keys) if keys else None
