"""The events in which the fronts of Lambda pass a request to the function."""

from base64 import b64encode
from collections.abc import Mapping
from random import Random
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote

from replays.requests import SUBJECT, Request

Event: TypeAlias = dict[str, Any]
_CERTIFICATE = {
    "clientCertPem": "-----BEGIN CERTIFICATE-----",
    "issuerDN": "CN=CA",
    "serialNumber": "1",
    "subjectDN": SUBJECT,
    "validity": {"notBefore": "Nov 21 03:00:00 2020 GMT", "notAfter": "Nov 21 03:00:00 2036 GMT"},
}
_STRANGE: tuple[Any, ...] = (None, "", 5, [], {}, "\ud800", True)


def make_event(random: Random, request: Request, *, certificates: float) -> Any:
    """The event of a request by one of the fronts; rarely one that no front sends.

    The share *certificates* of them has a client certificate.
    """
    if random.random() < 0.01:
        return random.choice(({}, [], None, 5, "x", {"Records": [{"eventSource": "aws:sqs"}]}))
    front = random.choice((_http_api, _http_api, _function_url, _rest_api, _load_balancer))
    event = front(random, request)
    if random.random() < 0.2:
        event["body"] = b64encode((event["body"] or "").encode(errors="replace")).decode()
        event["isBase64Encoded"] = True
    if random.random() < certificates:
        event["requestContext"]["authentication"] = {"clientCert": dict(_CERTIFICATE)}
    if random.random() < 0.05:
        event[random.choice(list(event))] = random.choice(_STRANGE)
    if random.random() < 0.02:
        del event[random.choice(list(event))]
    return event


def _join_fields(request: Request) -> dict[str, str]:
    """The fields as API Gateway passes them: lower case, and repeated ones joined by a comma."""
    fields: dict[str, str] = {}
    for name, value in request.fields:
        key = name.lower()
        fields[key] = f"{fields[key]},{value}" if key in fields else value
    return fields


def _http_api(random: Random, request: Request) -> Event:
    del random
    return {
        "version": "2.0",
        "routeKey": "POST /{proxy+}",
        "rawPath": request.path,
        "rawQueryString": request.query,
        "headers": _join_fields(request),
        "queryStringParameters": dict(parse_qsl(request.query)),
        "requestContext": {
            "accountId": "111122223333",
            "apiId": "a1b2c3d4e5",
            "domainName": "injector.example.com",
            "http": {
                "method": request.method,
                "path": request.path,
                "protocol": "HTTP/1.1",
                "sourceIp": request.source,
                "userAgent": "kube-apiserver-admission",
            },
            "requestId": "Uz3bYgYkDoEEM0w=",
            "routeKey": "POST /{proxy+}",
            "stage": "$default",
        },
        "body": request.body or None,
        "isBase64Encoded": False,
    }


def _function_url(random: Random, request: Request) -> Event:
    event = _http_api(random, request)
    event["routeKey"] = "$default"
    event["requestContext"]["domainName"] = "abc.lambda-url.eu-central-1.on.aws"
    return event


def _many(fields: Mapping[str, str]) -> dict[str, list[str]]:
    return {name: [value] for name, value in fields.items()}


def _rest_api(random: Random, request: Request) -> Event:
    fields = dict(request.fields)
    path = unquote(request.path)
    event: Event = {
        "version": "1.0",
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": request.method,
        "headers": fields,
        "multiValueHeaders": _many(fields),
        "queryStringParameters": dict(parse_qsl(request.query)) or None,
        "multiValueQueryStringParameters": _many(dict(parse_qsl(request.query))) or None,
        "pathParameters": {"proxy": path[1:]},
        "requestContext": {
            "resourcePath": "/{proxy+}",
            "httpMethod": request.method,
            "path": f"/prod{path}",
            "stage": "prod",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "identity": {"sourceIp": request.source, "userAgent": "kube-apiserver-admission"},
        },
        "body": request.body or None,
        "isBase64Encoded": False,
    }
    if random.random() < 0.3:
        del event["version"]
    return event


def _load_balancer(random: Random, request: Request) -> Event:
    fields = {**_join_fields(request), "x-forwarded-for": request.source, "x-forwarded-port": "443"}
    query = dict(parse_qsl(request.query))
    group = "arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/podgraft/6d0ecf83"
    event: Event = {
        "requestContext": {"elb": {"targetGroupArn": group}},
        "httpMethod": request.method,
        "path": request.path,
        "body": request.body,
        "isBase64Encoded": False,
    }
    if random.random() < 0.5:
        return {**event, "headers": fields, "queryStringParameters": query}
    values: Mapping[str, Any] = _many(query)
    return {**event, "multiValueHeaders": _many(fields), "multiValueQueryStringParameters": values}
