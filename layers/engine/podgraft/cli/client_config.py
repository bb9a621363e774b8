"""The destination of a registered webhook: one reader of ``clientConfig`` for all commands."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.cli import documents
from podgraft.core.bundle.cluster_ids import UrlPath
from podgraft.service import paths
from podgraft.service.paths import Target

_KIND = "MutatingWebhookConfiguration"
_ROUTE = "inject"
_PATH_TOKEN = re.compile(r"/k/[^/?#\"\s]+")
# What of a URL is not repeated in a message: user and password, a token, values, a query.
_SECRETS = (("//[^/]*@", "//…@"), ("/k/[^/]*", "/k/…"), ("=[^/:]*", "=…"), (r"\?.*", "?…"))
# The name of a private API of API Gateway at a VPC endpoint: its paths begin with the stage.
_PRIVATE_API = re.compile(
    r"[a-z0-9]+-vpce-[0-9a-f]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com(\.cn)?"
)


class Destination(Struct, frozen=True, kw_only=True):
    """What a webhook calls.

    ``address`` is the host and port of the URL, or the Service; it contains no path, which can
    contain a token. ``host`` is the name for which kube-apiserver verifies the certificate, empty
    without one. ``target`` is None if the path is none of podgraft's routes.
    """

    address: str
    host: str
    token: str | None = None
    target: Target | None = None


def read_destination(client: Object) -> Destination:
    """Read a ``clientConfig``. Kubernetes sets ``url`` or ``service``."""
    url = string_at(client, "url")
    if not url:
        service = object_at(client, "service")
        namespace, name = string_at(service, "namespace"), string_at(service, "name")
        host = f"{name}.{namespace}.svc" if name and namespace else ""
        return _make_destination(f"service {namespace}/{name}", host, string_at(service, "path"))
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:  # kube-apiserver refuses such a URL
        return Destination(address="", host="")
    return _make_destination(parts.netloc.rpartition("@")[2], host, unquote(parts.path))


def redact_tokens(text: str) -> str:
    """Return a text without the tokens of URL paths."""
    return _PATH_TOKEN.sub("/k/…", text)


def redact_url(url: str) -> str:
    """Return a URL, also an invalid one, without the parts that can be secret, for messages."""
    for secret, instead in _SECRETS:
        url = re.sub(secret, instead, url)
    return url


def is_private_api(host: str) -> bool:
    """Whether a host is the name of a private API of API Gateway at a VPC endpoint."""
    return _PRIVATE_API.fullmatch(host) is not None


def split_stage(host: str, path: str) -> tuple[str, str]:
    """Return the stage of a private API with its slash, and the rest of the path.

    >>> split_stage("a1b2c3d4e5-vpce-0a1b.execute-api.eu-west-1.amazonaws.com", "/live/inject")
    ('/live', '/inject')
    >>> split_stage("pods.example", "/live/inject")
    ('', '/live/inject')
    """
    if not is_private_api(host):
        return "", path
    stage, slash, rest = path.removeprefix("/").partition("/")
    return f"/{stage}" if stage else "", slash + rest


def read_url_paths(file: Path, injector: str | None = None) -> Iterator[UrlPath]:
    """Return what follows ``/inject/`` in the URL of each webhook in *file*.

    With *injector*, only the webhooks of that injector count.
    """
    for manifest in documents.read_objects(file):
        webhooks = objects_at(manifest, "webhooks") if manifest.get("kind") == _KIND else []
        for index, webhook in enumerate(webhooks):
            target = read_destination(object_at(webhook, "clientConfig")).target
            if target and target.route == _ROUTE and injector in {None, target.injector}:
                location = f"{file}, {documents.object_name(manifest)}"
                yield UrlPath(target.tail, location, f"/webhooks/{index}/clientConfig")


def _make_destination(address: str, host: str, path: str) -> Destination:
    token, rest = paths.split_token(split_stage(host, path)[1])
    return Destination(address=address, host=host, token=token, target=paths.parse(rest))
