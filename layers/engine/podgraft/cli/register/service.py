"""The Service that kube-apiserver calls: the rules of ``clientConfig.service``.

The rules are those of kube-apiserver (apiserver/pkg/util/webhook/validation.go,
ValidateWebhookService): each segment of the path must be a DNS-1123 subdomain, so it contains no
upper-case letters and no underscores. kube-apiserver verifies the certificate for
``NAME.NAMESPACE.svc``.
"""

import re
from typing import NoReturn

from podgraft.cli.failure import CommandError
from podgraft.cli.register.endpoint import Endpoint, ServiceReference, check_segment, with_path
from podgraft.kube.names import is_dns_label

PORTS = range(1, 65536)
MAX_SEGMENT_CHARACTERS = 253
_SYNTAX = re.compile(r"([^/:]+)/([^/:]+)(?::([^/]*))?(/.*)?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def parse_service(text: str) -> Endpoint:
    """Read ``NAMESPACE/NAME[:PORT][/PATH]``; raises ``CommandError``."""
    match = _SYNTAX.fullmatch(text)
    if match is None:
        # Not quoted: the path can contain a token.
        raise CommandError("--service: write NAMESPACE/NAME[:PORT][/INJECTOR]")
    namespace, name, port, path = match.groups()
    for kind, value in (("namespace", namespace), ("name", name)):
        if not is_dns_label(value):
            raise CommandError(
                f"--service: invalid {kind} {value!r}; use 1 to 63 lower-case letters, digits, "
                "and -"
            )
    endpoint = Endpoint(
        host=f"{name}.{namespace}.svc",
        port=None if port is None else _parse_port(port),
        service=ServiceReference(namespace, name),
    )
    segments = (path or "").removesuffix("/").split("/")[1:]
    for segment in segments:
        check_segment("--service", segment)
    return with_path("--service", endpoint, segments, option="--service")


def _parse_port(text: str) -> int:
    if not text.isdecimal() or int(text) not in PORTS:
        raise CommandError(
            f"--service: invalid port {text!r}; use a port from {PORTS[0]} to {PORTS[-1]}"
        )
    return int(text)


def check_path(endpoint: Endpoint) -> None:
    """Raise ``CommandError`` for a path that kube-apiserver rejects for a Service."""
    if endpoint.service is None:
        return
    variables = endpoint.tail.split("/") if endpoint.tail else []
    for segment in filter(None, (endpoint.token, endpoint.injector, *variables)):
        if len(segment) > MAX_SEGMENT_CHARACTERS or not _SUBDOMAIN.fullmatch(segment):
            _reject(segment, is_token=segment == endpoint.token)


def _reject(segment: str, *, is_token: bool) -> NoReturn:
    rule = (
        "in the path of a Service, kube-apiserver accepts lower-case letters, digits, - and . only"
    )
    if is_token:
        raise CommandError(
            f"the token: {rule}; create another token with podgraft tokens rotate, or use "
            "--control-plane to send it in a header"
        )
    # A value can be a secret.
    is_name = re.fullmatch(r"[A-Z_][A-Z0-9_]*|[\w.-]{1,20}", segment)
    shown = repr(segment) if is_name else "of a value"
    raise CommandError(
        f"--service: {rule}, got the segment {shown}; rename the injector, and set "
        "variables in the bundle, or use --url"
    )
